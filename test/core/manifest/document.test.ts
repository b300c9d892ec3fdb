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

it('takes a mapping at the top for a flag, unless it is nearly the name of a section', () => {
  const argsOf = (text: string): unknown => check(text).diagnostics.map(({ code, args }) => ({ code, args }));
  const unknown = (args: object): unknown => [{ code: 'property-unknown', args }];
  expect(argsOf('checkout: { active: true }')).toEqual(unknown({ property: 'checkout', section: 'flags' }));
  expect(argsOf('checkout: true')).toEqual(unknown({ property: 'checkout' }));
  expect(argsOf('flag: { active: true }')).toEqual(unknown({ property: 'flag', suggestion: 'flags' }));
  expect(argsOf('flags: []')).toMatchObject([{ code: 'type-wrong' }]);
  expect(argsOf('flags: { f: { x: {} } }')).toEqual(unknown({ property: 'x' }));
});

it('suggests the name that was probably meant', () => {
  expect(check('flags: { f: { rolout_percentage: 1 } }').diagnostics).toMatchObject([
    { code: 'property-unknown', args: { property: 'rolout_percentage', suggestion: 'rollout_percentage' } },
  ]);
});
