/** A flag of the service as text. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { flagText } from '../../../../src/report/formats/text/records.ts';
import { flagFields } from '../../../helpers/arbitraries.ts';
import { holds } from '../../../helpers/runs.ts';
import { VIEW } from '../../samples.ts';

const FLAG: JsonObject = {
  id: 12,
  key: 'checkout',
  name: 'One-page checkout\nfor Europe',
  active: true,
  deleted: false,
  filters: {
    groups: [
      {
        properties: [
          { key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' },
          { key: 'id', type: 'cohort', operator: 'in', value: 42, cohort_name: 'Beta testers' },
          { key: 'paid', operator: 'is_set', value: 'is_set', negation: true },
        ],
        rollout_percentage: 100,
        variant: 'test',
        description: 'testers',
        sort_key: 'k',
      },
      {
        properties: [{ key: 'search', type: 'flag', operator: 'flag_evaluates_to', value: true }],
        rollout_percentage: null,
      },
      { properties: [], rollout_percentage: 25, aggregation_group_type_index: 0, shiny: { new: 1 } },
    ],
    multivariate: {
      variants: [
        { key: 'control', rollout_percentage: 50 },
        { key: 'test', name: 'Red', rollout_percentage: 50 },
      ],
    },
    payloads: { test: '{"color": "red"}', old: '1' },
    holdout: { id: 3, exclusion_percentage: 10 },
    super_groups: null,
  },
  can_edit: true,
  user_access_level: 'editor',
  tags: ['billing'],
  created_by: { id: 1, email: 'ada@example.org' },
  version: 3,
  surveys: null,
};

test('a flag is laid out: state, conditions, variants with payloads, other parts, access, and what is left', () => {
  expect(flagText(FLAG, VIEW)).toBe(`checkout  id 12 · active
One-page checkout
for Europe

Conditions (the first that matches decides)
  1  email contains "@acme.com" and in cohort 42 (Beta testers) and not (paid is set) → 100%, variant test  # testers
  2  flag search is true → 100%
  3  every group of type 0 → 25% (shiny: { new: 1 })

Variants
  control  50%
  test  50% (name: Red)  payload {"color": "red"}

Payloads
  old  1

Other filters
  holdout  { id: 3, exclusion_percentage: 10 }

Access  the owner of the API key can edit it, level editor

tags        billing
created_by  ada@example.org
version     3
`);
});

function leavesOf(value: JsonValue): readonly JsonValue[] {
  if (isJsonArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value)
    ? Object.values(value).flatMap((child) => (child === undefined ? [] : leavesOf(child)))
    : [value];
}

test('no value of the filters is left out, whatever they are', () => {
  const words = [
    'groups',
    'multivariate',
    'variants',
    'payloads',
    'properties',
    'rollout_percentage',
    'key',
    'type',
    'value',
  ];
  const loose: fc.Arbitrary<JsonObject> = fc.dictionary(
    fc.constantFrom(...words),
    fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue),
  );
  holds(300, [fc.oneof(flagFields(), fc.record({ filters: loose }))], (fields) => {
    const text = flagText({ id: 1, key: 'a', ...fields }, { ...VIEW, verbose: true });
    for (const leaf of leavesOf(fields['filters'] ?? null)) {
      if (typeof leaf === 'number') expect(text).toContain(String(Object.is(leaf, -0) ? '0' : leaf));
      if (typeof leaf === 'string' && /^\w+$/.test(leaf) && leaf !== 'person') expect(text).toContain(leaf);
    }
  });
});

test('filters of format version 2 are shown as they are', () => {
  const text = flagText(
    { id: 1, key: 'a', filters: { version: 2, groups: [{ rules: [] }], return_type: 'boolean' } },
    VIEW,
  );
  expect(text).toContain('Other filters\n  version  2\n  groups  [{ rules: [] }]\n  return_type  boolean\n');
});

test.each(['flags-today.json', 'flags-2023.json'])('every flag of %s has a layout', (file) => {
  const { results } = JSON.parse(readFileSync(`test/fixtures/${file}`, 'utf8')) as { results: JsonObject[] };
  for (const flag of results) expect(flagText(flag, VIEW)).toContain(flag['key'] as string);
});

test.each<[string, JsonObject, string]>([
  ['no conditions', { groups: [] }, 'Conditions\n  none\n'],
  [
    'variants and conditions that are no objects',
    { groups: ['x'], multivariate: { variants: ['y', { key: 'b' }] } },
    '  1  x\n\nVariants\n  y\n  b  100%\n',
  ],
  [
    'payloads of no variant',
    { groups: [], multivariate: { variants: ['y'] }, payloads: { a: 1, b: '"t"' } },
    'Payloads\n  a  1\n  b  "t"\n',
  ],
])('filters with %s', (_, filters, text) => {
  expect(flagText({ id: 1, key: 'a', filters }, VIEW)).toContain(text);
});

test.each<[JsonObject, string]>([
  [{ can_edit: false }, 'the owner of the API key cannot edit it'],
  [{ can_edit: true, user_access_level: 'editor' }, 'the owner of the API key can edit it, level editor'],
  [{ user_access_level: 'viewer' }, 'the owner of the API key has level viewer'],
  [{ can_edit: true, user_access_level: null }, 'the owner of the API key can edit it'],
])('access %j', (fields, text) => {
  const line = flagText({ id: 1, key: 'a', ...fields }, VIEW)
    .split('\n')
    .find((one) => one.startsWith('Access'));
  expect(line).toBe(`Access  ${text}`);
});

test('access that the service does not tell is left out', () => {
  expect(flagText({ id: 1, key: 'a', user_access_level: null }, VIEW)).not.toContain('Access');
});

test('a person without a mail address is shown as it is', () => {
  const text = flagText(
    { id: 1, key: 'a', created_by: { id: 7 }, last_modified_by: { email: 'ada@example.org' } },
    VIEW,
  );
  expect(text).toMatch(/created_by +\{"id":7\}/);
  expect(text).toContain('ada@example.org');
});
