/** Where projects differ, as CSV: a line for each difference, with a column for each project. */

import { type JsonValue, objectFrom } from '../../../base/json.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import type { ParityCell } from '../../../posthog/parity/parity.ts';
import { shownRows } from '../../parity-rows.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { csvHeader, csvRecord, lineFor } from './records.ts';

export function parityCsv(report: ReportOf<'parity'>, view: View): string {
  const { projects } = report.parity;
  // A project may have the name of another column.
  const columns = projects.map((_, index) => `project ${index}`);
  const lines = shownRows(report).map(({ key, path, declared, cells }) =>
    csvRecord(
      {
        key,
        path,
        declared,
        ...objectFrom(cells.map((cell, index) => [columns[index] ?? '', cellValue(cell)] as const)),
      },
      ['key', 'path', 'declared', ...columns],
    ),
  );
  return [csvHeader(['key', 'path', 'declared', ...projects]), ...lines].map(lineFor(view)).join('');
}

/** A value as JSON; what is not a value, in brackets. */
function cellValue(cell: ParityCell): JsonValue {
  return cell.kind === 'value' ? stringifyJson(cell.value) : `(${cell.kind})`;
}
