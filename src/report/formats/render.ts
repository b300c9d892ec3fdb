/** A report in a format. A new format is a file in `formats/` and a row here. */

import { FlagwrightError } from '../../base/errors.ts';
import { CSV } from './csv.ts';
import { GITHUB } from './github.ts';
import { GITLAB } from './gitlab.ts';
import { HTML } from './html.ts';
import { JSON_DOCUMENT } from './json.ts';
import { JSON_LINES } from './jsonl.ts';
import { JUNIT } from './junit.ts';
import { MARKDOWN } from './markdown.ts';
import { SARIF } from './sarif.ts';
import { TABLE } from './table.ts';
import { TEXT } from './text.ts';
import { OPENFEATURE } from './openfeature.ts';
import type { ReportForm, Rendered, Renderer } from '../renderer.ts';
import type { Report, ReportKind } from '../report.ts';
import type { View } from '../view.ts';

export type Format =
  | 'text'
  | 'json'
  | 'table'
  | 'jsonl'
  | 'csv'
  | 'markdown'
  | 'html'
  | 'github'
  | 'gitlab'
  | 'sarif'
  | 'junit'
  | 'openfeature';

/** A form loads its module when it renders a report. */
export const RENDERERS: Readonly<Record<Format, Renderer>> = {
  text: TEXT,
  json: JSON_DOCUMENT,
  table: TABLE,
  jsonl: JSON_LINES,
  csv: CSV,
  markdown: MARKDOWN,
  html: HTML,
  github: GITHUB,
  gitlab: GITLAB,
  sarif: SARIF,
  junit: JUNIT,
  openfeature: OPENFEATURE,
};

export const FORMATS = Object.keys(RENDERERS) as readonly Format[];

/** The caller applies the `seal` of the format to the text. */
export async function render(report: Report, format: Format, view: View): Promise<Rendered> {
  const form = RENDERERS[format].forms[report.kind] as ReportForm<ReportKind> | undefined;
  if (form === undefined) {
    throw new FlagwrightError('usage', `--format ${format} cannot show this report.`, {
      remedy: `Choose ${formatsOf([report.kind]).join(' or ')}.`,
    });
  }
  return form(report, view);
}

/** The text of a report for people, even if the document has another format. */
export async function renderText(report: Report, view: View): Promise<string> {
  const rendered = await render(report, 'text', view);
  if (typeof rendered !== 'string') throw new FlagwrightError('internal', 'Text is rendered as a whole.');
  return rendered;
}

/** The formats that can show each of these kinds. */
export function formatsOf(kinds: readonly ReportKind[]): readonly Format[] {
  return FORMATS.filter((format) => kinds.every((kind) => RENDERERS[format].forms[kind] !== undefined));
}
