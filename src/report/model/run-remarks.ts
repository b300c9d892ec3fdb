/** The remarks of plans, results, checks and failures. */

import type { ChangeResult, Outcome } from '../../apply/result.ts';
import { maskKeys } from '../../base/api-key.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import { defined, ifGiven } from '../../base/optional.ts';
import { type Effect, EFFECT_CLASSES, type EffectClass, type ResourceEffects } from '../../effects/effect.ts';
import { findEffects } from '../../effects/find-effects.ts';
import type { KnownRequest } from '../../engine/change-request.ts';
import type { Impact } from '../../impact/impact.ts';
import { sourceOf } from '../../policy/basis/policy-kind.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import type { Readers } from '../../references/losses.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { changedByOthers } from '../report-facts.ts';
import type { ReportOf } from '../report.ts';
import { unmet, unmetText } from '../words/answers.ts';
import { approvalText } from '../words/authors.ts';
import { describe } from '../words/diagnostics.ts';
import { classesText, effectText, impactFacts, impactSentence, LOSSES, throughText } from '../words/effects.ts';
import { labelsOf, labelsOfRef } from '../words/kinds.ts';
import { NOT_VERIFIED, outcomeErrorText, outcomeNotes, remainderText, remedyOf, skipText } from '../words/outcomes.ts';
import { readLossText, unsearchedText } from '../words/references.ts';
import { DUE_BY_ROLLOUT } from '../words/rollouts.ts';
import {
  againstRemark,
  findingRemark,
  hazardRemark,
  judgementRemarks,
  refusedRemark,
  type Remark,
  type RemarkImpact,
  type RemarkLevel,
  sentenceOf,
  timeRemark,
  warningOf,
  warningRemarks,
} from './remark.ts';

export function planRemarks(report: Omit<ReportOf<'plan'>, 'kind'>): Remark[] {
  const { plan, judgement, impact, requests, readers, against, at, scheduled } = report;
  const { hazards, overridden = [], changes, project } = plan;
  const around = { project: project.name, changes };
  return [
    ...hazards.map((hazard) => hazardRemark(hazard, around)),
    ...overridden.map((hazard) => hazardRemark(hazard, around, true)),
    ...ifGiven(judgement, judgementRemarks),
    ...effectRemarks(plan, impact),
    ...ifGiven(impact, (found) => throughRemarks(plan, found)),
    ...warningRemarks(plan, scheduled),
    ...ifGiven(against, againstRemark),
    ...ifGiven(at, timeRemark),
    ...approvalRemarks(changes, requests),
    ...ifGiven(readers, (found) => readerRemarks(plan, found)),
  ];
}

/** A rule that the plan breaks says it already. */
function readerRemarks({ changes, hazards, overridden = [] }: Plan, readers: Readers): Remark[] {
  const places = new Map(changes.map(({ ref, source }) => [ref, source]));
  const told = new Set([...hazards, ...overridden].flatMap((one) => (one.code === 'read_by_code' ? one.ref : [])));
  const flags = readers.flags.filter(({ ref }) => !told.has(ref));
  const rest = unsearchedText(readers);
  return [
    ...flags.flatMap((flag): Remark[] => {
      const text = readLossText(flag);
      if (text === undefined) return [];
      const { key: name, ref, verdict } = flag;
      const level = verdict === 'read' ? 'warning' : 'note';
      const place = defined({ place: places.get(ref) });
      const sentence = sentenceOf(name, (quote) => `${quote(name)}: ${text}.`);
      return [{ family: 'warning', rule: 'readers', level, ...sentence, name, ...place }];
    }),
    ...(rest === undefined ? [] : [warningOf({ rule: 'code_not_searched', text: `${rest}.` })]),
  ];
}

/** The place is the line that declares the flag. */
export function approvalRemarks(changes: Plan['changes'], requests: readonly KnownRequest[] = []): Remark[] {
  const places = new Map(changes.map(({ ref, source }) => [ref, source]));
  return requests.map((request) => ({
    family: 'warning',
    rule: `approval_${request.standing.kind}`,
    level: 'note',
    ...sentenceOf(request.key, (quote) => `${quote(request.key)}: ${approvalText(request, quote)}.`),
    name: request.key,
    ...defined({ place: places.get(request.ref) }),
  }));
}

