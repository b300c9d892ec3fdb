/** Renders a report that is not a list of records. */

import { render, type Format } from '../../src/report/formats/render.ts';
import type { Report } from '../../src/report/report.ts';
import { VIEW } from './samples.ts';

export async function renderWhole(report: Report, format: Format, view = VIEW): Promise<string> {
  const rendered = await render(report, format, view);
  if (typeof rendered !== 'string') throw new Error('It is rendered in parts.');
  return rendered;
}
