/** The shape of a format: a function for each kind of report that it shows, and a last step that makes text harmless. */

import type { JsonObject } from '../base/json.ts';
import type { ReportKind, ReportOf } from './report.ts';
import type { View } from './view.ts';

export interface Renderer {
  /** A kind without a row cannot be shown. */
  readonly forms: { readonly [Kind in ReportKind]?: ReportForm<Kind> };
  /** Removes, as the last step, the characters that a program which reads the text would obey. */
  readonly seal: (text: string) => string;
}

export type ReportForm<Kind extends ReportKind> = (report: ReportOf<Kind>, view: View) => Rendered | Promise<Rendered>;

/** A whole document, or one that is written while its records are read. */
export type Rendered = string | RecordStream;

export interface RecordStream {
  readonly head: string;
  readonly records: AsyncIterable<JsonObject>;
  /** The text of one record with its line break. */
  readonly line: (record: JsonObject) => string;
}