export function undoRemarks({ plan, refused }: ReportOf<'undo'>): Remark[] {
  return [...refused.map(refusedRemark), ...planRemarks({ plan })];
}

/** The riskiest class first, so that a reader of a part of them sees what matters. */
function effectRemarks(plan: Plan, impact: Impact | undefined): Remark[] {
  const byRef = new Map(plan.changes.map((change) => [change.ref, change]));
  const found = findEffects(plan).flatMap((resource) => {
    const changes = resource.refs.flatMap((ref) => byRef.get(ref) ?? []);
    const isDue = changes.every((change) => isDueByPlan(change, plan));
    const ranked = resource.effects.map((effect) => ({
      rank: EFFECT_CLASSES.indexOf(riskiest(effect.classes)),
      remark: effectRemark(effect, resource, { changes, isDue }),
    }));
    const [first, ...others] = ranked.toSorted(byRank);
    if (first === undefined) return [];
    return [{ ...first, remark: { ...first.remark, ...defined({ impact: impactOf(resource, impact) }) } }, ...others];
  });
  return found.toSorted(byRank).map(({ remark }) => remark);
}

/** Flags that change only because others do, where their declaration is. */
function throughRemarks(plan: Plan, impact: Impact): Remark[] {
  return changedByOthers(findEffects(plan), impact).flatMap((flag): Remark[] => {
    const sentence = impactSentence(flag);
    if (sentence === undefined) return [];
    return [
      {
        family: 'effect',
        rule: 'through',
        level: 'note',
        text: `${quoteShort(flag.key)}: ${throughText(flag)}.`,
        impact: { sentence, lines: impactFacts(flag) },
        name: flag.key,
        ...defined({ place: flag.source }),
      },
    ];
  });
}

function byRank(a: { readonly rank: number }, b: { readonly rank: number }): number {
  return a.rank - b.rank;
}

/** Joins all effects on the flag, so the riskiest remark has it. */
function impactOf({ resource, key }: ResourceEffects, impact: Impact | undefined): RemarkImpact | undefined {
  const own = resource === 'flag' ? impact?.flags.find((flag) => flag.key === key) : undefined;
  const sentence = own && impactSentence(own);
  return own === undefined || sentence === undefined ? undefined : { sentence, lines: impactFacts(own) };
}

/** An effect has at least one class, the riskiest first. */
function riskiest(classes: readonly EffectClass[]): EffectClass {
  return EFFECT_CLASSES.find((name) => classes.includes(name)) ?? 'opaque';
}

function effectRemark(
  effect: Effect,
  { key, dormant }: ResourceEffects,
  { changes, isDue }: { readonly changes: readonly Change[]; readonly isDue: boolean },
): Remark {
  const rule = riskiest(effect.classes);
  const qualifier = changes[0] === undefined ? '' : labelsOf(changes[0]).qualifier;
  const muted = dormant === true ? ' The flag is disabled, so nobody is affected yet.' : '';
  // The line of the value that changes, or else that of the resource.
  const pointer = pointerOf(effect);
  const { place } = pointer === undefined ? {} : sourceOf({ changes }, pointer);
  return {
    family: 'effect',
    rule,
    level: dormant !== true && LOSSES.has(rule) ? 'warning' : 'note',
    text: `${quoteShort(key)}${qualifier}: ${classesText(effect.classes)}: ${effectText(effect)}${isDue ? `, ${DUE_BY_ROLLOUT}` : ''}.${muted}`,
    name: key,
    ...defined({ place: place ?? changes.find(({ source }) => source !== undefined)?.source }),
  };
}

function pointerOf(effect: Effect): string | undefined {
  switch (effect.what) {
    case 'switched':
      return '/active';
    case 'renamed':
      return '/key';
    case 'variants':
      return '/filters/multivariate';
    case 'payload':
      return '/filters/payloads';
    case 'unknown':
      return effect.path;
    case 'metadata':
      return `/${effect.field}`;
    case 'rollout':
    case 'audience':
    case 'condition_rewritten':
    case 'condition_added':
    case 'condition_moved':
    case 'condition_variant':
    case 'condition_description':
      return `/filters/groups/${effect.condition.number - 1}`;
    // No manifest has the removed condition any longer.
    case 'condition_removed':
    case 'bucketing':
    case 'setting':
      return '/filters';
    case 'created':
    case 'restored':
    case 'deleted':
    case 'access':
    case 'cohort':
      return undefined;
  }
}

