/** The SQL of a filter must never exclude a person whom evaluation matches. */

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { matchesProperty, VALUE_OPERATORS } from '../../../src/evaluation/match-property.ts';
import { propertyTerm } from '../../src/store/person-scan.ts';
import { openStore, type Store } from '../../src/store/store.ts';

const KEYS = ['a', 'plan', 'odd "key"', 'dotted.key', '$os', '__proto__', 'ü'];

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'ab',
    'B"c',
    'back\\slash',
    'true',
    'FALSE',
    'null',
    '5',
    '-1',
    '1e3',
    '0.1',
    '[1]',
    '{}',
    'Ä',
    'ß',
    'on',
  ),
  fc.string({ maxLength: 4 }),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.integer({ min: -3, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -2, max: 12 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.constant({ b: 1, a: [true] }),
);
const properties: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...KEYS), value, { noNullPrototype: true });
const filter = fc.record({
  key: fc.constantFrom(...KEYS),
  operator: fc.oneof(
    fc.constantFrom(...VALUE_OPERATORS.keys()),
    // The operators that SQL can express.
    fc.constantFrom('exact', 'icontains', 'is_set', 'is_not_set', 'gt', 'gte', 'lt', 'lte'),
  ),
  value,
});

function storeWith(persons: readonly JsonObject[]): Store {
  const store = openStore(':memory:');
  store.transaction(() => {
    for (const [index, own] of persons.entries()) {
      const createdAt = new Date(1_700_000_000_000 + (index % 5)).toISOString();
      const uuid = `u-${index}`;
      store.persons.insert({ projectId: '1', uuid, createdAt, properties: own, distinctIds: [uuid] });
    }
  });
  return store;
}

test.each(['python-2023', 'rust-2026'] as const)('SQL excludes no matching person, %s', (generation) => {
  const drawn = fc.sample(properties, { numRuns: 400, seed: 7 });
  const store = storeWith(drawn);
  onTestFinished(() => store.close());
  const context = { generation, now: new Date(0), timeZone: 'UTC' };
  const everybody = store.persons.list('1', {}, { limit: 1000, offset: 0 });
  let used = 0;
  fc.assert(
    fc.property(filter, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 20 }), (asked, limit, offset) => {
      const isMatch = (person: { readonly properties: JsonObject }): boolean =>
        matchesProperty(asked, person.properties, context) === true;
      const term = propertyTerm(asked);
      // Without one, SQL is asked for everybody.
      if (term === undefined) return;
      used += 1;
      const window = { limit, offset };
      const found = store.persons.list('1', { terms: [term], test: isMatch }, window);
      const expected = everybody.filter(isMatch).slice(offset, offset + limit);
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }),
    { numRuns: 800, examples: [[{ key: 'a', operator: 'icontains', value: 'on' }, 50, 0]] },
  );
  expect(used).toBeGreaterThan(100);
});

test('a property gets one index, and the number of indexes is limited', () => {
  const store = storeWith([{ a: 1 }]);
  onTestFinished(() => store.close());
  for (let index = 0; index < 100; index += 1) {
    const term = propertyTerm({ key: `key${index % 50}`, operator: 'exact', value: 'x' });
    if (term === undefined) throw new Error('There is no term');
    expect(store.persons.list('1', { terms: [term] }, { limit: 1, offset: 0 })).toEqual([]);
  }
});

test('the batches contain every person once, newest first', () => {
  const store = storeWith(Array.from({ length: 1500 }, (_, index) => ({ index })));
  onTestFinished(() => store.close());
  const ids = [...store.persons.batches('1', {})].flat().map(({ id }) => id);
  expect(ids).toEqual(store.persons.list('1', {}, { limit: 2000, offset: 0 }).map(({ id }) => id));
  expect(new Set(ids).size).toBe(1500);
});
