/** The columns of a table or of CSV: the value of a record in each cell; the width that a reader sees, and the lines that fit into it. */

import { stringifyJson } from '../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** The value of a path such as `user.email`. The name of a member may contain dots: the longest name wins. */
export function columnValue(record: JsonObject, column: string): JsonValue | undefined {
  if (Object.hasOwn(record, column)) return record[column];
  for (let dot = column.lastIndexOf('.'); dot > 0; dot = column.lastIndexOf('.', dot - 1)) {
    const name = column.slice(0, dot);
    const member = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isJsonObject(member)) return columnValue(member, column.slice(dot + 1));
  }
  return undefined;
}

/** A string as it is, a list of plain values separated by commas, anything else as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonArray(value) && value.every((element) => !isJsonArray(element) && !isJsonObject(element))) {
    return value.map(cellText).join(', ');
  }
  return stringifyJson(value);
}

/** Characters of one column that never join with others: of ASCII, Latin, punctuation and arrows. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff]*$/;
const NO_WIDTH = /[\p{M}\u200c\u200d]/gu;
/** East Asian wide characters, emoji, flags, and characters with U+FE0F, which asks for an emoji, are two columns wide. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])|\ufe0f/u;

export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += widthOf(segment);
  return width;
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as one character. A segmenter takes a third of the time of `node -e 0` to make, and few runs need it. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function widthOf(segment: string): number {
  return WIDE.test(segment) ? 2 : Array.from(segment.replace(NO_WIDTH, '')).length;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Shortens to a width with an ellipsis, between characters as a reader sees them. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let kept = '';
  let used = 0;
  for (const { segment } of segmentsOf(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Only the palette of a view writes escape codes. */
const COLOR = /\p{Cc}\[\d+m/gu;

/** Stands for a space in what a reader copies, until the lines are wrapped. Text has no control character. */
const UNBROKEN = '\u0002';

export function unbroken(text: string): string {
  return text.replaceAll(' ', UNBROKEN);
}

/** Breaks lines at spaces. A command stays on one line, which may be too long: a terminal copies it whole. */
export function wrapText(text: string, width: number): string {
  const lines = text.split('\n').flatMap((line) => (shownWidth(line) <= width ? [line] : wrapLine(line, width)));
  return lines.join('\n').replaceAll(UNBROKEN, ' ');
}

/** In backticks, or after a colon; others are marked by `unbroken`. */
const COMMAND = /`[^`]*`|(?<=: )(?:git fetch|flagwright [a-z]+) .*$/g;

function wrapLine(line: string, width: number): string[] {
  const [, indent = '', rest = ''] = /^( *)(.*)$/s.exec(line) ?? [];
  const hanging = ' '.repeat(Math.min(hangOf(line.replace(COLOR, '')), Math.floor(width / 2)));
  const [first = '', ...words] = rest.replace(COMMAND, unbroken).split(/( +)/);
  const lines: string[] = [];
  let last = indent + first;
  for (let index = 0; index < words.length; index += 2) {
    const [space = '', word = ''] = [words[index], words[index + 1]];
    if (shownWidth(last + space + word) <= width) last += space + word;
    else {
      lines.push(last);
      last = hanging + word;
    }
  }
  return [...lines, last];
}

/** Below the text of a line that begins with a short word and two spaces (`warning  `), or with a sign (`→ `); otherwise two columns further. */
function hangOf(line: string): number {
  const head = /^ *(?:\S{1,10} {2,}|[^\p{L}\p{N}\s"'([{-] )(?=\S)/u.exec(line)?.[0];
  return head === undefined ? line.search(/\S/) + 2 : displayWidth(head);
}

function shownWidth(line: string): number {
  return displayWidth(line.replace(COLOR, '').replaceAll(UNBROKEN, ' '));
}
