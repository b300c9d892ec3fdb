/** Makes text from manifests and the service harmless for a terminal: invisible characters become visible escapes. */

import type { Place } from '../base/place.ts';

/** Control characters, format characters (which reorder or hide text), lone surrogates, line and paragraph separators. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** All of them, but for a joiner between two emoji, which makes one visible emoji of them. The search is slow, and most text has none. */
const UNSAFE = new RegExp(
  String.raw`(?!(?<=\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)\u200d\p{Extended_Pictographic})${HIDDEN.source}`,
  'gu',
);

/** Most text: of ASCII, without the sign that begins a command of a build log. */
const HARMLESS = /^[ -"$-~]*$/;

/** Returns one line: line breaks and tabs become escapes too. */
export function escapeLine(text: string): string {
  if (HARMLESS.test(text)) return text;
  return disarmLog(HIDDEN.test(text) ? text.replace(UNSAFE, escapeCharacter) : text);
}

/** Escapes text on its own line, where a build log could read a command. */
export function escapeWholeLine(text: string): string {
  return disarmLines(escapeLine(text));
}

/** GitHub obeys a line that begins with `::`, GitHub and Azure obey `##[…]` and `##vso[…]` anywhere. JSON keeps its meaning. */
export function disarmLines(text: string): string {
  return disarmLog(text).replace(/^([^\S\r\n]*)::/gm, '$1:\\u003a');
}

function disarmLog(text: string): string {
  // A search for the two characters alone is ten times as fast, and most text has none.
  return text.includes('##') ? text.replace(/##(?=\[|vso\[)/gi, '#\\u0023') : text;
}

/** A place in the form that editors and terminals link: `flags/checkout.yaml:9:13`. */
export function placeText({ file, line, column }: Place): string {
  return `${escapeLine(file)}:${line}:${column}`;
}

/** Shortens to `limit` characters with an ellipsis and escapes: for values in a sentence. */
export function quoteShort(text: string, limit = 80): string {
  // It has no more characters than units.
  if (text.length <= limit) return escapeLine(text);
  const characters = Array.from(text);
  return escapeLine(characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`);
}

/** For a command line: never shortened, and quoted if a shell would read more than the word. */
export function shellWord(text: string): string {
  const shown = escapeLine(text);
  return /^[\w.:@%+,/=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

/** The beginning of escaped text that is longer than `limit`, with an ellipsis: no character, emoji or escape is cut in two. */
export function cutEscaped(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(BEGUN, '')}…`;
}

/** Matches an incomplete end of a cut text: an emoji after its joiner, half a character, or an escape. */
const BEGUN = /(?:\u200d?[\ud800-\udbff]?|\\(?:u[0-9a-f]{0,3}|u\{[0-9a-f]{0,6})?)$/;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  const digits = code.toString(16);
  return SHORT.get(character) ?? (code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`);
}
