/** The columns that text takes in a terminal, counted by what a reader sees as one character. */

/** Characters of one column that never join with others: of ASCII, Latin, punctuation and arrows. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff]*$/;
const NO_WIDTH = /[\p{M}\u200c\u200d]/gu;
/**
 * East Asian wide characters, emoji, flags, and characters with U+FE0F, which asks for an emoji, are two columns wide.
 */
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

/** Fills up to a width with spaces. */
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
