/**
 * Edits that a comparison does not show, for every operator: values in another order, a value beside a list of it, properties in another
 * order. What it counts as equal has the same value for everybody; what a request sends stays as it was declared.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { indexResources } from '../../../src/core/engine/snapshot.ts';
import { matchesCondition } from '../../../src/evaluation/condition.ts';
import type { Generation } from '../../../src/evaluation/input.ts';
import type { FilterMatch } from '../../../src/evaluation/match-property.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { changeFlag } from '../../../src/posthog/flag/find-changes.ts';
import { comparableFlag, compareFields } from '../../../src/posthog/flag/comparison.ts';
import type { Condition } from '../../../src/posthog/flag/model/flag.ts';
import { OPERATORS, type Operator } from '../../../src/posthog/flag/model/operators.ts';
import { snapshotFlags } from '../../../src/posthog/flag/snapshot.ts';
import { contextWith, subjectWith } from '../../evaluation/support.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, liveFlag } from '../../helpers/states.ts';

const key = fc.constantFrom('a', 'b');
const scalar = fc.constantFrom<JsonValue>('pro', 'PRO', '10', 10, 2.5, true, 'true', 'False', '', '1.2.*', '-7d', 'p');
const wanted = fc.oneof(scalar, fc.constant(null), fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 4 }));
const operator = fc.constantFrom(...(Object.keys(OPERATORS) as Operator[]), 'newer');
const property = fc.record({
  key,
  type: fc.constantFrom('person', 'group', 'cohort', 'flag', 'newer', null),
  operator: fc.oneof(operator, fc.constant(null)),
  value: wanted,
});
const properties = fc.dictionary(key, fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 2 })));
const generation = fc.constantFrom<Generation>('python-2023', 'rust-2026');
const names = { keyOf: (): undefined => undefined };

/** The same elements in an order that the numbers decide. */
function inOrder<Element>(list: readonly Element[], numbers: readonly number[]): Element[] {
  const at = (index: number): number => numbers[index % numbers.length] ?? 0;
  return list
    .map((element, index) => ({ element, at: at(index) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ element }) => element);
}

/** The value as people may write it anew. */
function rewritten(value: JsonValue, numbers: readonly number[]): JsonValue {
  if (!Array.isArray(value)) return (numbers[0] ?? 0) % 2 === 0 ? [value] : value;
  const [only = null] = value as JsonValue[];
  if (value.length === 1 && (numbers[0] ?? 0) % 2 === 0) return only;
  return inOrder(value as JsonValue[], numbers);
}

const filtersOf = (list: readonly JsonObject[]): JsonObject => ({ filters: { groups: [{ properties: [...list] }] } });

function differences(one: JsonObject, other: JsonObject): number {
  return compareFields(one, comparableFlag(liveFlag(1, 'a', other), names), names).length;
}

const order = fc.array(fc.nat(9), { minLength: 1, maxLength: 5 });

describe('an edit that no plan shows', () => {
  it('changes the answer for nobody, whatever the operator', () => {
    const edit = fc.record({ list: fc.array(property, { minLength: 1, maxLength: 3 }), order });
    let hidden = 0;
    holds(2000, [edit, properties, generation], ({ list, order: numbers }, person, era) => {
      const edited = inOrder(list, numbers).map((one) => ({ ...one, value: rewritten(one.value, numbers) }));
      if (differences(filtersOf(list), filtersOf(edited)) > 0) return;
      hidden += 1;
      const input = {
        context: contextWith({ generation: era, cohorts: { pro: { kind: 'static' } } }),
        subject: subjectWith({
          personProperties: person,
          groups: { company: 'c' },
          groupProperties: { company: person },
        }),
      };
      for (const index of [null, 0]) {
        const matches = (of: readonly JsonObject[]): FilterMatch =>
          matchesCondition({ properties: of } as unknown as Condition, input, index);
        expect([list, edited, matches(edited)]).toEqual([list, edited, matches(list)]);
      }
    });
    expect(hidden).toBeGreaterThan(100);
  });

  const OPERANDS = Object.entries(OPERATORS).filter(([, { subject }]) => subject === 'value');

  it.each(OPERANDS)('has values in another order with %s only if it matches any of them', (name, { operand }) => {
    const withValue = (value: JsonValue): JsonObject =>
      filtersOf([{ key: 'a', type: 'person', operator: name, value }]);
    const isSame = differences(withValue(['b', 'a']), withValue(['a', 'b'])) === 0;
    expect(isSame).toBe(['scalars', 'strings', 'none'].includes(operand));
  });

  it.each(OPERANDS)('has a value in place of a list of it with %s only if it takes both', (name, { operand }) => {
    const withValue = (value: JsonValue): JsonObject =>
      filtersOf([{ key: 'a', type: 'person', operator: name, value }]);
    expect(differences(withValue('a'), withValue(['a'])) === 0).toBe(['scalars', 'none'].includes(operand));
  });

  it('is compared in a form that is its own form', () => {
    fc.assert(
      fc.property(fc.array(property, { maxLength: 3 }), (list) => {
        const form = canonicalFlag(filtersOf(list));
        expect(canonicalFlag(form)).toEqual(form);
      }),
    );
  });
});

it('a request has values and properties as they are declared, beside another change', () => {
  const [plan, seats] = [
    { key: 'plan', type: 'person', operator: 'exact', value: ['pro', 'free'] },
    { key: 'seats', type: 'person', operator: 'exact', value: ['7'] },
  ];
  const live = liveFlag(1, 'a', {
    filters: {
      groups: [
        {
          properties: [
            { ...seats, value: '7' },
            { ...plan, value: ['free', 'pro'] },
          ],
          rollout_percentage: 10,
        },
      ],
    },
  });
  const filters = { groups: [{ properties: [plan, seats], rollout_percentage: 20 }] };
  const { changes } = changeFlag({ desired: declared('a', { filters }), live }, snapshotFlags(indexResources([live])));
  expect(changes).toMatchObject([{ fields: [{ path: '/filters/groups/0/rollout_percentage' }], body: { filters } }]);
  expect(changes[0]?.fields).toHaveLength(1);
});

it('an edit on top of a harmless one is drift, and the declaration has not moved', () => {
  const filters = (list: readonly string[], rollout: number): JsonObject => ({
    filters: {
      groups: [
        {
          properties: list.map((value) => ({ key: value, type: 'person', value })),
          rollout_percentage: rollout,
        },
      ],
    },
  });
  const live = liveFlag(1, 'a', filters(['y', 'x'], 30));
  const flags = snapshotFlags(indexResources([live]));
  const { changes } = changeFlag(
    { desired: declared('a', filters(['x', 'y'], 20)), live, base: declared('a', filters(['y', 'x'], 20)) },
    flags,
  );
  expect(changes[0]?.fields).toMatchObject([{ path: '/filters/groups/0/rollout_percentage', divergence: 'drifted' }]);
});
