/** What `apply` and `undo` print (schemas/result.schema.json): each change of the plan, flat, with its `outcome`. */

import type { ApplyResult } from '../../../apply/result.ts';
import type { JsonArray, JsonObject } from '../../../base/json.ts';
import type { Released } from '../../../engine/base.ts';
import type { Attributions } from '../../../posthog/attribution.ts';
import { formatAttributions } from '../../../posthog/attribution-document.ts';
import type { PlanSummary } from '../../../posthog/plan.ts';
import type { ReportOf } from '../../report.ts';
import { changeDocument, fieldDocuments } from './change.ts';
import { outcomeCounts } from './outcome-counts.ts';
import { FORMAT_VERSION } from './version.ts';
import { defined } from '../../../base/optional.ts';

export function resultDocument({
  result,
  run,
  attributions,
}: Pick<ReportOf<'result'>, 'result' | 'run' | 'attributions'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    ...defined({ run, undoes: result.undoes }),
    project: { ...result.project },
    summary: result.summary as unknown as JsonObject,
    outcomes: outcomeCounts(
      result.outcomes,
      result.changes.map(({ change: { resource }, result: { outcome } }) => ({ resource, outcome })),
    ),
    changes: result.changes.map(changeDocument),
    remainder: result.remainder.map((rest) => ({ ...rest })),
    ...(result.left === undefined
      ? {}
      : { left: result.left.map((one) => ({ ...one, fields: fieldDocuments(one.fields) })) }),
    ...(result.left === undefined || attributions === undefined
      ? {}
      : { attributions: leftAttributions(result, attributions) }),
    ...(result.leftOut === undefined ? {} : { left_out: result.leftOut.map((one) => ({ ...one })) }),
    ...(result.released === undefined ? {} : { released: result.released.map(releasedDocument) }),
    verified: result.verified,
    requests: result.requests,
  };
}

function leftAttributions({ project, left = [] }: ApplyResult, attributions: Attributions): JsonArray {
  const refs = new Set(left.map(({ ref }) => ref));
  const own = new Map([...attributions].filter(([ref]) => refs.has(ref)));
  return formatAttributions(own, { project, changes: [], left });
}

function releasedDocument({ key, place }: Released): JsonObject {
  return { key, ...(place === undefined ? {} : { place: { ...place } }) };
}

const NO_CHANGES = { create: 0, update: 0, delete: 0, restore: 0 };
const NO_ACCESS = { grant: 0, adjust: 0, revoke: 0 };

const EMPTY_SUMMARY: PlanSummary = {
  ...NO_CHANGES,
  ...NO_ACCESS,
  unchanged: 0,
  unmanaged: 0,
  kinds: { flag: { ...NO_CHANGES, unchanged: 0 }, role_access: NO_ACCESS, cohort: { ...NO_CHANGES, unchanged: 0 } },
};

/** The result of a run without changes, with the same members as any result. */
export function nothingDocument({ project }: Pick<ReportOf<'nothing'>, 'project'>): JsonObject {
  const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  return resultDocument({
    result: { project, summary: EMPTY_SUMMARY, outcomes, changes: [], remainder: [], verified: false, requests: 0 },
  });
}
