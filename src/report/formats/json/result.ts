/**
 * The JSON of `apply`, `undo` and `history` (schemas/result.schema.json, schemas/history.schema.json): each change, flat, with its
 * `outcome`.
 */

import { sumUp } from '../../../engine/seal-plan.ts';
import type { ResourceId } from '../../../engine/snapshot.ts';
import type {
  ApplyResult,
  ChangeResult,
  Outcome,
  WrittenParts,
  PendingRequest,
  SkipReason,
} from '../../../apply/result.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../../base/json.ts';
import type { Released } from '../../../engine/base.ts';
import type { Attributions } from '../../../posthog/authors/attribution.ts';
import { formatAttributions } from '../../../posthog/planning/plan-document.ts';
import type { PlanSummary, FieldChange } from '../../../posthog/plan.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './seal.ts';
import { kindFor, KINDS } from '../../../posthog/kinds.ts';
import { labelsOf, RESOURCES } from '../../words/kinds.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  stateOf,
  type RecordedChange,
  type RecordedRun,
} from '../../run-record.ts';
import { defined } from '../../../base/optional.ts';

export function resultDocument({
  result,
  run,
  attributions,
}: Pick<ReportOf<'result'>, 'result' | 'run' | 'attributions'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    ...defined({ run, undoes: result.undoes }),
    ...defined({ off: result.off as JsonObject | undefined }),
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
    ...defined({ not_known: result.notKnown?.map(({ key, why }) => ({ key, why })) }),
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

/** The result of a run without changes, with the same members as any result. */
export function nothingDocument({ project }: Pick<ReportOf<'nothing'>, 'project'>): JsonObject {
  const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };
  const summary: PlanSummary = sumUp({ changes: [], families: [], unmanaged: { count: 0 } }, KINDS);
  return resultDocument({
    result: { project, summary, outcomes, changes: [], remainder: [], verified: false, requests: 0 },
  });
}

function changeDocument({ change, result }: ChangeResult): JsonObject {
  return { ...(change as unknown as JsonObject), ...outcomeDocument(change, result) };
}

export function fieldDocuments(fields: readonly FieldChange[]): JsonValue[] {
  return fields.map((field) => ({ ...field }) as unknown as JsonValue);
}

function outcomeDocument(change: ChangeResult['change'], result: Outcome): JsonObject {
  switch (result.outcome) {
    case 'applied':
      return {
        outcome: 'applied',
        ...appliedId(change, result.id),
        ...(result.already === true ? { already: true } : {}),
      };
    case 'pending':
      return {
        outcome: 'pending',
        error: { ...result.error },
        ...requestDocument(result.request),
        ...partsDocument(result),
      };
    case 'failed':
    case 'unknown':
      return { outcome: result.outcome, error: { ...result.error }, ...partsDocument(result) };
    case 'skipped':
      return { outcome: 'skipped', skipped: skipDocument(result.reason), ...partsDocument(result) };
  }
}

function requestDocument(request: PendingRequest | undefined): JsonObject {
  if (request === undefined) return {};
  const { id, url, action, key, wasOpen, asks } = request;
  return { change_request: { id, ...defined({ url, action, key }), was_open: wasOpen, ...defined({ asks }) } };
}

function partsDocument({ parts }: { readonly parts?: WrittenParts }): JsonObject {
  return parts === undefined ? {} : { parts: { ...parts } as unknown as JsonObject };
}

/** `id` is always the id of the flag. A service of 2023 answers a grant with the id of its entry. */
function appliedId(change: ChangeResult['change'], id: ResourceId | undefined): JsonObject {
  const member = labelsOf(change).answeredId(change);
  return id === undefined || member === undefined ? {} : { [member]: id };
}

function skipDocument(reason: SkipReason): JsonObject {
  const { code } = reason;
  switch (code) {
    case 'interrupted':
    case 'deadline':
    case 'not_recorded':
      return { code };
    case 'key_refused':
      return { code, ref: reason.ref };
    case 'needs_failed':
      return { code, refs: [...reason.refs] };
    case 'stale':
      return { code, moved: fieldDocuments(reason.moved) };
  }
}

export function historyDocument({
  history: { folder, runs, unreadable, more },
}: Pick<ReportOf<'history'>, 'history'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    journal: folder,
    runs: runs.map(runSummary),
    unreadable: unreadable.map(({ name, problem: { code, message } }) => ({ run: name, code, message })),
    more,
  };
}

export function runDocument({ run }: Pick<ReportOf<'run'>, 'run'>): JsonObject {
  return { format_version: FORMAT_VERSION, ...runSummary(run), changes: run.changes.map(recordedDocument) };
}

function runSummary(run: RecordedRun): JsonObject {
  return {
    run: run.name,
    started_at: run.startedAt,
    ...defined({ ended_at: run.endedAt }),
    project: { ...run.project },
    state: stateOf(run),
    undoable: isUndoable(run),
    ...defined({ follows: run.follows && [...run.follows], undoes: run.undoes, commit: run.commit }),
    ...defined({ off: run.off as JsonObject | undefined }),
    ...(run.actor === undefined ? {} : { actor: { ...run.actor } }),
    outcomes: outcomeCounts(
      countRecorded(run),
      run.changes.map((recorded) => ({ resource: recorded.change.resource, outcome: outcomeOf(recorded) })),
    ),
  };
}

function recordedDocument(recorded: RecordedChange): JsonObject {
  if (!('open' in recorded)) return changeDocument(recorded);
  return { ...(recorded.change as unknown as JsonObject), outcome: recorded.open };
}

/** `all`: a count for every outcome that the document can have. `changes`: those that are counted. */
function outcomeCounts<Outcome extends string>(
  all: Readonly<Record<Outcome, number>>,
  changes: readonly { readonly resource: string; readonly outcome: Outcome }[],
): JsonObject {
  const outcomes = Object.keys(all) as Outcome[];
  const rows = RESOURCES.flatMap((name) => {
    const own = changes.filter(({ resource }) => resource === name);
    const isCounted = own.length > 0 || kindFor({ resource: name }).countedIfAny !== true;
    return isCounted ? [[name, countEach(outcomes, own)] as const] : [];
  });
  return { ...all, kinds: Object.fromEntries(rows) };
}

function countEach<Outcome extends string>(
  outcomes: readonly Outcome[],
  changes: readonly { readonly outcome: Outcome }[],
): JsonObject {
  return Object.fromEntries(outcomes.map((one) => [one, changes.filter(({ outcome }) => outcome === one).length]));
}
