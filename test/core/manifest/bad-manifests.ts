/** Manifests with the diagnostics that they have, for the tests of diagnostics and of the published schema. */

import type { AllManifestProblems } from '../../../src/posthog/manifests/problems.ts';

/** Each diagnostic as `severity code path`. */
export const SHAPES: readonly [text: string, expected: string[]][] = [
  ['', []],
  ['flags:\n', ['error value-missing /flags']],
  ['flags: {}\nrole_access: null\n', []],
  ['role_access:\n', ['error value-missing /role_access']],
  ['flags: { f: { filters: null } }\n', ['error type-wrong /flags/f/filters']],
  ['flags: { f: { fields: null } }\n', ['error type-wrong /flags/f/fields']],
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
];

type Expected = {
  readonly [Code in keyof AllManifestProblems]: readonly [Code, AllManifestProblems[Code]];
}[keyof AllManifestProblems];

const SCALARS = 'a string, number, boolean or a list of them';
const DATE = 'a date such as "2025-03-01" or "-30d"';

const condition = (property: string, rest = ''): string =>
  `flags: { f: { filters: { ${rest} groups: [{ properties: [{ ${property} }] }] } } }`;
const filters = (rest: string): string => `flags: { f: { filters: { groups: [{}], ${rest} } } }`;
const unfit = (operator: string, expected: string, value: string, shown = value): [string, Expected[]] => [
  condition(`key: k, operator: ${operator}, value: ${value}`),
  [['operator-value-unfit', { operator, expected, found: shown }]],
];

