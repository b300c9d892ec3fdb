/** The colours of a report as functions that are passed in, so that nothing here knows a terminal. */

export type Paint = (text: string) => string;

export interface Palette {
  readonly add: Paint;
  readonly change: Paint;
  readonly remove: Paint;
  readonly strong: Paint;
  readonly dim: Paint;
  readonly warning: Paint;
  readonly error: Paint;
}

const same: Paint = (text) => text;

/** Without colours: files, pipes, `NO_COLOR`. */
export const PLAIN: Palette = {
  add: same,
  change: same,
  remove: same,
  strong: same,
  dim: same,
  warning: same,
  error: same,
};
