/** Random live flags in the shapes of both generations of the service. */

import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';

export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    'yes',
    'on',
    'null',
    '1e3',
    '2026-01-31',
    '12:30',
    '@x',
    '- a',
    'a: b',
    '#',
    '~',
    '<<',
    '0777',
    '*a',
    '&a',
  ),
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '\\', '"', "'", ':', '#', '\u{85}', '\u{2028}', 'ü', '🚧') }),
  fc.lorem({ maxCount: 40 }),
);

export const arbitraryJson: fc.Arbitrary<JsonValue> = fc
  .json({ stringUnit: 'binary' })
  .map((text) => JSON.parse(text) as JsonValue);

const payload = fc.oneof(
  arbitraryJson,
  arbitraryJson.map((value) => JSON.stringify(value, null, 1)),
  fc.constantFrom(
    '1e400',
    '12345678901234567890',
    '{"a": 1.50, "a": 2}',
    '{"<<": {"a": 1}}',
    'not JSON',
    '-0',
    '[1234567890123456]',
  ),
  arbitraryText,
);

const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null | undefined> =>
  fc.option(fc.option(value), { nil: undefined });

const aggregation = maybe(fc.nat({ max: 2 }));

const property = fc.oneof(
  fc.record({
    key: arbitraryText,
    type: fc.constant('person'),
    operator: maybe(fc.constantFrom('exact', 'regex', 'min')),
    value: arbitraryJson,
    label: maybe(arbitraryText),
  }),
  fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    value: fc.constantFrom<JsonValue>(42, 43, '42', 57, null),
    cohort_name: maybe(arbitraryText),
  }),
  fc.record({
    key: fc.oneof(fc.nat({ max: 6 }).map(String), fc.nat({ max: 6 })),
    type: fc.constant('flag'),
    value: fc.boolean(),
  }),
);

const condition = fc.record({
  properties: maybe(fc.array(property, { maxLength: 3 })),
  rollout_percentage: maybe(fc.constantFrom(0, 10, 33.3, 100)),
  variant: maybe(fc.constantFrom('a', 'on')),
  description: maybe(arbitraryText),
  sort_key: maybe(arbitraryText),
  aggregation_group_type_index: aggregation,
  exposure_frozen: maybe(fc.boolean()),
});

const filters = fc.record(
  {
    groups: fc.array(condition, { maxLength: 3 }),
    multivariate: fc.option(
      fc.record({
        variants: fc.array(
          fc.record({ key: arbitraryText, name: maybe(arbitraryText), rollout_percentage: fc.nat({ max: 100 }) }),
          { maxLength: 3 },
        ),
      }),
    ),
    payloads: fc.option(
      fc.dictionary(fc.oneof(fc.constantFrom('true', 'on', 'a'), arbitraryText), payload, { maxKeys: 3 }),
    ),
    aggregation_group_type_index: aggregation,
    holdout: fc.option(fc.record({ id: fc.nat() })),
    early_exit: maybe(fc.boolean()),
    later: arbitraryJson,
  },
  { requiredKeys: [] },
);

const flag = fc.record(
  {
    key: fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/).filter((key) => key !== '__proto__'),
      fc.constantFrom('__proto', 'constructor', '7', 'on', 'CON'),
    ),
    name: arbitraryText,
    active: fc.boolean(),
    filters,
    tags: fc.array(arbitraryText, { maxLength: 3 }),
    ensure_experience_continuity: fc.option(fc.boolean()),
    evaluation_runtime: fc.option(fc.constantFrom('all', 'server')),
    rollback_conditions: fc.option(fc.array(arbitraryJson, { maxLength: 2 })),
  },
  { requiredKeys: ['key', 'active'] },
);

/** A project's flags: keys and ids are unique. */
export const arbitraryFlags: fc.Arbitrary<readonly Flag[]> = fc
  .uniqueArray(flag, { selector: ({ key }) => key, maxLength: 5 })
  .map((flags) => flags.map((fields, index) => ({ id: index + 1, ...(fields as JsonObject) }) as Flag));
