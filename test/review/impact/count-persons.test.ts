/** Counting people, which remembers decisions and hashes, against the plain evaluation of each of them. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import { evaluateFlags } from '../../../src/evaluation/evaluate.ts';
import type { FlagValue, EvaluationContext } from '../../../src/evaluation/input.ts';
import { findConcerned } from '../../../src/review/effects/worlds.ts';
import { compareValues } from '../../../src/review/effects/worlds.ts';
import { countPersons } from '../../../src/review/impact/persons/count-persons.ts';
import type { ListedPerson, PersonEntry } from '../../../src/review/impact/persons/read-persons.ts';
import { makeWorlds, type ImpactWorld } from '../../../src/review/effects/worlds.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holdsAsync } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { impactOfPlan, NOW } from './support.ts';

const AMOUNT = 50;

it('counts people as the evaluation of each of them, before and after, does', async () => {
  await holdsAsync(
    100,
    [flagFields(), flagFields(), fc.array(person(), { minLength: AMOUNT, maxLength: AMOUNT })],
    async (former, wanted, people) => {
      const live = [liveFlag(1, 'a', former), liveFlag(2, 'b', DEPENDENT('1'))];
      const desired = desiredState(declared('a', wanted), declared('b', DEPENDENT('a')));
      const planned = { ...planFor(desired, liveState(live)), live };
      const unique = people.map((one, index) => ({ ...one, distinctId: `u${index}` }));
      const { flags, persons } = await countPersons(impactOfPlan(planned, live), entriesOf(unique), {
        planned,
        circumstances: { generation: 'rust-2026', now: NOW },
      });
      expect(persons).toMatchObject({ counted: AMOUNT, duplicate: { count: 1, first: [AMOUNT + 1] } });

      const worlds = makeWorlds(planned.changes, live);
      for (const { key, payloads } of findConcerned(findEffects(planned), worlds)) {
        const counts = { ...NOBODY };
        for (const one of unique) {
          const [before, after] = [worlds.before, worlds.after].map((world) => valueIn(world, key, one));
          counts[compareValues(before ?? false, after ?? false, payloads) ?? 'unchanged'] += 1;
        }
        expect(flags.find((flag) => flag.key === key)?.persons).toEqual(counts);
      }
    },
  );
});

/** A line for each, and one more for the first. */
async function* entriesOf(people: readonly ListedPerson[]): AsyncGenerator<PersonEntry> {
  for (const [index, one] of [...people, ...people.slice(0, 1)].entries()) yield { line: index + 1, person: one };
}

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
function person(): fc.Arbitrary<Omit<ListedPerson, 'distinctId'>> {
  const value = fc.constantFrom('@acme.com', 'DE', 'pro', '25', 30, 'true', true);
  const all = { email: value, country: value, plan: value, seats: value, beta: value, company: value };
  const group = fc.record({ key: fc.constantFrom('acme', 'other'), properties: fc.record(all) });
  return fc.record({
    properties: fc.record(all),
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
  { distinctId, properties, groups, cohorts = [] }: ListedPerson,
): FlagValue {
  const group = groups['0'];
  const subject = {
    distinctId,
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
