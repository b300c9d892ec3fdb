/** The word for who gets a flag, held against people who are searched for to contradict it, over flags with everything that decides. */

import { env } from 'node:process';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { createWords, type FlagWord } from '../../src/catalog/word.ts';
import type { FlagValue, Generation } from '../../src/evaluation/input.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { whoText } from '../../src/report/words/audience.ts';
import { holds } from '../helpers/runs.ts';
import { liveFlag } from '../helpers/states.ts';
import { anyChange, ordinaryChange } from '../review/impact/arbitraries.ts';
import { plannedFrom } from '../review/impact/planned.ts';
import { NOW } from '../review/impact/support.ts';
import { searchPeople, valuesOf } from './witnesses.ts';

const project = fc.record({
  live: fc.oneof(anyChange, ordinaryChange).map((change) => plannedFrom(change).live),
  generation: fc.constantFrom<Generation>('rust-2026', 'rust-2026', 'python-2023', 'rust-2026-explicit'),
});

const seen = { flags: 0, readable: 0, unknown: 0, unwitnessed: 0, words: {} as Record<string, number> };
afterAll(() => {
  if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`laws of words: ${JSON.stringify(seen)}\n`);
});

it('has for each word but unknown the people that it speaks of', () => {
  holds(120, [project], ({ live, generation }) => {
    const wordOf = createWords(live, { generation, now: NOW });
    const world = { live, generation };
    const few = searchPeople(world, 80);
    const search = { more: undefined as ReturnType<typeof searchPeople> | undefined };
    for (const { key } of live) {
      const word = wordOf(key) ?? 'unknown';
      seen.flags += 1;
      seen.words[word] = (seen.words[word] ?? 0) + 1;
      seen.unknown += word === 'unknown' ? 1 : 0;
      if (word !== 'unknown') expect(saysNobody(key, { live, word }), `${key} is ${word}`).toBe(word === 'off');
      let values = valuesOf(key, world, few);
      expect(contradicts(word, values), `${key} is ${word}`).toBe(false);
      // Nobody can be found for a filter that no value meets.
      if (word === 'unknown' || live.some(isUnreadable)) continue;
      seen.readable += 1;
      if (isWitnessed(word, values)) continue;
      search.more ??= searchPeople(world, 3000);
      values = valuesOf(key, world, search.more);
      expect(contradicts(word, values), `${key} is ${word}`).toBe(false);
      if (isWitnessed(word, values)) continue;
      seen.unwitnessed += 1;
      if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`${key} is ${word}: ${JSON.stringify(live)}\n`);
    }
  });
  expect(seen.readable).toBeGreaterThan(seen.flags / 3);
  expect(seen.unknown).toBeLessThan(seen.flags / 30);
  expect(seen.unwitnessed).toBeLessThanOrEqual(seen.readable / 40);
}, 600_000);

const TEXTS = ['DE', 'de', 'US', 'acme', 'true', ''];
const filter = fc.record({
  key: fc.constantFrom('country', 'plan', '$browser', '$initial_browser'),
  type: fc.constant('person'),
  operator: fc.constantFrom('exact', 'is_not', 'icontains', 'not_icontains', 'starts_with', 'not_ends_with'),
  value: fc.oneof(fc.constantFrom<JsonValue>(...TEXTS, true, null), fc.subarray(TEXTS, { maxLength: 2 })),
});
const condition = fc.record(
  {
    properties: fc.array(filter, { maxLength: 2 }),
    rollout_percentage: fc.constantFrom(0, 30, 100),
    variant: fc.constantFrom('a', 'b'),
  },
  { requiredKeys: ['properties'] },
);
const multivariate = fc
  .constantFrom<readonly number[]>([50, 50], [100, 0], [30, 30])
  .map((shares) => ({ variants: shares.map((share, at) => ({ key: 'ab'[at], rollout_percentage: share })) }));
const plainFilters = fc.record(
  { groups: fc.array(condition, { maxLength: 3 }), multivariate },
  { requiredKeys: ['groups'] },
);

it('is the same by two people as by the search', () => {
  const asked = { properties: [{ key: 'x', type: 'person', operator: 'is_set' }], rollout_percentage: 0 };
  holds(1200, [plainFilters, fc.constantFrom<Generation>('rust-2026', 'python-2023')], (filters, generation) => {
    const wordFor = (groups: readonly unknown[]): unknown =>
      createWords([liveFlag(1, 'a', { active: true, filters: { ...filters, groups } as unknown as JsonObject })], {
        generation,
        now: NOW,
      })('a');
    // Nobody gets the flag by the last condition, and the two people are not asked about such a one.
    expect(wordFor(filters.groups)).toBe(wordFor([...filters.groups, asked]));
  });
});

function saysNobody(key: string, { live, word }: { readonly live: readonly Flag[]; readonly word: FlagWord }): boolean {
  const { active = null, filters = {} } = live.find((flag) => flag.key === key) ?? {};
  return whoText({ word, fields: { active, filters: filters as JsonObject } }).startsWith('nobody');
}

function contradicts(word: FlagWord, values: ReadonlySet<FlagValue>): boolean {
  switch (word) {
    case 'off':
      return values.size > 1 || !values.has(false);
    case 'all':
      return values.size > 1 || values.has(false);
    case 'split':
      return values.has(false);
    case 'some':
    case 'unknown':
      return false;
  }
}

function isWitnessed(word: FlagWord, values: ReadonlySet<FlagValue>): boolean {
  if (word === 'some') return values.size > 1 && values.has(false);
  return word !== 'split' || values.size > 1;
}

/** Whether a filter compares with what is no number, date, version or pattern: such a one may have a meaning for the service alone. */
function isUnreadable(flag: Flag): boolean {
  return /"value":(?:"x"|"\["|"1\.2"|\[[^\]]*"x"[^\]]*\])/.test(JSON.stringify(flag.filters));
}
