/** Every mistake of a flag is reported, whatever else is wrong with it, without its consequences. */

import { expect, it, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { findRollouts } from '../../../src/core/manifest/declaration.ts';
import { validateManifests } from '../../../src/posthog/manifests/load.ts';
import { check, PRODUCTION, problems, problemsOfFilters } from './check.ts';

it.each([
  [
    'mistakes of shape and mistakes of meaning',
    '{ groups: [{ rollout_percentage: 101, properties: [{ key: a, operator: gt, value: 5, typ: person }] }], multivariat: {} }',
    [
      'error value-out-of-range /groups/0/rollout_percentage',
      'error operator-value-unfit /groups/0/properties/0/value',
      'error property-unknown /groups/0/properties/0/typ',
      'error property-unknown /multivariat',
    ],
  ],
  [
    'other properties than the one with a mistake, and the sound parts of that one',
    '{ groups: [{ properties: [{ operator: regex, value: "(" }, { key: id, type: cohort, operator: im, value: who }, { key: b, type: persn, operator: gt, value: 5 }, { key: c, operator: lt, value: 5 }] }] }',
    [
      'error property-missing /groups/0/properties/0',
      'error value-not-allowed /groups/0/properties/1/operator',
      'error value-not-allowed /groups/0/properties/2/type',
      'error regex-invalid /groups/0/properties/0/value',
      'error cohort-unknown /groups/0/properties/1/value',
      'error operator-value-unfit /groups/0/properties/2/value',
      'error operator-value-unfit /groups/0/properties/3/value',
    ],
  ],
  [
    'cohorts and flags that conditions of another format seem to name',
    '{ version: 2, groups: [{ properties: [{ key: id, type: cohort, value: who }, { key: gone, type: flag, operator: flag_evaluates_to, value: true }] }] }',
    ['error cohort-unknown /groups/0/properties/0/value', 'warning flag-unknown /groups/0/properties/1/key'],
  ],
  [
    'nothing about variants with uncertain keys',
    '{ groups: [{ variant: a }], payloads: { a: 1 }, multivariate: { variants: [{ rollout_percentage: 1 }] } }',
    ['error property-missing /multivariate/variants/0'],
  ],
  [
    'nothing about variants that are not a list',
    '{ groups: [{ variant: a }], payloads: { a: x }, multivariate: { variants: 5 } }',
    ['error type-wrong /multivariate/variants', 'error payload-not-json /payloads/a'],
  ],
  ['nothing about groups that are not a list', '{ groups: 5 }', ['error type-wrong /groups']],
  [
    'nothing about properties if the aggregation of the condition is uncertain',
    '{ aggregation_group_type_index: x, groups: [{ properties: [{ key: a, type: group, value: 1 }] }, 7] }',
    ['error type-wrong /aggregation_group_type_index', 'error type-wrong /groups/1'],
  ],
  [
    'nothing about an operator whose value could not be read',
    '{ groups: [{ properties: [{ key: a, operator: icontains, value: [1, 1.00000000000000000001] }] }] }',
    ['error number-imprecise /groups/0/properties/0/value/1'],
  ],
])('reports %s', (_, filters, expected) => {
  expect(problemsOfFilters(filters).toSorted()).toEqual(expected.toSorted());
});

it('reports problems of projects, roles, overlays and references of a flag with a mistake', () => {
  const text = `flags:
  f:
    activ: true
    only_in: [production, 5, prodution]
    role_access: [7, nobody]
    filters: { groups: [{ properties: [{ key: gone, type: flag, operator: flag_evaluates_to, value: true }] }] }
    projects:
      production: { filters: { groups: [{ variant: x, rollout_percentage: -1 }] } }
      stagin: { filters: { groups: [{ variant: y }] } }
role_access: { nobody-else: [f, 5] }
`;
  expect(problems(text).toSorted()).toEqual([
    'error project-unknown /flags/f/only_in/2',
    'error project-unknown /flags/f/projects/stagin',
    'error property-unknown /flags/f/activ',
    'error role-unknown /flags/f/role_access/1',
    'error role-unknown /role_access/nobody-else',
    'error type-wrong /flags/f/only_in/1',
    'error type-wrong /flags/f/role_access/0',
    'error type-wrong /role_access/nobody-else/1',
    'error value-out-of-range /flags/f/projects/production/filters/groups/0/rollout_percentage',
    'error variant-unknown /flags/f/projects/production/filters/groups/0/variant',
    'error variant-unknown /flags/f/projects/stagin/filters/groups/0/variant',
  ]);
});

it('checks a flag with an invalid key, and one for unknown projects', () => {
  expect(
    problems(
      'flags: { "a b": { filters: { groups: [{ variant: x }] } }, c: { only_in: [prod], filters: { groups: [{ variant: y }] } } }',
    ).toSorted(),
  ).toEqual([
    'error flag-key-invalid /flags/a b',
    'error project-unknown /flags/c/only_in/0',
    'error variant-unknown /flags/a b/filters/groups/0/variant',
    'error variant-unknown /flags/c/filters/groups/0/variant',
  ]);
});

it('leaves a flag with a mistake out of the desired state', () => {
  expect(check('flags: { a: { activ: true }, b: {} }').desired.flags.map(({ key }) => key)).toEqual(['b']);
});

it('accepts the names of all projects when only one is checked', () => {
  const { files } = check('flags: { f: { projects: { staging: { active: false } } } }');
  expect(validateManifests(files, [PRODUCTION], ['production', 'staging'])).toEqual([]);
});

test.each<[JsonValue, boolean]>([
  [{ steps: [] }, true],
  [{ from: 0 }, false],
  [[], false],
  [50, false],
])('a value that changes over time is one with steps: %j: %s', (active, expected) => {
  expect(findRollouts({ active }, ['/active'])).toEqual(
    expected ? [{ pointer: '/active', written: active }] : undefined,
  );
  expect(findRollouts({}, ['/active'])).toBeUndefined();
});
