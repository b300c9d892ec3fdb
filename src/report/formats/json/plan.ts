/** The JSON of `plan` and `drift` (schemas/plan.schema.json), and of `undo --out` (schemas/undo.schema.json). */

import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import type { ResourceEffects } from '../../../effects/effect.ts';
import { findDriftEffects, findEffects } from '../../../effects/find-effects.ts';
import type { ChangedAnswers, LiveAnswer } from '../../../expectations/changed-answers.ts';
import type { Audience, FlagImpact, Impact } from '../../../impact/impact.ts';
import type { ScheduledFacts } from '../../../impact/scheduled.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { groupDrift } from '../../../posthog/planning/drift-groups.ts';
import { planDocument } from '../../../posthog/planning/plan-document.ts';
import type { StepAhead } from '../../../posthog/planning/steps-ahead.ts';
import type { ReportOf } from '../../report.ts';
import { quoteShort } from '../../escape.ts';
import { brokenRuleDocuments, refusedDocument, policyMember } from './findings.ts';
import { approvalText } from '../../words/authors.ts';
import { changedAnswerText } from '../../words/answers.ts';
import { impactFacts } from '../../words/impact.ts';
import { effectText } from '../../words/effects.ts';
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
