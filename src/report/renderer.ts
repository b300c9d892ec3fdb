/** What a format is: a function for each kind of report, and what makes finished text harmless where it is shown. */

import type { JsonObject } from '../base/json.ts';
import type { ReportKind, ReportOf } from './report.ts';
import type { View } from './view.ts';

export interface Renderer {
  /** Has a row for every kind of report; `NO_FORM` says that the format cannot show it. */
  readonly forms: { readonly [Kind in ReportKind]: Form<Kind> | typeof NO_FORM };
  /** The last step for every text of the format: no character that the reader's program would obey gets through. */
  readonly seal: (text: string) => string;
}

export const NO_FORM = undefined;

export type Form<Kind extends ReportKind> = (report: ReportOf<Kind>, view: View) => Rendered | Promise<Rendered>;

/** The whole document, or one that is written while it is read. */
export type Rendered = string | RecordStream;

export interface RecordStream {
  readonly head: string;
  readonly records: AsyncIterable<JsonObject>;
  /** The text of one record with its line break. */
  readonly line: (record: JsonObject) => string;
}
