/** What `parity` prints (schemas/parity.schema.json). */

import { objectFrom, type JsonObject } from '../../../base/json.ts';
import type { ParityCell } from '../../../posthog/parity/parity.ts';
import { countParity, shownRows } from '../../parity-rows.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './version.ts';
import { defined } from '../../../base/optional.ts';

export function parityDocument(report: ReportOf<'parity'>): JsonObject {
  const { parity, source } = report;
  const { declared, undeclared } = countParity(parity);
  return {
    format_version: FORMAT_VERSION,
    source,
    projects: parity.projects,
    summary: { flags: parity.flags, cohorts: parity.cohorts, undeclared, declared },
    differences: shownRows(report).map((row) => ({
      key: row.key,
      path: row.path,
      declared: row.declared,
      ...defined({ others: row.others }),
      values: objectFrom(row.cells.map((cell, index) => [parity.projects[index] ?? '', cellDocument(cell)] as const)),
    })),
  };
}

function cellDocument(cell: ParityCell): JsonObject {
  return cell.kind === 'value' ? { state: 'value', value: cell.value } : { state: cell.kind };
}
