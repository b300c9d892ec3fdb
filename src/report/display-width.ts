/** The columns that text takes in a terminal, counted by what a reader sees as one character. */

const ASCII = /^[\x20-\x7e]*$/;
const NO_WIDTH = /[\p{M}\u200c\u200d]/gu;
/**
 * East Asian wide characters, emoji, flags, and characters with U+FE0F, which asks for an emoji, are two columns wide.
 */
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])|\ufe0f/u;

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += widthOf(segment);
  return width;
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
  let kept = '';
  let used = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
