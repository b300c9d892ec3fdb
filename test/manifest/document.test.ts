/** Reads the declarations of one YAML document and checks its shape against the JSON Schema. */

import { expect, it } from 'vitest';
import { SHAPES } from './bad-manifests.ts';
import { check, problems } from './check.ts';

it.each(SHAPES)('%s', (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

it('reports a mistake once, without its consequences', () => {
  const text = `flags:
  f: { filters: { groups: [{ variant: a }], multivariate: { variants: [{ key: 5, rollout_percentage: 100 }] } } }
  g: { filters: { groups: [{ properties: [{ key: f, type: flag, operator: flag_evaluates_to, value: a }] }] } }
`;
  expect(problems(text)).toEqual(['error type-wrong /flags/f/filters/multivariate/variants/0/key']);
});

it('reports mistakes in filters that are declared in two forms', () => {
  const filters = 'groups: [{}], multivariate: { variants: [{ key: a, rollout_percentage: "99" }] }';
  expect(problems(`flags: { f: { filters: { ${filters} }, fields: { filters: { groups: [{}] } } } }`)).toEqual([
    'error type-wrong /flags/f/filters/multivariate/variants/0/rollout_percentage',
    'error combination-forbidden /flags/f/fields/filters',
  ]);
});

it('suggests the name that was probably meant', () => {
  expect(check('flags: { f: { rolout_percentage: 1 } }').diagnostics).toMatchObject([
    { code: 'property-unknown', args: { property: 'rolout_percentage', suggestion: 'rollout_percentage' } },
  ]);
});
