/** Membership in cohorts: lists, trees of filters, nested cohorts. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { KnownCohort } from '../../src/evaluation/input.ts';
import { matchesCondition } from '../../src/evaluation/condition.ts';
import type { Property } from '../../src/posthog/flag/model/flag.ts';
import { contextWith, person, subjectWith } from './support.ts';

function tree(type: string, ...values: readonly JsonValue[]): JsonObject {
  return { type, values };
}

function cohort(properties: JsonObject): KnownCohort {
  return { kind: 'dynamic', properties };
}

const germans = person('country', 'exact', 'DE');
const staff = person('email', 'icontains', '@acme.com');

function inCohort(id: JsonValue, operator?: string): Property {
  return { key: 'id', type: 'cohort', value: id, ...(operator === undefined ? {} : { operator }) };
}

const COHORTS: Readonly<Record<string, KnownCohort>> = {
  '1': { kind: 'static' },
  '2': cohort(tree('OR', tree('AND', germans, staff), tree('AND', person('beta', 'is_set')))),
  '3': cohort(tree('AND', tree('OR', { ...germans, negation: true }, staff))),
  '4': cohort(tree('AND', inCohort(2), inCohort(1, 'not_in'))),
  '5': cohort(tree('OR', inCohort(6), germans)),
  '6': cohort(tree('OR', inCohort(5))),
  '7': cohort(tree('AND')),
  '8': cohort(tree('OR')),
  '9': cohort({}),
  '10': cohort(tree('AND', { key: '$pageview', type: 'behavioral', value: 'performed_event', negation: true })),
  '11': cohort(tree('property', germans)),
  '12': cohort(tree('AND', { ...inCohort(1), negation: true })),
  '13': cohort(tree('AND', { ...inCohort(99), negation: true })),
  '14': cohort(tree('AND', 'text')),
  '15': cohort(tree('AND', { ...person('age', 'gt', '10'), negation: true })),
};

const CASES: readonly (readonly [why: string, filter: Property, properties: JsonObject, expected: boolean])[] = [
  ['a list with the person', inCohort(1), { listed: true }, true],
  ['a list without', inCohort(1), {}, false],
  ['not in a list without', inCohort(1, 'not_in'), {}, true],
  ['the id as a string', inCohort('1'), { listed: true }, true],
  ['an operator of old filters', inCohort(1, 'exact'), { listed: true }, true],
  ['both of an inner AND', inCohort(2), { country: 'DE', email: 'a@acme.com' }, true],
  ['one of an inner AND', inCohort(2), { country: 'DE' }, false],
  ['the other branch of an OR', inCohort(2), { beta: null }, true],
  ['a negated filter', inCohort(3), { country: 'AT' }, true],
  ['a negated filter that matches', inCohort(3), { country: 'DE' }, false],
  ['a cohort in a cohort', inCohort(4), { beta: 1 }, true],
  ['a cohort in a cohort, excluded', inCohort(4), { beta: 1, listed: true }, false],
  ['a cycle', inCohort(5), { country: 'DE' }, false],
  ['not in a cycle', inCohort(5, 'not_in'), { country: 'DE' }, false],
  ['an empty AND', inCohort(7), {}, true],
  ['an empty OR', inCohort(8), {}, false],
  ['a missing tree', inCohort(9), {}, false],
  ['not in a missing tree', inCohort(9, 'not_in'), {}, false],
  ['a negated behavioral filter', inCohort(10), {}, false],
  ['a list of filters', inCohort(11), { country: 'de' }, true],
  ['a negated cohort', inCohort(12), {}, true],
  ['an unknown negated cohort', inCohort(13), {}, false],
  ['an unknown cohort', inCohort(99), {}, false],
  ['not in an unknown cohort', inCohort(99, 'not_in'), {}, false],
  ['a missing cohort id', inCohort('__proto__'), {}, false],
  ['a tree of strings', inCohort(14), {}, false],
  ['a negated filter that cannot be evaluated', inCohort(15), { age: 'old' }, true],
];

describe('a cohort filter', () => {
  it.each(CASES)('%s', (_, filter, properties, expected) => {
    const { listed, ...personProperties } = properties;
    const subject = subjectWith({ personProperties, ...(listed === true ? { cohortIds: [1] } : {}) });
    expect(matchesCondition({ properties: [filter] }, { context: contextWith({ cohorts: COHORTS }), subject })).toBe(
      expected,
    );
  });
});

/** Cohort N refers twice to cohort N + 1: two to the power of their number of ways lead to the last one. */
it('that doubles with each nested cohort is asked for once', () => {
  const chain = Array.from({ length: 60 }, (_, id): [string, KnownCohort] => [
    String(id),
    cohort(id === 59 ? tree('AND', germans) : tree('AND', inCohort(id + 1), inCohort(id + 1))),
  ]);
  const context = contextWith({ cohorts: Object.fromEntries(chain) });
  const isIn = (country: string): boolean =>
    matchesCondition(
      { properties: [inCohort(0)] },
      { context, subject: subjectWith({ personProperties: { country } }) },
    ) === true;
  expect([isIn('DE'), isIn('AT')]).toEqual([true, false]);
});

describe('a chain of thousands of cohorts', () => {
  const LENGTH = 20_000;
  /** Cohort N refers to cohort N + 1, and the last one to `last`. */
  const isIn = (last: Property, first: number, country = 'DE'): boolean => {
    const chain = Array.from({ length: LENGTH }, (_, id): [string, KnownCohort] => [
      String(id),
      cohort(tree('AND', id === LENGTH - 1 ? last : inCohort(id + 1))),
    ]);
    const context = contextWith({ cohorts: Object.fromEntries(chain) });
    const subject = subjectWith({ personProperties: { country } });
    return matchesCondition({ properties: [inCohort(first)] }, { context, subject }) === true;
  };

  it('answers as the last one', () => {
    expect([isIn(germans, 0), isIn(germans, 0, 'AT')]).toEqual([true, false]);
  });

  it.each([0, 300, 10_000, LENGTH - 1])('that leads back to number %i has no members', (back) => {
    expect(isIn(inCohort(back), 0)).toBe(false);
    expect(isIn({ ...inCohort(back), negation: true }, 0)).toBe(false);
  });
});

const reference = fc.record({ to: fc.nat(7), negation: fc.boolean() });
const graph = fc.array(fc.record({ type: fc.constantFrom('AND', 'OR'), to: fc.array(reference, { maxLength: 3 }) }), {
  minLength: 6,
  maxLength: 6,
});

it('a condition on several cohorts answers as one on each alone, in any order', () => {
  fc.assert(
    fc.property(graph, fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), (cohorts, order) => {
      const known = cohorts.map(({ type, to }, id): [string, KnownCohort] => [
        String(id),
        cohort(tree(type, germans, ...to.map(({ to: other, negation }) => ({ ...inCohort(other), negation })))),
      ]);
      const input = {
        context: contextWith({ cohorts: Object.fromEntries(known) }),
        subject: subjectWith({ personProperties: { country: 'DE' } }),
      };
      const matches = (ids: readonly number[], operator: string): boolean =>
        matchesCondition({ properties: ids.map((id) => inCohort(id, operator)) }, input) === true;
      for (const operator of ['in', 'not_in']) {
        const alone = order.filter((id) => matches([id], operator));
        expect(matches(alone, operator)).toBe(true);
        for (const other of order.filter((id) => !alone.includes(id)))
          expect(matches([...alone, other], operator)).toBe(false);
      }
    }),
  );
});
