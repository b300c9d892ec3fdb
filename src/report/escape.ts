/** Text that somebody else chose (a manifest, the service) made harmless for a terminal: what is invisible becomes visible. */

// Controls, marks that reorder or hide text on a screen (format), lone surrogates, line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line: line breaks and tabs are shown as escapes too. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, escapeCharacter).replaceAll('##[', '#\\u0023[');
}

/** A line that stands alone. Build logs of GitHub and Azure run what begins with `::`, and `##[` anywhere. */
export function escapeWholeLine(text: string): string {
  return escapeLine(text).replace(/^(\s*)::/, '$1:\\u003a');
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
      return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  }
}
