/** What is said of the people of a cohort holds for everybody whom both definitions are evaluated for. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import type { Generation } from '../../../src/evaluation/input.ts';
import { compareDefinitions } from '../../../src/review/effects/audience.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { holds } from '../../helpers/runs.ts';
import { liveFlag } from '../../helpers/states.ts';

const leaf = (key: string, value: JsonValue, more: JsonObject = {}): JsonObject => ({
  key,
  type: 'person',
  operator: 'exact',
  value,
  ...more,
});
const all = (...values: JsonObject[]): JsonObject => ({ type: 'AND', values });
const any = (...values: JsonObject[]): JsonObject => ({ type: 'OR', values });
const [PRO, US] = [leaf('plan', ['pro']), leaf('country', ['US'])];
const OTHER = { key: 'id', type: 'cohort', value: 8 };

it.each<[string, JsonObject, JsonObject, string]>([
  ['one filter more that all must match', all(PRO), all(PRO, US), 'narrower'],
  ['one less', any(all(PRO, US)), any(all(US)), 'wider'],
  ['one more value', all(PRO), all(leaf('plan', ['pro', 'free'])), 'wider'],
  [
    'one more value, excluded',
    all(leaf('plan', ['pro'], { operator: 'is_not' })),
    all(leaf('plan', ['pro', 'free'], { operator: 'is_not' })),
    'narrower',
  ],
  ['one more alternative', any(all(PRO)), any(all(PRO), all(US)), 'wider'],
  ['one less of three', any(PRO, US, all(PRO, US)), any(PRO, US), 'narrower'],
  ['another order', all(PRO, US), all(US, PRO), 'same'],
  ['another value', all(PRO), all(leaf('plan', ['free'])), 'other'],
  ['what was required becomes an alternative', all(PRO, US), any(PRO, US), 'other'],
  ['a filter on another cohort', all(PRO, OTHER), all(PRO), 'other'],
  ['what people did', all({ type: 'behavioral', key: '$pageview' }), all(PRO), 'other'],
  ['nothing', any(), all(PRO), 'other'],
  [
    'a value that is negated',
    all(leaf('plan', ['pro'], { negation: true })),
    all(leaf('plan', ['pro', 'free'], { negation: true })),
    'other',
  ],
])('%s', (_, before, after, direction) => {
  expect(compareDefinitions(before, after)).toBe(direction);
});

const value = fc.constantFrom<JsonValue>('pro', 'PRO', 'free', 10, '10', true, 'true');
const leaves = fc
  .record({
    key: fc.constantFrom('plan', 'country'),
    value: fc.oneof(value, fc.array(value, { maxLength: 3 })),
    operator: fc.constantFrom('exact', 'is_not', 'icontains', 'is_set'),
    negation: fc.boolean(),
  })
  .map(({ key, value: own, operator, negation }) => leaf(key, own, { operator, ...(negation ? { negation } : {}) }));
const lists = fc.array(leaves, { minLength: 1, maxLength: 3 });
const definitions = fc.oneof(
  lists.map((list) => all(...list)),
  fc.array(lists, { minLength: 1, maxLength: 2 }).map((some) => any(...some.map((list) => all(...list)))),
);
/** The other definition, near to the first. */
const pairs = fc
  .tuple(definitions, definitions, lists)
  .chain(([one, other, list]) =>
    fc.constantFrom(
      [one, other],
      [one, all(one, ...list)],
      [one, any(one, ...list)],
      [
        all(...list),
        all(
          ...list.slice(1),
          ...list
            .slice(0, 1)
            .map((first) => ({ ...first, value: [first['value'] as JsonValue].flat().concat('free') })),
        ),
      ],
    ),
  );
const VALUES: readonly JsonValue[] = ['pro', 'PRO', 'free', 'x', 10, '10', true, 'true', false, null, ''];
const PEOPLE = VALUES.flatMap((plan) =>
  [undefined, ...VALUES].map((country) =>
    subjectWith({
      distinctId: JSON.stringify([plan, country]),
      personProperties: { plan, ...(country === undefined ? {} : { country }) },
    }),
  ),
);

it.each<Generation>(['python-2023', 'rust-2026'])('holds for everybody: %s', (generation) => {
  const seen = new Map<string, number>();
  holds(2_000, [pairs], ([before, after]) => {
    const [one, other] = [before as JsonObject, after as JsonObject];
    const direction = compareDefinitions(one, other);
    seen.set(direction, (seen.get(direction) ?? 0) + 1);
    const isIn = (properties: JsonObject, subject: (typeof PEOPLE)[number]): boolean => {
      const context = contextWith({ generation, cohorts: { '7': { kind: 'dynamic', properties } } });
      const flags = [
        liveFlag(1, 'a', { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 7 }] }] } }) as Flag,
      ];
      return evaluateFlag('a', { flags, context, subject })?.value === true;
    };
    for (const subject of PEOPLE) {
      const sides = [isIn(one, subject), isIn(other, subject)];
      const what = JSON.stringify({ one, other, direction, subject });
      if (direction === 'wider' || direction === 'same') expect(sides, what).not.toEqual([true, false]);
      if (direction === 'narrower' || direction === 'same') expect(sides, what).not.toEqual([false, true]);
    }
  });
  expect(['wider', 'narrower', 'same', 'other'].map((direction) => (seen.get(direction) ?? 0) > 0)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});
