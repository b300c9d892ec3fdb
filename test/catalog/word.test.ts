/** The word for who gets a flag, held against the evaluation of people. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { createWords } from '../../src/catalog/word.ts';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import type { FlagValue, Generation, Subject } from '../../src/evaluation/input.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { holds } from '../helpers/runs.ts';
import { liveFlag } from '../helpers/states.ts';
import { anyChange, ordinaryChange, peopleOf } from '../review/impact/arbitraries.ts';
import { CONTEXT } from '../review/impact/observe.ts';
import { plannedFrom } from '../review/impact/planned.ts';
import { NOW } from '../review/impact/support.ts';

const HALF = { properties: [], rollout_percentage: 50 };
const ALL = { properties: [], rollout_percentage: 100 };
const GERMANS = { properties: [{ key: 'country', type: 'person', operator: 'exact', value: ['DE'] }] };
const OTHERS = { properties: [{ key: 'country', type: 'person', operator: 'is_not', value: ['DE'] }] };
const TWO = { variants: [share('a', 50), share('b', 50)] };

function share(key: string, percentage: number): JsonObject {
  return { key, rollout_percentage: percentage };
}

/** On for whoever meets all filters. */
function asking(...filters: readonly JsonObject[]): JsonObject {
  const properties = filters.map((filter) => ({ key: 'age', type: 'person', ...filter }));
  return { filters: { groups: [{ properties, rollout_percentage: 100 }] } };
}

it.each<[string, JsonObject]>([
  ['off', { active: false, filters: { groups: [ALL] } }],
  ['off', { filters: { groups: [] } }],
  ['off', { filters: { groups: [{ ...GERMANS, rollout_percentage: 0 }] } }],
  // Nobody is in Germany and elsewhere.
  ['off', { filters: { groups: [{ properties: [...GERMANS.properties, ...OTHERS.properties] }] } }],
  // No number is at least 10 and at most 5.
  ['off', asking({ operator: 'between', value: [10, 5] })],
  ['off', asking({ operator: 'between', value: [5] })],
  ['some', asking({ operator: 'between', value: [5, 5] })],
  ['some', asking({ operator: 'lt', value: 5 })],
  ['some', asking({ operator: 'not_between', value: [10, 5] })],
  ['off', asking({ operator: 'not_between', value: [10, 5] }, { operator: 'is_set' })],
  // Each text begins with an empty one, but who has no text is not asked.
  ['off', asking({ operator: 'not_starts_with', value: '' }, { operator: 'is_set' })],
  ['off', asking({ operator: 'not_icontains', value: '' }, { operator: 'ends_with', value: 'x' })],
  ['off', asking({ key: 'distinct_id', operator: 'not_ends_with', value: '' })],
  ['some', asking({ operator: 'not_starts_with', value: '' })],
  ['off', asking({ operator: 'icontains_multi', value: [] })],
  ['some', asking({ operator: 'not_starts_with', value: 'x' }, { operator: 'is_set' })],
  ['all', { filters: { groups: [ALL] } }],
  ['all', { filters: { groups: [GERMANS, ALL] } }],
  ['all', { filters: { groups: [GERMANS, OTHERS] } }],
  ['all', { filters: { groups: [ALL], multivariate: { variants: [share('a', 100), share('b', 0)] } } }],
  ['all', { filters: { groups: [{ ...ALL, variant: 'b' }], multivariate: TWO } }],
  ['split', { filters: { groups: [ALL], multivariate: TWO } }],
  [
    'split',
    {
      filters: {
        groups: [
          { ...GERMANS, variant: 'a' },
          { ...ALL, variant: 'b' },
        ],
        multivariate: TWO,
      },
    },
  ],
  ['some', { filters: { groups: [HALF] } }],
  ['some', { filters: { groups: [GERMANS] } }],
  ['some', { filters: { groups: [GERMANS], multivariate: TWO } }],
  ['some', { filters: { groups: [ALL], aggregation_group_type_index: 0 } }],
  ['some', { filters: { groups: [ALL], holdout: { id: 7, exclusion_percentage: 10 } } }],
  ['unknown', { filters: { groups: [{ properties: [{ key: 'a', type: 'person', operator: 'new', value: 1 }] }] } }],
  ['unknown', { filters: { version: 3, rules: [] } }],
  [
    'unknown',
    {
      filters: { groups: [{ properties: [{ key: '99', type: 'flag', operator: 'flag_evaluates_to', value: true }] }] },
    },
  ],
])('is %s for %j', (word, fields) => {
  expect(wordsOf([liveFlag(1, 'a', { active: true, ...fields })])('a')).toBe(word);
});

it('knows no word for a flag that is not there', () => {
  expect(wordsOf([])('a')).toBeUndefined();
});

it('is that of a dependency that nobody gets', () => {
  const needs = { properties: [{ key: '2', type: 'flag', operator: 'flag_evaluates_to', value: true }] };
  const flags = [liveFlag(1, 'a', { active: true, filters: { groups: [needs] } }), liveFlag(2, 'b', { active: false })];
  expect(wordsOf(flags)('a')).toBe('off');
});

const projectWithPeople = fc.oneof(anyChange, ordinaryChange).chain((change) =>
  fc.record({
    live: fc.constant(plannedFrom(change).live),
    people: fc.array(peopleOf(change), { minLength: 20, maxLength: 20 }),
    generation: fc.constantFrom<Generation>('rust-2026', 'rust-2026', 'python-2023', 'rust-2026-explicit'),
  }),
);

it('holds for each person who is evaluated', () => {
  holds(200, [projectWithPeople], ({ live, people, generation }) => {
    const wordOf = createWords(live, { generation, now: NOW });
    for (const { key } of live) {
      const values = people.map((subject) => valueFor(key, { live, subject, generation }));
      const word = wordOf(key);
      if (word === 'off') expect(new Set(values)).toEqual(new Set([false]));
      if (word === 'all') expect(new Set(values).size).toBe(1);
      if (word === 'all' || word === 'split') expect(values).not.toContain(false);
    }
  });
}, 600_000);

it('says that it depends on the person only where two people differ', () => {
  const simple = fc.record({
    share: fc.integer({ min: 1, max: 99 }),
    countries: fc.subarray(['DE', 'US', 'JP'], { minLength: 1 }),
  });
  holds(50, [simple], ({ share: percentage, countries }) => {
    const property = { key: 'country', type: 'person', operator: 'exact', value: countries };
    const live = [
      liveFlag(1, 'a', {
        active: true,
        filters: { groups: [{ properties: [property], rollout_percentage: percentage }] },
      }),
    ];
    expect(wordsOf(live)('a')).toBe('some');
    const values = Array.from({ length: 2000 }, (_, index) => {
      const subject = {
        distinctId: `p${index}`,
        personProperties: { country: countries[0] ?? '' },
        groups: {},
        groupProperties: {},
      };
      return valueFor('a', { live, subject, generation: 'rust-2026' });
    });
    expect(new Set(values).size).toBe(2);
  });
});

function wordsOf(flags: readonly Flag[]): ReturnType<typeof createWords> {
  return createWords(flags, { generation: 'rust-2026', now: NOW });
}

/** People in a holdout do not have the flag. */
function valueFor(
  key: string,
  {
    live,
    subject,
    generation,
  }: { readonly live: readonly Flag[]; readonly subject: Subject; readonly generation: Generation },
): FlagValue {
  const context = { ...CONTEXT, timeZone: 'UTC', generation };
  const found = evaluateFlag(key, { flags: live, subject, context });
  return found === undefined || found.reason === 'holdout_condition_value' ? false : found.value;
}
