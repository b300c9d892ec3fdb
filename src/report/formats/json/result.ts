/** What `apply` and `undo` print (schemas/result.schema.json): each change of the plan, flat, with its `outcome`. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ReportOf } from '../../report.ts';
import { changeDocument, fieldDocuments } from './change.ts';
import { FORMAT_VERSION } from './version.ts';

export function resultDocument({ result, run }: Pick<ReportOf<'result'>, 'result' | 'run'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    ...defined({ run }),
    project: { ...result.project },
    summary: { ...result.summary },
    outcomes: { ...result.outcomes },
    changes: result.changes.map(changeDocument),
    remainder: result.remainder.map((rest) => ({ ...rest })),
    ...(result.left === undefined
      ? {}
      : { left: result.left.map((one) => ({ ...one, fields: fieldDocuments(one.fields) })) }),
    verified: result.verified,
    requests: result.requests,
  };
}

/** The result of a run without changes, with the same members as any result. */
export function nothingDocument({ project }: Pick<ReportOf<'nothing'>, 'project'>): JsonObject {
  const summary = {
    create: 0,
    update: 0,
    delete: 0,
    restore: 0,
    grant: 0,
    adjust: 0,
    revoke: 0,
    unchanged: 0,
    unmanaged: 0,
  };
  const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  return resultDocument({
    result: { project, summary, outcomes, changes: [], remainder: [], verified: false, requests: 0 },
  });
}
