/** What becomes of one person, by evaluation with each hash that they may have: the shares, and the audiences that they are in. */

import { expect } from 'vitest';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import type { NumberedCondition } from '../../../src/review/effects/effect.ts';
import type { EvaluationContext, Generation, Subject, HashName, Evaluation } from '../../../src/evaluation/input.ts';
import { findAggregation, matchesCondition } from '../../../src/evaluation/condition.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import { propertiesOf } from '../../../src/evaluation/parts.ts';
import { findConcerned, pairOf } from '../../../src/review/effects/worlds.ts';
import type { Audience, FlagImpact, Shares } from '../../../src/review/effects/impact.ts';
import { compareValues, type PersonOutcome, type FlagSide } from '../../../src/review/effects/worlds.ts';
import { makeWorlds } from '../../../src/review/effects/worlds.ts';
import type { Condition, Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { audiencesOf, NOW } from './support.ts';

export const KINDS = ['turnsOn', 'turnsOff', 'changesVariant', 'changesPayload'] as const;

interface Observed {
  /** In percent. */
  readonly shares: Shares;
  readonly audiences: readonly Audience[];
  /** With the hashes of the person's own identifiers. */
  readonly outcome: PersonOutcome;
}

interface Circumstances {
  readonly plan: Plan;
  readonly live: readonly Flag[];
  readonly generation: Generation;
  readonly context?: Omit<EvaluationContext, 'generation' | 'timeZone'>;
}

export const CONTEXT = {
  now: NOW,
  groupTypes: { 0: 'type 0', 1: 'type 1', 2: 'type 2' },
  // The third one is unknown.
  cohorts: { 1: { kind: 'static' }, 2: { kind: 'static' } },
} as const;

export function createObserver(
  found: FlagImpact,
  { plan, live, generation, context: given = CONTEXT }: Circumstances,
): (subject: Subject) => Observed {
  const worlds = makeWorlds(plan.changes, live);
  const concerned = findConcerned(findEffects(plan), worlds).find(({ key }) => key === found.key);
  if (concerned === undefined) throw new Error('It is not concerned.');
  const pair = pairOf(concerned, worlds);
  const context: EvaluationContext = { ...given, timeZone: 'UTC', generation };
  return (subject) => {
    const total = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0 };
    let [enrolled, declined] = [false, false];
    for (const { sides, weight } of hashings((hash) => {
      const own = { ...context, assumptions: { hash } };
      return [pair.before, pair.after].map((side) => evaluate(side, subject, own));
    })) {
      const outcome = compareValues(sides[0]?.value ?? false, sides[1]?.value ?? false, pair.payloads);
      if (outcome !== undefined) total[outcome] += 100 * weight;
      const early = sides.filter((side) => side?.reason === 'super_condition_value');
      enrolled ||= early.some((side) => side?.value !== false);
      declined ||= early.some((side) => side?.value === false);
    }
    const matches = (flag: Flag | undefined, { condition }: NumberedCondition): boolean =>
      flag !== undefined && matchesPeople(flag, condition as Condition, { subject, context });
    const isIn = (audience: Audience): boolean =>
      audience.others !== true &&
      (audience.enrolled === undefined || enrolled) &&
      (audience.declined === undefined || declined) &&
      audience.conditions.every((one) => matches(pair.after?.flag, one)) &&
      audience.former.every((one) => matches(pair.before?.flag, one)) &&
      (audience.through ?? []).every(({ key, ...one }) =>
        [pair.after, pair.before].some((side) =>
          matches(
            side?.flags.find((flag) => flag.key === key),
            one,
          ),
        ),
      ) &&
      !(audience.without?.conditions ?? []).some((one) => matches(pair.after?.flag, one)) &&
      !(audience.without?.former ?? []).some((one) => matches(pair.before?.flag, one));
    const audiences = audiencesOf(found).filter(isIn);
    const values = [pair.before, pair.after].map((side) => evaluate(side, subject, context)?.value ?? false);
    return {
      shares: total,
      audiences: audiences.length > 0 ? audiences : audiencesOf(found).filter(({ others }) => others),
      outcome: compareValues(values[0] ?? false, values[1] ?? false, pair.payloads),
    };
  };
}

/** Whether the shares of a person are those that are said of an audience. */
export function expectWithin(shares: Shares, audience: Audience): void {
  for (const kind of KINDS) {
    expect(shares[kind]).toBeLessThanOrEqual(audience.shares[kind] + 1e-5);
    if (audience.upTo === undefined) expect(shares[kind]).toBeGreaterThanOrEqual(audience.shares[kind] - 1e-5);
  }
}

function evaluate(side: FlagSide | undefined, subject: Subject, context: EvaluationContext): Evaluation | undefined {
  return side && evaluateFlag(side.flag.key, { flags: side.flags, subject, context });
}

function matchesPeople(
  flag: Flag,
  condition: Condition,
  input: { readonly subject: Subject; readonly context: EvaluationContext },
): boolean {
  const aggregation = findAggregation(flag, condition);
  const type = input.context.groupTypes[String(aggregation)] ?? '';
  const isInGroup = aggregation === null || Object.hasOwn(input.subject.groups, type);
  const properties = propertiesOf(condition)?.filter(({ type }) => type !== 'flag') ?? [];
  return isInGroup && matchesCondition({ ...condition, properties }, input, aggregation) === true;
}

type Decide = (hash: HashName, share: number) => boolean | undefined;

interface Hashing {
  readonly sides: readonly (Evaluation | undefined)[];
  readonly weight: number;
}

/** All outcomes over hashes that are uniform and independent, each with its probability. Equal identifiers have one hash. */
function hashings(run: (hash: Decide) => Hashing['sides']): Hashing[] {
  const found: Hashing[] = [];
  const ahead: boolean[][] = [[]];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const chosen: readonly boolean[] = path;
    const taken: boolean[] = [];
    const ranges = new Map<string, readonly [number, number]>();
    let weight = 1;
    const sides = run(({ kind, flagKey, identifier }, share) => {
      if (identifier === '') return undefined;
      const name = JSON.stringify([kind, flagKey, identifier]);
      const [low, high] = ranges.get(name) ?? [0, 1];
      if (share >= high - 1e-12) return true;
      if (share <= low + 1e-12) return false;
      const isBelow = chosen[taken.length] ?? true;
      if (taken.length >= chosen.length) ahead.push([...taken, false]);
      taken.push(isBelow);
      weight *= isBelow ? (share - low) / (high - low) : (high - share) / (high - low);
      ranges.set(name, isBelow ? [low, share] : [share, high]);
      return isBelow;
    });
    found.push({ sides, weight });
  }
  return found;
}
