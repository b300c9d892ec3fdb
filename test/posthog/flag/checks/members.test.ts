import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KNOWN_MEMBERS } from '../../../../src/posthog/flag/checks/members.ts';
import { problemsOfFilters } from '../../../manifest/check.ts';

it.each([
  [
    '{ groups: [{}], early_exit: true, holdout: { id: 1, exclusion_percentage: 5 }, super_groups: [], holdout_groups: null }',
    [],
  ],
  ['{ groups: [{ sort_key: a, description: b }] }', []],
  ['{}', ['error property-missing ']],
  ['{ groups: [] }', ['warning conditions-none /groups']],
  ['{ groups: [], super_groups: [{}] }', []],
  ['{ groups: [{}], version: 2 }', ['error property-reserved /version']],
  ['{ groups: null }', ['error property-missing ']],
  ['{ groups: [{}], payload: {} }', ['error property-unknown /payload']],
  ['{ groups: [{}], bandit_policy: {} }', ['warning property-unknown /bandit_policy']],
  ['{ groups: [{ propertys: [] }] }', ['error property-unknown /groups/0/propertys']],
  ['{ groups: [{ schedule_window: 1 }] }', ['warning property-unknown /groups/0/schedule_window']],
  [
    '{ groups: [{ properties: [{ key: a, valeu: 1, value: 1 }] }] }',
    ['error property-unknown /groups/0/properties/0/valeu'],
  ],
  ['{ groups: [{}], "a/b~c-is-unknown": 1 }', ['warning property-unknown /a~1b~0c-is-unknown']],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});

it.each(['filters', 'condition', 'property', 'variant'] as const)(
  'knows the members of a %s that the schema has',
  (name) => {
    const schema = JSON.parse(readFileSync('schemas/manifest.schema.json', 'utf8'));
    expect([...KNOWN_MEMBERS[name]].toSorted()).toEqual(Object.keys(schema.$defs[name].properties).toSorted());
  },
);
