/** The JSON of `explain`, `parity` and `rehearse` (schemas/explain.schema.json, schemas/parity.schema.json, schemas/rehearsal.schema.json). */

import { type JsonObject, objectFrom } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { pageUrl, readName } from '../../../posthog/names/resource-name.ts';
import { countParity, shownRows } from '../../report-facts.ts';
import type { ReportOf } from '../../report.ts';
import { scheduledMember } from './runs.ts';
import { FORMAT_VERSION } from './seal.ts';

export function explainDocument({ project, key, values, live, history, scheduled }: ReportOf<'explain'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project: { ...project },
    key,
    live: { ...live },
    history: { ...history },
    ...defined({
      url: live.kind === 'read' ? pageUrl(project, { resource: readName(key).kind, id: live.id }) : undefined,
    }),
    values: values.map((value) => ({ ...value }) as unknown as JsonObject),
    ...scheduledMember(scheduled),
  };
}

export function parityDocument(report: ReportOf<'parity'>): JsonObject {
  const { parity, source } = report;
  const { declared, undeclared } = countParity(parity);
  return {
    format_version: FORMAT_VERSION,
    source,
    projects: parity.projects,
    summary: {
      flags: parity.flags,
      cohorts: parity.cohorts,
      ...(parity.early_access === 0 ? {} : { early_access: parity.early_access }),
      undeclared,
      declared,
    },
    differences: shownRows(report).map((row) => ({
      key: row.key,
      path: row.path,
      declared: row.declared,
      ...defined({ others: row.others }),
      values: objectFrom(
        row.cells.map((cell, index) => [
          parity.projects[index] ?? '',
          cell.kind === 'value' ? { state: 'value', value: cell.value } : { state: cell.kind },
        ]),
      ),
    })),
  };
}

export function rehearsalDocument({ project, moments, isRefused }: ReportOf<'rehearsal'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    project,
    moments: moments.map(({ share, ...moment }) => ({ ...moment, on_percent: { ...share } })),
    refused: isRefused,
  };
}
