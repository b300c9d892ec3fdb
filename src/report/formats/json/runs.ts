/** The JSON of `plan` and `drift` (schemas/plan.schema.json), of `apply`, `undo` and `history` (schemas/result, undo and history). */

import type {
  ApplyResult,
  ChangeResult,
  Outcome,
  PendingRequest,
  SkipReason,
  WrittenParts,
} from '../../../apply/result.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ResourceEffects } from '../../../effects/effect.ts';
import { findDriftEffects, findEffects } from '../../../effects/find-effects.ts';
import type { Released } from '../../../engine/base.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import { sumUp } from '../../../engine/seal-plan.ts';
import type { ResourceId } from '../../../engine/snapshot.ts';
import type { ChangedAnswers, LiveAnswer } from '../../../expectations/changed-answers.ts';
import type { Audience, FlagImpact, Impact } from '../../../impact/impact.ts';
import type { ScheduledFacts } from '../../../impact/scheduled.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import type { Attributions } from '../../../posthog/authors/attribution.ts';
import { kindFor, KINDS } from '../../../posthog/kinds.ts';
import type { PlanSummary } from '../../../posthog/plan.ts';
import { groupDrift } from '../../../posthog/planning/drift-groups.ts';
import { formatAttributions, planDocument } from '../../../posthog/planning/plan-document.ts';
import type { StepAhead } from '../../../posthog/planning/steps-ahead.ts';
import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  type RecordedChange,
  type RecordedRun,
  stateOf,
} from '../../run-record.ts';
import { changedAnswerText } from '../../words/answers.ts';
import { approvalText } from '../../words/authors.ts';
import { effectText, impactFacts } from '../../words/effects.ts';
import { labelsOf, RESOURCES } from '../../words/kinds.ts';
import { brokenRuleDocuments, fieldDocuments, policyMember, refusedDocument } from './findings.ts';
import { FORMAT_VERSION } from './seal.ts';

export function planReportDocument(report: ReportOf<'plan' | 'drift'>): JsonObject {
  const { plan, attributions } = report;
  if (report.kind === 'drift') {
    const document = planDocument(plan, defined({ attributions }));
    return {
      ...document,
      live_effects: findDriftEffects(plan).map(effectsDocument),
      ...driftMember(report),
      ...(report.edits === undefined || report.edits.length === 0
        ? {}
        : { unmanaged_edits: report.edits.map((edit) => ({ ...edit })) }),
      ...approvalsMember(report.requests),
      ...scheduledMember(report.scheduled),
    };
  }
  const { forecast, against } = report;
  const document = planDocument(plan, defined({ forecast, attributions, against }));
  return {
    ...document,
    ...defined({ at: report.at }),
    effects: findEffects(plan).map(effectsDocument),
    ...stepsMember(report.steps),
    ...(report.soon === undefined ? {} : { steps_soon: report.soon.map((step) => ({ ...step })) }),
    ...policyMember(report.judgement),
    broken_rules: brokenRuleDocuments(brokenRules({ ...plan, findings: report.judgement?.findings ?? [] })),
    ...(report.named === undefined ? {} : { named_people: namedDocument(report.named) }),
    ...(report.impact === undefined ? {} : { impact: impactMember(report.impact) }),
    ...approvalsMember(report.requests),
    ...scheduledMember(report.scheduled),
    ...(report.readers === undefined ? {} : { readers: { ...report.readers } as unknown as JsonObject }),
  };
}

function stepsMember(steps: readonly StepAhead[] = []): JsonObject {
  if (steps.length === 0) return {};
  return {
    steps_ahead: steps.map(({ at, jump_since, plan }) => ({
      at,
      ...defined({ jump_since }),
      keys: [...new Set(plan.changes.map(({ key }) => key))],
      effects: findEffects(plan).map(effectsDocument),
    })),
  };
}

/** Covers only changes by people. */
function driftMember({ plan, groups }: ReportOf<'drift'>): JsonObject {
  if (plan.base?.kind !== 'commit') return {};
  const { drifted: changes } = groups ?? groupDrift(plan);
  return { drift_effects: findDriftEffects({ changes, warnings: plan.warnings }).map(effectsDocument) };
}

function approvalsMember(requests: readonly KnownRequest[] = []): JsonObject {
  if (requests.length === 0) return {};
  return { approvals: requests.map(approvalDocument) };
}

export function scheduledMember(scheduled: ScheduledFacts | undefined): JsonObject {
  if (scheduled === undefined) return {};
  const changes = scheduled.changes.map(({ effects, impact, ...facts }) => ({
    ...facts,
    ...(effects && { effects: effects.map((effect) => ({ classes: effect.classes, text: effectText(effect) })) }),
    ...(impact && { impact: impact.map(greatestImpact) }),
  }));
  return { scheduled: { ...scheduled, changes } as unknown as JsonObject };
}

function greatestImpact(found: FlagImpact): JsonObject {
  const { key, estimate } = found;
  const up_to = estimate.kind === 'audiences' ? greatestShares(estimate.audiences) : undefined;
  return { key, ...defined({ up_to }), text: impactFacts(found) };
}

function greatestShares(audiences: readonly Audience[]): JsonObject {
  const names = ['turnsOn', 'turnsOff', 'changesVariant', 'changesPayload'] as const;
  return Object.fromEntries(names.map((name) => [name, Math.max(0, ...audiences.map(({ shares }) => shares[name]))]));
}

function approvalDocument(request: KnownRequest): JsonObject {
  const { ref, key, id, url, action, standing } = request;
  const { kind: state, ...others } = standing;
  const change_request = { id, ...defined({ url, action }) };
  return { ref, key, change_request, state, ...others, text: approvalText(request, quoteShort) };
}

function namedDocument({ people, changed, total, answers }: ChangedAnswers): JsonObject {
  return {
    people,
    changed,
    answers_changed: total,
    answers: answers.map((one) => {
      const { person, flag, before, after, payloadChanges } = one;
      return {
        person,
        flag,
        before: answerDocument(before),
        after: answerDocument(after),
        payload_changes: payloadChanges,
        text: changedAnswerText(one),
      };
    }),
  };
}

function answerDocument(given: LiveAnswer): JsonObject {
  if (given.kind === 'undecided') return { undecided: given.why };
  const { value, reason, condition } = given.answer;
  return { value, reason, ...defined({ condition: condition && { ...condition } }) };
}

function impactMember({ flags, steps, ...read }: Impact): JsonObject {
  const ofSteps = steps?.map(({ flags: counted, ...step }) => ({ ...step, flags: counted.map(impactDocument) }));
  return { flags: flags.map(impactDocument), ...defined({ steps: ofSteps }), ...(read as unknown as JsonObject) };
}

function impactDocument(found: FlagImpact): JsonObject {
  return {
    ...(found as unknown as JsonObject),
    text: impactFacts(found),
  };
}

function effectsDocument({ effects, ...found }: ResourceEffects): JsonObject {
  const documents = effects.map((effect) => ({ ...effect, text: effectText(effect) }));
  return { ...found, effects: documents as unknown as JsonValue };
}

export function undoDocument({ run, plan, forecast, refused }: ReportOf<'undo'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    run,
    plan: planDocument(plan, defined({ forecast })),
    refused: refused.map(refusedDocument),
    effects: findEffects(plan).map(effectsDocument),
    broken_rules: brokenRuleDocuments(brokenRules(plan)),
  };
}

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