/** Each diagnostic with its arguments. */
export const WITH_ARGUMENTS: readonly [text: string, expected: Expected[]][] = [
  // Values
  [condition('key: k'), [['operator-value-unfit', { operator: 'exact', expected: SCALARS, found: 'nothing' }]]],
  unfit('exact', SCALARS, 'null', 'nothing'),
  unfit('is_not', SCALARS, '{ a: 1 }', 'a mapping'),
  unfit('exact', SCALARS, '[{ a: 1 }]', '[{"a":1}]'),
  unfit('icontains', 'a string', '5'),
  unfit('icontains', 'a string', `[${'"abcdefgh", '.repeat(5)}]`, 'a list'),
  unfit('not_icontains', 'a string', `["${'x'.repeat(36)}"]`),
  unfit('not_icontains', 'a string', `["${'x'.repeat(37)}"]`, 'a list'),
  unfit('starts_with', 'a string', 'true'),
  unfit('not_starts_with', 'a string', 'true'),
  unfit('ends_with', 'a string', 'true'),
  unfit('not_ends_with', 'a string', 'true'),
  unfit('regex', 'a string', 'true'),
  unfit('not_regex', 'a string', 'true'),
  unfit('icontains_multi', 'a list of strings', '5'),
  unfit('not_icontains_multi', 'a list of strings', '["a",5]'),
  ...['gt', 'gte', 'lt', 'lte', 'min', 'max'].flatMap((operator) => [
    unfit(operator, 'a number in quotes', '5'),
    unfit(operator, 'a number in quotes', '"many"'),
    unfit(operator, 'a number in quotes', '" "'),
    unfit(operator, 'a number in quotes', '"Infinity"'),
  ]),
  ...['between', 'not_between'].map((operator): [string, Expected[]] => [
    condition(`key: k, operator: ${operator}, value: 5`),
    [['operator-refused', { operator }]],
  ]),
  ...['is_date_exact', 'is_date_before', 'is_date_after'].flatMap((operator) => [
    unfit(operator, DATE, '"soon"'),
    unfit(operator, DATE, '"2024"'),
    unfit(operator, DATE, '"x7d"'),
    unfit(operator, DATE, '"7dx"'),
    unfit(operator, DATE, '5'),
    unfit(operator, DATE, '"2024-02-30"'),
    unfit(operator, DATE, '"2024-01-31Tx"'),
    unfit(operator, DATE, '"2024-01"'),
    unfit(operator, DATE, '"a 2024-01-31"'),
    unfit(operator, DATE, '"2024-01-31T10:00:00+0200"'),
  ]),
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'tilde', 'caret'].flatMap((operator) => [
    unfit(`semver_${operator}`, 'a version such as "1.2.3"', '"latest"'),
    unfit(`semver_${operator}`, 'a version such as "1.2.3"', '"1.2.3.4"'),
    unfit(`semver_${operator}`, 'a version such as "1.2.3"', '"x1"'),
    unfit(`semver_${operator}`, 'a version such as "1.2.3"', '"1.2.3-"'),
    unfit(`semver_${operator}`, 'a version such as "1.2.3"', '1.2'),
  ]),
  ...['"*"', '"1.2.3.*"', '"1.*.3"', '"x1"', '"1.2.**"', '5'].map((value) =>
    unfit('semver_wildcard', 'a version such as "1.2.*"', value),
  ),
  [
    condition('key: id, type: cohort, value: 0'),
    [['operator-value-unfit', { operator: 'in', expected: 'a cohort id or alias', found: '0' }]],
  ],
  ...['1.5', '""', '"0"', '[1]', '-1', 'true'].map((value): [string, Expected[]] => [
    condition(`key: id, type: cohort, operator: not_in, value: ${value}`),
    [['operator-value-unfit', { operator: 'in', expected: 'a cohort id or alias', found: value }]],
  ]),
  [
    condition('key: id, type: cohort, operator: between, value: 0'),
    [
      ['operator-unfit', { operator: 'between', type: 'cohort' }],
      ['operator-value-unfit', { operator: 'in', expected: 'a cohort id or alias', found: '0' }],
    ],
  ],
  ...['""', '5'].map((value): [string, Expected[]] => [
    condition(`key: 7, type: flag, operator: flag_evaluates_to, value: ${value}`),
    [['operator-value-unfit', { operator: 'flag_evaluates_to', expected: 'true, false or a variant', found: value }]],
  ]),
  [
    condition('key: k, operator: regex, value: "a("'),
    [['regex-invalid', { regex: 'a(', detail: 'unterminated group' }]],
  ],
  // Operators and types
  [condition('key: k, operator: in, value: 42'), [['operator-unfit', { operator: 'in', type: 'person' }]]],
  [condition('key: k, operator: not_in, value: 42'), [['operator-unfit', { operator: 'not_in', type: 'person' }]]],
  [
    condition('key: k, operator: flag_evaluates_to, value: true'),
    [['operator-unfit', { operator: 'flag_evaluates_to', type: 'person' }]],
  ],
  [condition('key: 7, type: flag, value: true'), [['operator-unfit', { operator: 'exact', type: 'flag' }]]],
  [
    condition('key: id, type: cohort, operator: gt, value: 42'),
    [['operator-unfit', { operator: 'gt', type: 'cohort' }]],
  ],
  // Group types
  [
    condition('key: k, type: group, value: a, group_type_index: 1', 'aggregation_group_type_index: 0,'),
    [['property-group-mismatch', { found: 1, expected: 0 }]],
  ],
  [
    condition('key: k, type: group, value: a', 'aggregation_group_type_index: 0,'),
    [['property-missing', { property: 'group_type_index' }]],
  ],
  [
    condition('key: k, value: a', 'aggregation_group_type_index: 0,'),
    [['property-type-unfit', { type: 'person', aggregation: 'group' }]],
  ],
  [condition('key: k, type: group, value: a'), [['property-type-unfit', { type: 'group', aggregation: 'person' }]]],
  [
    'flags: { f: { filters: { aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: 2 }] } } }',
    [['aggregation-mixed', { flagLevel: 0, condition: 2 }]],
  ],
  // Variants and payloads
  [
    filters(
      'multivariate: { variants: [{ key: a, rollout_percentage: 33.3333333 }, { key: b, rollout_percentage: 1 }] }',
    ),
    [['variants-sum', { sum: 34.3333333 }]],
  ],
  [
    filters('multivariate: { variants: [{ key: a, rollout_percentage: 50 }, { key: a, rollout_percentage: 50 }] }'),
    [['variant-duplicate', { variant: 'a' }]],
  ],
  [
    filters('multivariate: { variants: [{ key: "a b", rollout_percentage: 100 }] }'),
    [['value-pattern', { found: 'a b', pattern: '^[A-Za-z0-9_\\-./]+$' }]],
  ],
  [
    'flags: { f: { filters: { groups: [{ variant: contrl, rollout_percentage: 5 }, { variant: other }], multivariate: { variants: [{ key: control, rollout_percentage: 100 }] } } } }',
    [
      ['variant-unknown', { variant: 'contrl', suggestion: 'control' }],
      ['variant-unknown', { variant: 'other' }],
    ],
  ],
  [
    filters('payloads: { tru: 1 }'),
    [['payload-key-unknown', { payload: 'tru', allowed: ['true'], suggestion: 'true' }]],
  ],
  [filters('payloads: { other: 1 }'), [['payload-key-unknown', { payload: 'other', allowed: ['true'] }]]],
  [filters('payloads: { true: x }'), [['payload-not-json', { payload: 'true' }]]],
  [filters(`payloads: { true: '"\\u0000"' }`), [['character-forbidden', { character: 'U+0000' }]]],
  // Members
  [filters('version: 1'), [['property-reserved', { property: 'version' }]]],
  [filters('payload: {}'), [['property-unknown', { property: 'payload', suggestion: 'payloads' }]]],
  [
    filters('bandit_policy: {}'),
    [['property-unknown', { property: 'bandit_policy', consent: 'unknown_members: allow' }]],
  ],
  ['flags: { f: { filters: {} } }', [['property-missing', { property: 'groups' }]]],
  ['flags: { f: { filters: { groups: [] } } }', [['conditions-none', {}]]],
  // Declarations
  [
    'flags: { f: { filters: { groups: [{}] }, rollout_percentage: 5 } }',
    [['combination-forbidden', { properties: ['filters', 'rollout_percentage'] }]],
  ],
  ['flags: { f: { only_in: [productin] } }', [['project-unknown', { project: 'productin', suggestion: 'production' }]]],
  ['flags: { f: { projects: { zzz: {} } } }', [['project-unknown', { project: 'zzz' }]]],
  ...(
    [
      ['name', 'description'],
      ['deleted', 'deleted'],
      ['description', 'description'],
      ['role_access', 'role_access'],
      ['rollout_percentage', 'rollout_percentage'],
      ['key', 'flags'],
    ] as const
  ).map(([field, member]): [string, Expected[]] => [
    `flags: { f: { fields: { ${field}: x } } }`,
    [['field-has-member', { field, member }]],
  ]),
  ['flags: { f: { fields: { version: 1 } } }', [['field-computed', { field: 'version' }]]],
  // Dependencies
  [
    `${condition('key: base, type: flag, operator: flag_evaluates_to, value: true').slice(0, -2)}, bose: {} }`,
    [['flag-unknown', { key: 'base', project: 'production', suggestion: 'bose' }]],
  ],
  [
    condition('key: zzzzzz, type: flag, operator: flag_evaluates_to, value: true'),
    [['flag-unknown', { key: 'zzzzzz', project: 'production' }]],
  ],
  [
    condition('key: f, type: flag, operator: flag_evaluates_to, value: true'),
    [['flag-depends-on-itself', { cycle: ['f', 'f'] }]],
  ],
  [
    `${condition('key: old, type: flag, operator: flag_evaluates_to, value: true').slice(0, -2)}, old: { deleted: true } }`,
    [['flag-depends-on-deleted', { key: 'old' }]],
  ],
  [
    `flags: { f: { active: true, filters: { groups: [{ properties: [{ key: off, type: flag, operator: flag_evaluates_to, value: on }] }] } }, off: { active: false, filters: { groups: [{}] } } }`,
    [
      ['flag-depends-on-disabled', { key: 'off' }],
      ['variant-unknown', { variant: 'on' }],
    ],
  ],
  [
    'flags: { a: {}, b: { previous_keys: [a] } }',
    [['previous-key-taken', { key: 'a', other: { file: 'flags.yaml', line: 1, column: 10 } }]],
  ],
];
