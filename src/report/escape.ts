/** Text that somebody else chose (a manifest, the service) made harmless for a terminal: what is invisible becomes visible. */

// Controls, marks that reorder or hide text on a screen (format), lone surrogates, line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line: line breaks and tabs are shown as escapes too. */
export function escapeLine(text: string): string {
  return disarmLog(text.replace(UNSAFE, escapeCharacter));
}

/** A line that stands alone. */
export function escapeWholeLine(text: string): string {
  return disarmLines(escapeLine(text));
}

/**
 * A whole document without commands to build logs: those of GitHub run what a line begins with after `::`, and those of
 * GitHub and Azure `##[…]` and `##vso[…]` anywhere. In JSON the same text means the same.
 */
export function disarmLines(text: string): string {
  return disarmLog(text).replace(/^([^\S\r\n]*)::/gm, '$1:\\u003a');
}

function disarmLog(text: string): string {
  return text.replace(/##(?=\[|vso\[)/gi, '#\\u0023');
}

/** Cut to `limit` characters with an ellipsis, then escaped: for sentences that quote a value. */
export function quoteShort(text: string, limit = 80): string {
  const characters = Array.from(text);
  return escapeLine(characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`);
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default:
      return unicodeEscape(character.codePointAt(0) ?? 0);
  }
}

function unicodeEscape(code: number): string {
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}
