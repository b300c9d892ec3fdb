/** Counting people, which remembers decisions and hashes, against the plain evaluation of each of them. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { findEffects } from '../../src/effects/find-effects.ts';
import { evaluateFlags } from '../../src/evaluation/evaluate.ts';
import type { FlagValue } from '../../src/evaluation/evaluation.ts';
import type { EvaluationContext } from '../../src/evaluation/input.ts';
import { findConcerned } from '../../src/impact/concerned.ts';
import { compareValues } from '../../src/impact/outcome.ts';
import type { PersonCounts } from '../../src/impact/impact.ts';
import { createCounter } from '../../src/impact/persons/counter.ts';
import type { ListedPerson } from '../../src/impact/persons/person.ts';
import { makeWorlds, type ImpactWorld } from '../../src/impact/worlds.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { runs } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';
import { impactOfPlan, NOW } from './support.ts';

const AMOUNT = 50;

it('counts people as the evaluation of each of them, before and after, does', () => {
  fc.assert(
    fc.property(
      flagFields(),
      flagFields(),
      fc.array(person(), { minLength: AMOUNT, maxLength: AMOUNT }),
      (...given) => {
        const [former, wanted, people] = given;
        const live = [liveFlag(1, 'a', former), liveFlag(2, 'b', DEPENDENT('1'))];
        const desired = desiredState(declared('a', wanted), declared('b', DEPENDENT('a')));
        const planned = { ...buildPlan(desired, liveState(live), planOptions()), live };
        const counter = createCounter({ planned, circumstances: { generation: 'rust-2026', now: NOW } });
        const unique = people.map((one, index): ListedPerson => ({
          ...one,
          identity: `${index}`,
          distinctIds: index % 3 === 0 ? [`u${index}`, `v${index}`, `w${index}`] : [`u${index}`],
        }));
        for (const one of unique) expect(counter.count(one)).toBe(true);
        const read = { source: 'live', counted: AMOUNT, withoutId: 0, isAll: true } as const;
        const { flags } = counter.complete(impactOfPlan(planned, live), read);

        const worlds = makeWorlds(planned.changes, live);
        for (const { key, payloads } of findConcerned(findEffects(planned), worlds)) {
          const counts = { ...NOBODY };
          for (const one of unique) {
            const outcomes = one.distinctIds.map((id): keyof PersonCounts => {
              const [before, after] = [worlds.before, worlds.after].map((world) => valueIn(world, key, { ...one, id }));
              return compareValues(before ?? false, after ?? false, payloads) ?? 'unchanged';
            });
            const [outcome = 'undecided', ...others] = new Set(outcomes);
            counts[others.length === 0 ? outcome : 'undecided'] += 1;
          }
          expect(flags.find((flag) => flag.key === key)?.persons).toEqual(counts);
        }
      },
    ),
    { numRuns: runs(100) },
  );
});

const NOBODY = { turnsOn: 0, turnsOff: 0, changesVariant: 0, changesPayload: 0, unchanged: 0, undecided: 0 };

/** A flag for half of those whom another one is on for. */
const DEPENDENT = (reference: string): JsonObject => ({
  filters: {
    groups: [
      {
        properties: [{ key: reference, type: 'flag', operator: 'flag_evaluates_to', value: true }],
        rollout_percentage: 50,
      },
    ],
  },
});

/** Somebody of whom everything is known that filters ask for. */
function person(): fc.Arbitrary<Omit<ListedPerson, 'identity' | 'distinctIds'>> {
  const value = fc.constantFrom('@acme.com', 'DE', 'pro', '25', 30, 'true', true);
  const all = { email: value, country: value, plan: value, seats: value, beta: value, company: value };
  const group = fc.record({ key: fc.constantFrom('acme', 'other'), properties: fc.record(all) });
  return fc.record({
    properties: fc.record(all, { requiredKeys: [] }),
    complete: fc.constant(true as const),
    groups: fc.record({
      0: fc.oneof(fc.constant('none' as const), group),
      1: fc.constant('none' as const),
    }),
    cohorts: fc.subarray(['42', '43', '57']),
  });
}

function valueIn(
  { flags }: ImpactWorld,
  key: string,
  { id, properties, groups, cohorts = [] }: ListedPerson & { readonly id: string },
): FlagValue {
  const group = groups['0'];
  const subject = {
    distinctId: id,
    personProperties: properties,
    groups: group === undefined || group === 'none' ? {} : { 0: group.key ?? '' },
    groupProperties: group === undefined || group === 'none' ? {} : { 0: group.properties },
    cohortIds: cohorts,
  };
  return evaluateFlags({ flags: [...flags.values()], context: CONTEXT, subject }).get(key)?.value ?? false;
}

const CONTEXT: EvaluationContext = {
  generation: 'rust-2026',
  now: NOW,
  timeZone: 'UTC',
  groupTypes: { 0: '0', 1: '1' },
  cohorts: { 42: { kind: 'static' }, 43: { kind: 'static' }, 57: { kind: 'static' } },
};
