/** How many people get something else by a plan: for each flag whose values may change, the shares of its audiences. */

import { arrayOrEmpty, canonicalText, objectOrEmpty, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { numberConditions } from '../effects/conditions.ts';
import { couplingsOf } from '../effects/couplings.ts';
import type { NumberedCondition } from '../effects/effect.ts';
import { findEffects } from '../effects/find-effects.ts';
import type { EvaluationContext } from '../evaluation/input.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { isOpaque } from '../posthog/flag/opaque.ts';
import type { Plan } from '../posthog/plan.ts';
import { findAudiences, type Drafts } from './audiences.ts';
import { findConcerned, pairOf, type Concerned } from './concerned.ts';
import { integrate, sample } from './estimate.ts';
import type { Audience, Estimate, FlagImpact, Impact } from './impact.ts';
import type { Pair, Side } from './outcome.ts';
import { GROUP_TYPES } from './witness.ts';
import { cohortsOf, makeWorlds, type Worlds } from './worlds.ts';

export type Planned = Pick<Plan, 'changes' | 'warnings'> & {
  /** All flags of the project as the plan saw them. */
  readonly live: readonly Flag[];
};

export type Circumstances = Pick<EvaluationContext, 'generation' | 'now' | 'searchRegex'>;

/** Pure: equal plans have equal impacts at the same time. */
export function findImpact({ changes, warnings, live }: Planned, circumstances: Circumstances): Impact {
  const worlds = makeWorlds(changes, live);
  const concerned = findConcerned(findEffects({ changes, warnings }), worlds);
  const cases = concerned.map((one): Case => ({ ...one, ...prepare(one, worlds, circumstances) }));
  return { flags: estimateAll(cases).map((flag) => ({ ...flag, estimate: withNames(flag.estimate, worlds) })) };
}

/** As reports name flags. */
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

/** What is known before anything is measured. */
interface Case extends Concerned {
  readonly pair: Pair;
  readonly context: EvaluationContext;
  readonly certain?: Estimate;
  readonly drafts: Drafts;
}

function prepare(
  { key, by, payloads }: Concerned,
  worlds: Worlds,
  circumstances: Circumstances,
): Pick<Case, 'pair' | 'context' | 'certain' | 'drafts'> {
  const pair = pairOf({ key, payloads }, worlds);
  const sides = [pair.before, pair.after].filter((side) => side !== undefined);
  const cohorts = cohortsOf(sides.flatMap(({ flags }) => flags));
  const context: EvaluationContext = {
    ...circumstances,
    timeZone: 'UTC',
    groupTypes: GROUP_TYPES,
    cohorts: Object.fromEntries(cohorts.map((id) => [id, { kind: 'static' }])),
  };
  const certain = certainEstimate(sides, by);
  const drafts = certain === undefined ? findAudiences(pair, context) : { audiences: [], unmatched: [] };
  return { pair, context, drafts, ...(certain === undefined ? {} : { certain }) };
}

function certainEstimate(sides: readonly Side[], by: FlagImpact['by']): Estimate | undefined {
  if (sides.every(({ flag }) => flag.active === false || flag.deleted === true)) return { kind: 'dormant' };
  if (sides.some(({ flags }) => flags.some(({ filters }) => isOpaque(filters))))
    return { kind: 'unknown', why: 'format' };
  return by === 'cohort' ? { kind: 'unknown', why: 'cohort' } : undefined;
}

/** Evaluations of flags in one run, which bound its time. */
const MOST_EVALUATIONS = 2_000_000;
const MOST_PATHS = 4096;
const LEAST_PATHS = 64;
const MOST_PEOPLE = 10_000;
const LEAST_PEOPLE = 200;

function estimateAll(cases: readonly Case[]): FlagImpact[] {
  const paths = clamp(MOST_EVALUATIONS / sum(cases.map(costOf)), LEAST_PATHS, MOST_PATHS);
  const integrated = cases.map((one) => ({
    one,
    measured: one.drafts.audiences.map(({ witness }) => integrate({ ...one, witness }, paths)),
  }));
  const left = integrated.map(
    ({ one, measured }) => costOf(one) * (measured.filter((each) => each === undefined).length / measured.length || 0),
  );
  const people = clamp(MOST_EVALUATIONS / sum(left), LEAST_PEOPLE, MOST_PEOPLE);
  return integrated.map(({ one, measured }) => {
    const audiences = one.drafts.audiences.map(({ who, witness }, index): Audience => ({
      ...who,
      ...(measured[index] ?? sample({ ...one, witness }, people)),
    }));
    return {
      key: one.key,
      by: one.by,
      ...defined({ through: one.through }),
      estimate: one.certain ?? estimateOf(audiences, one),
    };
  });
}

function estimateOf(audiences: readonly Audience[], { pair, drafts, cohortChanges, uncounted }: Case): Estimate {
  return {
    kind: 'audiences',
    audiences,
    unmatched: drafts.unmatched,
    ...(cohortChanges ? { cohortChanges: true } : {}),
    ...(uncounted.length === 0 ? {} : { uncounted }),
    ...(hasOrderedOverlaps(pair) ? { overlaps: true } : {}),
  };
}

/** Whether the order of the conditions decides about people who match several of them. No audience has those. */
function hasOrderedOverlaps({ before, after }: Pair): boolean {
  const sides = [before, after].map((side) => objectOrEmpty(side?.flag.filters as JsonObject | undefined));
  const { exitsEarly, choosesVariant } = couplingsOf(sides[0] ?? {}, sides[1] ?? {});
  return (exitsEarly || choosesVariant) && sides.some((filters) => selectionsIn(filters).size > 1);
}

/** Whom the conditions are for, each once. Everybody matches those without properties. */
function selectionsIn(filters: JsonObject): ReadonlySet<string> {
  const properties = numberConditions(filters).map(({ condition }) => arrayOrEmpty(condition['properties']));
  return new Set(properties.filter((list) => list.length > 0).map(canonicalText));
}

/** Evaluations of flags for one person of each audience. */
function costOf({ pair, drafts }: Case): number {
  return drafts.audiences.length * ((pair.before?.flags.length ?? 0) + (pair.after?.flags.length ?? 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function clamp(number: number, least: number, most: number): number {
  return Math.floor(Math.min(Math.max(number, least), most));
}
