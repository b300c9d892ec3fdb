import { expect, it } from 'vitest';
import { check, problems } from './check.ts';

it.each([
  ['', []],
  ['flags:\n', []],
  ['role_access:\n', []],
  ['x-anything: [1, { __proto__: 2 }]\n', []],
  ['flag: {}\n', ['error property-unknown /flag']],
  ['[]\n', ['error type-wrong ']],
  ['flags: []\n', ['error type-wrong /flags']],
  ['flags: { f: true }\n', ['error type-wrong /flags/f']],
  ['flags: { "a b": {} }\n', ['error flag-key-invalid /flags/a b']],
  ['flags: { "a/b": {} }\n', ['error flag-key-invalid /flags/a~1b']],
  ['flags: { __proto__: {} }\n', ['error flag-key-invalid /flags/__proto__']],
  ['flags: { constructor: {} }\n', []],
  [`flags: { ${'k'.repeat(401)}: {} }\n`, [`error flag-key-too-long /flags/${'k'.repeat(401)}`]],
  [`flags: { ${'k'.repeat(400)}: {} }\n`, []],
  [
    'flags: { f: { activ: true, __proto__: 1 } }\n',
    ['error property-unknown /flags/f/activ', 'error property-unknown /flags/f/__proto__'],
  ],
  ['flags: { f: { active: "yes" } }\n', ['error type-wrong /flags/f/active']],
  ['flags: { f: { active: null } }\n', ['error type-wrong /flags/f/active']],
  ['flags: { f: { rollout_percentage: 100.5 } }\n', ['error value-out-of-range /flags/f/rollout_percentage']],
  ['flags: { f: { rollout_percentage: .inf } }\n', ['error type-wrong /flags/f/rollout_percentage']],
  ['flags: { f: { created_at: yesterday } }\n', ['error value-pattern /flags/f/created_at']],
  ['flags: { f: { created_at: 2024-01-31T10:00:00.123456Z } }\n', []],
  ['flags: { f: { tags: [1] } }\n', ['error type-wrong /flags/f/tags/0']],
  ['flags: { f: { role_access: engineering } }\n', ['error type-wrong /flags/f/role_access']],
  [
    'flags: { f: { filters: { groups: [{ properties: [{ type: persn }] }] } } }\n',
    [
      'error property-missing /flags/f/filters/groups/0/properties/0',
      'error value-not-allowed /flags/f/filters/groups/0/properties/0/type',
    ],
  ],
  ['role_access: { engineering: new-checkout }\n', ['error type-wrong /role_access/engineering']],
])('%s', (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

it('reports a mistake once, without its consequences', () => {
  const text = `flags:
  f: { filters: { groups: [{ variant: a }], multivariate: { variants: [{ key: 5, rollout_percentage: 100 }] } } }
  g: { filters: { groups: [{ properties: [{ key: f, type: flag, operator: flag_evaluates_to, value: a }] }] } }
`;
  expect(problems(text)).toEqual(['error type-wrong /flags/f/filters/multivariate/variants/0/key']);
});

it('suggests the name that was probably meant', () => {
  expect(check('flags: { f: { rolout_percentage: 1 } }').diagnostics).toMatchObject([
    { code: 'property-unknown', args: { property: 'rolout_percentage', suggestion: 'rollout_percentage' } },
  ]);
});
