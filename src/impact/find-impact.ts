/** Estimates how many people a plan affects: for each flag whose values may change, the shares of its audiences. */

import { arrayOrEmpty, objectOrEmpty } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findEffects } from '../effects/find-effects.ts';
import type { EvaluationContext } from '../evaluation/input.ts';
import { isUnreadable } from '../evaluation/parts.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import type { Plan } from '../posthog/plan.ts';
import type { StepAhead } from '../posthog/planning/steps-ahead.ts';
import { findAudiences } from './audiences.ts';
import { findCombinations, type Combination } from './combinations.ts';
import { findConcerned, pairOf, type Concerned } from './concerned.ts';
import type { Audience, Estimate, FlagImpact, Impact, StepImpact } from './impact.ts';
import { createLabels, type ImpactLabels } from './labels.ts';
import type { FlagSide } from './outcome.ts';
import { createQuestions } from './questions.ts';
import { makeWorlds, type Worlds } from './worlds.ts';

export type PlannedImpact = Pick<Plan, 'changes' | 'warnings'> & {
  /** All flags of the project as the plan saw them. */
  readonly live: readonly Flag[];
};

export type Circumstances = Pick<EvaluationContext, 'generation' | 'now'>;

/** Pure: equal plans have equal impacts at the same time. */
export function findImpact({ changes, warnings, live }: PlannedImpact, circumstances: Circumstances): Impact {
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const first = concerned.map((one) => estimateOne(one, worlds, { ...circumstances, most: FEW_EVALUATIONS }));
  const left = first.filter(isTooMuch).length;
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_EVALUATIONS / left));
  const flags = concerned.map((one, index) => {
    const found = first[index];
    const isFinal = found !== undefined && (!isTooMuch(found) || most <= FEW_EVALUATIONS);
    const estimate = isFinal ? found : estimateOne(one, worlds, { ...circumstances, most });
    return { key: one.key, by: one.by, ...defined({ through: one.through }), estimate };
  });
  return { flags: flags.map((flag) => ({ ...flag, estimate: withNames(flag.estimate, worlds) })) };
}

/** How many people the later steps of rollouts affect. Each is planned on the flags as the plan and earlier steps leave them. */
export function findStepImpact(steps: readonly StepAhead[], circumstances: Circumstances): readonly StepImpact[] {
  return steps.map((step) => ({
    at: step.at,
    ...defined({ jump_since: step.jump_since }),
    flags: [
      ...findImpact(stepOnLive(step), circumstances).flags,
      ...(step.left ?? []).map((key) => ({ key, by: 'change', estimate: { kind: 'unknown', why: 'left' } }) as const),
    ],
  }));
}

/** The step, without flags that the plan leaves at another value than the one with which it begins. */
export function stepOnLive({ plan, live, left = [] }: StepAhead): PlannedImpact {
  return { changes: plan.changes.filter(({ key }) => !left.includes(key)), warnings: [], live: live.flags };
}

/** Names flags as reports do. */
function withNames(estimate: Estimate, { nameFlags }: Worlds): Estimate {
  if (estimate.kind !== 'audiences') return estimate;
  const one = <Of extends NumberedCondition>(numbered: Of): Of => {
    const [condition] = arrayOrEmpty(nameFlags({ groups: [numbered.condition] })['groups']);
    return { ...numbered, condition: objectOrEmpty(condition) };
  };
  const both = ({
    conditions,
    former,
  }: Pick<Audience, 'conditions' | 'former'>): Pick<Audience, 'conditions' | 'former'> => ({
    conditions: conditions.map(one),
    former: former.map(one),
  });
  const audiences = estimate.audiences.map((audience) => ({
    ...audience,
    ...both(audience),
    ...defined({ through: audience.through?.map(one), without: audience.without && both(audience.without) }),
  }));
  return { ...estimate, audiences, unmatched: estimate.unmatched.map(one) };
}

/** The most evaluations of flags: for each flag at first, and for those that need more, in one run. They bound the time of the run. */
const FEW_EVALUATIONS = 2000;
const MOST_EVALUATIONS = 600_000;
const MOST_OF_ONE = 30_000;

function isTooMuch(estimate: Estimate): boolean {
  return estimate.kind === 'unknown' && estimate.why === 'combinations';
}

function estimateOne(
  concerned: Concerned,
  worlds: Worlds,
  { generation, now, most }: Circumstances & { readonly most: number },
): Estimate {
  const pair = pairOf(concerned, worlds);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const certain = certainEstimate(sides, concerned.by);
  if (certain !== undefined) return certain;
  const reading = { generation, now, timeZone: 'UTC' };
  const questions = createQuestions(pair, reading);
  const context: EvaluationContext = { ...reading, groupTypes: {}, cohorts: {} };
  const combinations = findCombinations(pair, { questions, context }, most);
  if (combinations === undefined) return { kind: 'unknown', why: 'combinations' };
  const labels = createLabels(pair, questions);
  const unmatched = findUnmatched(combinations, labels);
  if (unmatched === undefined) return { kind: 'unknown', why: 'filter' };
  return {
    kind: 'audiences',
    audiences: findAudiences(combinations, labels, questions),
    unmatched,
    ...(concerned.cohortChanges ? { cohortChanges: true } : {}),
    ...(concerned.uncounted.length === 0 ? {} : { uncounted: concerned.uncounted }),
  };
}

function certainEstimate(sides: readonly FlagSide[], by: FlagImpact['by']): Estimate | undefined {
  if (sides.every(({ flag }) => flag.active === false || flag.deleted === true)) return { kind: 'dormant' };
  if (sides.some(({ flags }) => flags.some(isUnreadable))) return { kind: 'unknown', why: 'format' };
  return by === 'cohort' ? { kind: 'unknown', why: 'cohort' } : undefined;
}

/**
 * The conditions that ask something which this release does not know; `undefined` if something unknown belongs to no condition of the flag.
 */
function findUnmatched(combinations: readonly Combination[], { own }: ImpactLabels): NumberedCondition[] | undefined {
  const unknown = new Set(combinations.flatMap((one) => [...one.unknown]));
  const named = own.filter(({ filters }) => unknown.has(filters));
  if ([...unknown].some((demand) => !named.some(({ filters }) => filters === demand))) return undefined;
  return named.map(({ condition: { key: _key, ...condition } }) => condition);
}