export function resultRemarks({ result }: ReportOf<'result'>): Remark[] {
  return [
    ...result.changes.flatMap(outcomeRemarks),
    ...(result.verified ? [] : [warningOf({ rule: 'not_verified', text: NOT_VERIFIED })]),
    ...result.remainder.map(({ ref, key, path, ...rest }): Remark => {
      const field = path === '' ? '' : `, ${quoteShort(labelsOfRef(ref).field(path))}`;
      return {
        family: 'remainder',
        rule: rest.reason,
        level: 'warning',
        text: `${quoteShort(key)}${field}: ${remainderText({ ref, key, path, ...rest })}.`,
        name: key,
        subject: `${quoteShort(key)}${field}`,
      };
    }),
  ];
}

const LEVELS: Readonly<Record<Exclude<Outcome['outcome'], 'applied'>, RemarkLevel>> = {
  failed: 'error',
  unknown: 'error',
  skipped: 'warning',
  pending: 'warning',
};

function outcomeRemarks({ change, result }: ChangeResult): Remark[] {
  if (result.outcome === 'applied') return [];
  const { key, source } = change;
  const reason = result.outcome === 'skipped' ? skipText(result.reason) : outcomeErrorText(result.error);
  const sentences = [reason, ...outcomeNotes(result)].map((text) =>
    /[.!?…]$|^https?:/.test(text) ? text : `${text}.`,
  );
  const remedy = remedyOf(result);
  return [
    {
      family: 'outcome',
      rule: result.outcome,
      level: LEVELS[result.outcome],
      text: `${changeName(change)}: ${result.outcome}: ${sentences.join(' ')}`,
      name: key,
      subject: changeName(change),
      ...defined({ place: source, remedy: remedy && escapeLine(remedy) }),
    },
  ];
}

/** `update of checkout`, without its outcome. */
export function changeName(change: Change): string {
  return `${change.action} of ${quoteShort(change.key)}${labelsOf(change).target(change, quoteShort)}`;
}

export function validationRemarks({
  diagnostics,
  policies = [],
}: Pick<ReportOf<'validation'>, 'diagnostics' | 'policies'>): Remark[] {
  return [...diagnostics.map(problemRemark), ...policies.flatMap(({ judgement }) => judgementRemarks(judgement))];
}

/** A failure with diagnostics or hazards adds nothing to them. */
export function failureRemarks(report: ReportOf<'failure'>): Remark[] {
  const { error, hazards = [], findings = [], changes = [], refused = [], project } = report;
  const { diagnostics, code, message, remedy } = error;
  const found = [
    ...diagnostics.map(problemRemark),
    ...hazards.map((hazard) => hazardRemark(hazard, { project: project?.name, changes })),
    ...findings.map(findingRemark),
    ...refused.map((one): Remark => ({ ...refusedRemark(one), counts: true })),
  ];
  if (found.length > 0) return found;
  const text = escapeLine(message);
  return [
    { family: 'failure', rule: code, level: 'error', text, ...defined({ remedy: remedy && escapeLine(remedy) }) },
  ];
}

function problemRemark(diagnostic: Diagnostic): Remark {
  const { code, severity, place, path } = diagnostic;
  const { message, remedy } = describe(diagnostic);
  const subject = path === undefined ? undefined : quoteShort(maskKeys(path), PATH_LENGTH);
  return { family: 'problem', rule: code, level: severity, text: message, remedy, ...defined({ place, subject }) };
}

const PATH_LENGTH = 160;

/** Expectations that do not hold, at their lines in the test files. */
export function testRemarks({ cases }: ReportOf<'test'>): Remark[] {
  return unmet(cases).map((one) => ({
    family: 'test',
    rule: one.verdict.outcome,
    level: 'error',
    text: unmetText(one),
    place: one.place,
    name: one.flag,
  }));
}
