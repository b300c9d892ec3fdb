/** Properties that hold for every flag and person. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { matchesCondition } from '../../src/evaluation/condition.ts';
import type { Generation } from '../../src/evaluation/input.ts';
import { matchesProperty, OPERATORS, VALUE_OPERATORS, type FilterMatch } from '../../src/evaluation/match-property.ts';
import type { Property } from '../../src/posthog/flag/model/flag.ts';
import { contextWith, evaluate, flagWith, subjectWith } from './support.ts';
import { holds } from '../helpers/runs.ts';

const generation = fc.constantFrom<Generation>('python-2023', 'rust-2026');
const percentage = fc.double({ min: 0, max: 100, noNaN: true });
const key = fc.constantFrom('a', 'b', 'c');
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>('x', 'X', 'true', '10', '2.0', '2024-06-01', '-7d', '1.2.*', '[', null, true, 3, 10),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
);
const property: fc.Arbitrary<Property> = fc.record({
  key,
  type: fc.constant<'person'>('person'),
  operator: fc.constantFrom(...VALUE_OPERATORS.keys()),
  value,
});
const properties: fc.Arbitrary<JsonObject> = fc.dictionary(key, value, { maxKeys: 3 });

describe('evaluation', () => {
  it('includes everybody whom a lower percentage includes', () => {
    fc.assert(
      fc.property(fc.string(), percentage, percentage, (distinctId, a, b) => {
        const enabledAt = (rollout: number): boolean =>
          evaluate(flagWith({ groups: [{ rollout_percentage: rollout }] }), { subject: { distinctId } }).enabled;
        expect(Number(enabledAt(Math.min(a, b)))).toBeLessThanOrEqual(Number(enabledAt(Math.max(a, b))));
      }),
    );
  });

  it('gives everybody exactly one variant if they sum to 100, independent of the rollout', () => {
    const cuts = fc
      .array(fc.integer({ min: 0, max: 100 }), { maxLength: 4 })
      .map((list) => [0, ...list.toSorted((a, b) => a - b), 100]);
    fc.assert(
      fc.property(fc.string(), cuts, percentage, (distinctId, bounds, rollout) => {
        const variants = bounds.slice(1).map((to, i) => ({ key: `v${i}`, rollout_percentage: to - (bounds[i] ?? 0) }));
        const valueAt = (rollout_percentage: number): unknown =>
          evaluate(flagWith({ groups: [{ rollout_percentage }], multivariate: { variants } }), {
            subject: { distinctId },
          }).value;
        const whole = valueAt(100);
        expect(variants.find((variant) => variant.key === whole)?.rollout_percentage).toBeGreaterThan(0);
        expect([whole, false]).toContain(valueAt(rollout));
      }),
    );
  });

  it('spreads identifiers evenly', () => {
    const count = 10_000;
    const flag = flagWith({ groups: [{ rollout_percentage: 30 }] });
    const enabled = Array.from(
      { length: count },
      (_, i) => evaluate(flag, { subject: { distinctId: `user-${i}` } }).enabled,
    );
    expect(enabled.filter(Boolean).length / count).toBeCloseTo(0.3, 1.5);
  });

  it('does not depend on the order of the filters of a condition', () => {
    const filters = fc.array(property, { maxLength: 4 });
    fc.assert(
      fc.property(filters, properties, generation, (list, personProperties, era) => {
        const input = { context: contextWith({ generation: era }), subject: subjectWith({ personProperties }) };
        const matches = (ordered: readonly Property[]): FilterMatch => matchesCondition({ properties: ordered }, input);
        expect(matches(list.toReversed())).toBe(matches(list));
      }),
    );
  });

  it('never matches both an operator and its negation, and never throws', () => {
    const negations = Object.entries(OPERATORS).flatMap(([name, { negates }]) => (negates ? [[negates, name]] : []));
    const pair = fc.constantFrom(['gt', 'lte'], ['semver_eq', 'semver_neq'], ...negations);
    holds(500, [pair, value, properties, generation], ([one, other], wanted, person, era) => {
      const judge = (operator = ''): FilterMatch =>
        matchesProperty({ key: 'a', operator, value: wanted }, person, contextWith({ generation: era }));
      expect(judge(one) === true && judge(other) === true).toBe(false);
    });
  });

  it('is deterministic', () => {
    fc.assert(
      fc.property(fc.array(property, { maxLength: 3 }), properties, (list, personProperties) => {
        const flag = flagWith({ groups: [{ properties: list, rollout_percentage: 50 }] });
        const once = evaluate(flag, { subject: { personProperties } });
        expect(evaluate(flag, { subject: { personProperties } })).toEqual(once);
      }),
    );
  });
});
