import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { fulfilsCohort } from '../../src/editing/fulfil-cohort.ts';
import type { DesiredCohort } from '../../src/posthog/cohort/desired.ts';

const PLACES = { place: { file: 'a.yaml', line: 1, column: 1 } };

function declared(fields: JsonObject): DesiredCohort {
  return { kind: 'declared', key: 'crew', names: ['Crew'], fields, places: PLACES } as unknown as DesiredCohort;
}

const BEFORE = { name: 'Crew', description: 'Us' };

test.each<[what: string, now: JsonObject, isFulfilled: boolean]>([
  ['says what is wished and otherwise what it said', { ...BEFORE, description: 'We' }, true],
  ['says what is wished and another thing than before', { name: 'Team', description: 'We' }, false],
  ['says what it said before, and not what is wished', BEFORE, false],
])('a cohort that %s fulfils the wish: %s', (_what, now, isFulfilled) => {
  const wish = { resource: 'cohort', key: 'cohort:crew', fields: { description: 'We' } } as const;
  expect(fulfilsCohort(wish, { before: declared(BEFORE), now: declared(now) })).toBe(isFulfilled);
});
