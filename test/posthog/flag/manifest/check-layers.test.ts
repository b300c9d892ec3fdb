import { expect, it } from 'vitest';
import { check, problems } from '../../../core/manifest/check.ts';

const flag = (text: string): string => `flags:\n  f: ${text}\n`;

it.each([
  ['{ rollout_percentage: 1, projects: { staging: { rollout_percentage: 2 } }, only_in: [production] }', []],
  ['{ fields: { evaluation_runtime: server, archived: true } }', []],
  ['{ projects: { staging: null } }', []],
  ['{ projects: { stagign: {} } }', ['error project-unknown /flags/f/projects/stagign']],
  ['{ only_in: [prodution] }', ['error project-unknown /flags/f/only_in/0']],
  ['{ rollout_percentage: 1, filters: { groups: [{}] } }', ['error combination-forbidden /flags/f/rollout_percentage']],
  [
    '{ projects: { staging: { rollout_percentage: 1, filters: { groups: [{}] } } } }',
    ['error combination-forbidden /flags/f/projects/staging/rollout_percentage'],
  ],
  ['{ fields: { filters: {} } }', []],
  ['{ fields: { filters: null } }', []],
  ['{ fields: { filters: [1] } }', ['error type-wrong /flags/f/fields/filters']],
  ['{ filters: { groups: [{}] }, fields: { filters: {} } }', ['error combination-forbidden /flags/f/fields/filters']],
  ['{ rollout_percentage: 1, fields: { filters: {} } }', ['error combination-forbidden /flags/f/fields/filters']],
  [
    '{ projects: { staging: { rollout_percentage: 1, fields: { filters: {} } } } }',
    ['error combination-forbidden /flags/f/projects/staging/fields/filters'],
  ],
  ['{ fields: { name: x } }', ['error field-has-member /flags/f/fields/name']],
  ['{ fields: { key: x } }', ['error field-has-member /flags/f/fields/key']],
  ['{ fields: { deleted: true } }', ['error field-has-member /flags/f/fields/deleted']],
  ['{ fields: { version: 3 } }', ['error field-computed /flags/f/fields/version']],
  ['{ projects: { staging: { fields: { id: 3 } } } }', ['error field-computed /flags/f/projects/staging/fields/id']],
  ['{ projects: { staging: { only_in: [] } } }', ['error property-unknown /flags/f/projects/staging/only_in']],
])('%s', (text, expected) => {
  expect(problems(flag(text))).toEqual(expected);
});

it('names the two members that exclude each other', () => {
  const { diagnostics } = check(flag('{ rollout_percentage: 1, fields: { filters: {} } }'));
  expect(diagnostics.map(({ args }) => args)).toEqual([{ properties: ['rollout_percentage', 'fields.filters'] }]);
});

it('suggests the member and the project that were probably meant', () => {
  const { diagnostics } = check(flag('{ fields: { name: x }, only_in: [prodution] }'));
  expect(diagnostics.map(({ args }) => args)).toEqual([
    { field: 'name', member: 'description' },
    { project: 'prodution', suggestion: 'production' },
  ]);
});
