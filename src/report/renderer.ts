/** The shape of a format: a function for each kind of report, and the last step that makes text harmless. */

import type { JsonObject } from '../base/json.ts';
import type { ReportKind, ReportOf } from './report.ts';
import type { View } from './view.ts';

export interface Renderer {
  /** A row for every kind of report; `NO_FORM` where the format cannot show it. */
  readonly forms: { readonly [Kind in ReportKind]: Form<Kind> | typeof NO_FORM };
  /** Applied last to every text of the format: removes the characters that a reading program would obey. */
  readonly seal: (text: string) => string;
}

export const NO_FORM = undefined;

type ResourceKind = 'records' | 'record' | 'done';

/** The rows of a format that shows only the answers of commands on resources. */
export const NO_DOCUMENTS: { readonly [Kind in Exclude<ReportKind, ResourceKind>]: typeof NO_FORM } = {
  plan: NO_FORM,
  drift: NO_FORM,
  result: NO_FORM,
  nothing: NO_FORM,
  undo: NO_FORM,
  resuming: NO_FORM,
  run: NO_FORM,
  history: NO_FORM,
  validation: NO_FORM,
  test: NO_FORM,
  files: NO_FORM,
  export: NO_FORM,
  parity: NO_FORM,
  promote: NO_FORM,
  explain: NO_FORM,
  accept: NO_FORM,
  service: NO_FORM,
  script: NO_FORM,
  warnings: NO_FORM,
  diagnostics: NO_FORM,
  failure: NO_FORM,
};

export type Form<Kind extends ReportKind> = (report: ReportOf<Kind>, view: View) => Rendered | Promise<Rendered>;

/** A whole document, or one that is written while its records are read. */
export type Rendered = string | RecordStream;

export interface RecordStream {
  readonly head: string;
  readonly records: AsyncIterable<JsonObject>;
  /** The text of one record with its line break. */
  readonly line: (record: JsonObject) => string;
}
