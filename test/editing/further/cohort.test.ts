/** The edits of declared cohorts. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORT_FACET } from '../../../src/editing/further/cohort.ts';
import type { EditingContext } from '../../../src/editing/context.ts';
import type { Cohort, DesiredCohort } from '../../../src/posthog/cohort/cohort.ts';

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

const DEFINITION = {
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
};

test.each<[what: string, live: Partial<Cohort> | undefined, fields: JsonObject | undefined]>([
  ['with what manifests declare of it', {}, { name: 'Team', description: 'We' }],
  ['without a description where it has none', { description: '' }, { name: 'Team', description: '' }],
  ['not where it is deleted', { deleted: true }, undefined],
  ['not where it is a list of persons', { is_static: true }, undefined],
  ['not where it is not live', undefined, undefined],
])('a live cohort is promoted %s', (_what, live, fields) => {
  const cohorts = live === undefined ? [] : [{ id: 7, name: 'Team', description: 'We', filters: DEFINITION, ...live }];
  const desired = { flags: [], cohorts: [declared(BEFORE)] };
  const state = { flags: [], roleAccess: {}, cohorts };
  const sources = COHORT_FACET.sources(desired, state, { roles: {}, cohorts: { crew: 7 } });
  expect([...sources]).toEqual(fields === undefined ? [] : [['cohort:crew', { fields }]]);
});

test('a live cohort that no manifest declares is promoted with all that it has, and a declared one as it is declared', () => {
  const cohorts = [{ id: 7, name: 'Team', filters: DEFINITION }];
  const live = { flags: [], roleAccess: {}, cohorts };
  const names = { roles: {}, cohorts: { other: 7, crew: 8 } };
  const found = COHORT_FACET.sources({ flags: [], cohorts: [declared(BEFORE)] }, live, names);
  expect([...found.keys()]).toEqual(['cohort:other']);
  expect(Object.keys(found.get('cohort:other')?.fields ?? {})).toEqual(expect.arrayContaining(['name', 'filters']));
  const declaredOnes = {
    flags: [],
    cohorts: [declared(BEFORE), { ...declared({}), kind: 'retired', key: 'gone' } as DesiredCohort],
  };
  expect([...COHORT_FACET.sources(declaredOnes, undefined, names)]).toEqual([['cohort:crew', { fields: BEFORE }]]);
});

test.each<[path: string, parts: readonly string[]]>([
  ['/filters/properties/values/0/value', ['conditions']],
  ['/description', ['description']],
  ['/name', []],
])('a difference of a cohort at %s is one of the parts %j', (path, expected) => {
  const PARTS = ['active', 'description', 'conditions', 'variants'] as const;
  expect(PARTS.filter((part) => COHORT_FACET.isOfPart(path, [part]))).toEqual(expected);
  expect(PARTS.filter((part) => COHORT_FACET.hasPart([part]))).toEqual(['description', 'conditions']);
});
