/** The remarks of a plan and of the plan of an undo: what apply refuses, what the changes do, and the warnings. */

import type { Place } from '../../../base/place.ts';
import { EFFECT_CLASSES, type Effect, type EffectClass, type ResourceEffects } from '../../../effects/effect.ts';
import { findEffects } from '../../../effects/find-effects.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import type { Impact } from '../../../impact/impact.ts';
import { sourceOf } from '../../../policy/basis/judged.ts';
import type { Change, Plan } from '../../../posthog/plan.ts';
import { isDueByPlan } from '../../../posthog/rollouts/rollouts-in-review.ts';
import type { Readers } from '../../../references/losses.ts';
import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { approvalText } from '../../words/authors.ts';
import { classesText, effectText } from '../../words/effects.ts';
import { impactFacts, impactSentence, throughText } from '../../words/impact.ts';
import { labelsOf } from '../../words/kinds.ts';
import { DUE_BY_ROLLOUT } from '../../words/rollouts.ts';
import { readLossText, unsearchedText } from '../../words/readers.ts';
import { changedByOthers } from '../../indirect-changes.ts';
import { sentenceOf, type Remark, type RemarkImpact, type RemarkLevel } from './remark.ts';
import {
  hazardRemark,
  judgementRemarks,
  overriddenRemark,
  refusedRemark,
  againstRemark,
  warningOf,
  timeRemark,
  warningRemarks,
} from './rules.ts';
import { defined, ifGiven } from '../../../base/optional.ts';

export function planRemarks({
  plan,
  judgement,
  impact,
  requests,
  readers,
  against,
  at,
  scheduled,
}: Pick<
  ReportOf<'plan'>,
  'plan' | 'judgement' | 'impact' | 'requests' | 'readers' | 'against' | 'at' | 'scheduled'
>): Remark[] {
  const { hazards, overridden = [], changes, project } = plan;
  const around = { project: project.name, changes };
  return [
    ...hazards.map((hazard) => hazardRemark(hazard, around)),
    ...overridden.map((hazard) => overriddenRemark(hazard, around)),
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
    const ranked = resource.effects.map((effect) => ({
      rank: rankOf(effect),
      remark: effectRemark(effect, resource, { changes, isDue: changes.every((change) => isDueByPlan(change, plan)) }),
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

function rankOf({ classes }: Effect): number {
  return EFFECT_CLASSES.indexOf(riskiest(classes));
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
  return {
    family: 'effect',
    rule,
    level: dormant === true ? 'note' : LEVELS[rule],
    text: `${quoteShort(key)}${qualifier}: ${classesText(effect.classes)}: ${effectText(effect)}${isDue ? `, ${DUE_BY_ROLLOUT}` : ''}.${muted}`,
    name: key,
    ...defined({ place: placeOf(effect, changes) }),
  };
}

/** A warning where people lose what they have, or where anything may happen. */
const LEVELS: Readonly<Record<EffectClass, RemarkLevel>> = {
  opaque: 'warning',
  kill: 'warning',
  delete: 'warning',
  're-bucket': 'warning',
  enable: 'note',
  restore: 'note',
  widen: 'note',
  narrow: 'note',
  're-split': 'note',
  create: 'note',
  dependency: 'note',
  access: 'note',
  payload: 'note',
  metadata: 'note',
};

/** The line of the value that changes, or else that of the resource. */
function placeOf(effect: Effect, changes: readonly Change[]): Place | undefined {
  const pointer = pointerOf(effect);
  const { place } = pointer === undefined ? {} : sourceOf({ changes }, pointer);
  return place ?? changes.find(({ source }) => source !== undefined)?.source;
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
