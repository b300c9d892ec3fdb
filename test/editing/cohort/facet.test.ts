import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORT_FACET } from '../../../src/editing/cohort/facet.ts';
import type { EditingContext } from '../../../src/editing/context.ts';
import type { DesiredCohort } from '../../../src/posthog/cohort/cohort.ts';

const PLACES = { place: { file: 'a.yaml', line: 1, column: 1 } };

function declared(fields: JsonObject): DesiredCohort {
  return { kind: 'declared', key: 'crew', names: ['Crew'], fields, places: PLACES } as unknown as DesiredCohort;
}

const BEFORE = { name: 'Crew', description: 'Us' };

test.each<[what: string, now: JsonObject, isWritten: boolean]>([
  ['has what is requested, and otherwise what it had', { ...BEFORE, description: 'We' }, true],
  ['has what is requested, and something else than before', { name: 'Team', description: 'We' }, false],
  ['has what it had before, and not what is requested', BEFORE, false],
])('the proof of a cohort that %s: %s', (_what, now, isWritten) => {
  const edit = { resource: 'cohort', key: 'cohort:crew', fields: { description: 'We' } } as const;
  const sides = { before: declared(BEFORE), now: declared(now) };
  expect(COHORT_FACET.isWritten(edit, sides, {} as EditingContext)).toBe(isWritten);
});
