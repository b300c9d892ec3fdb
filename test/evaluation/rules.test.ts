/** Flags with rules (format version 2): which rule decides, its value and reason, and what cannot be evaluated. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { isUnreadable } from '../../src/evaluation/parts.ts';
import type { Evaluation } from '../../src/evaluation/input.ts';
import type { Filters } from '../../src/posthog/flag/model/flag.ts';
import { holds } from '../helpers/runs.ts';
import { evaluate, flagWith, person } from './support.ts';

function rule(id: string, properties: readonly JsonObject[], more: JsonObject): JsonObject {
  return { id, rule_type: 'targeted_release', targeting: { properties: [...properties] }, ...more };
}

function share(id: string, properties: readonly JsonObject[], more: JsonObject): JsonObject {
  const own = { rule_type: 'percentage_rollout', on_rollout_miss: 'continue', assignment_algorithm: 'sha1_60_v1' };
  return rule(id, properties, { ...own, seed: 'example-share', rollout_percentage: 100, ...more });
}

function split(id: string, properties: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const variants = [
    { key: 'control', weight: 50, value: 'blue' },
    { key: 'test', weight: 50, value: 'green' },
  ];
  const own = { rule_type: 'experiment', experiment_id: null, paused: false, seed: 'example-split', variants };
  return share(id, properties, { ...own, ...more });
}

function textRules(rules: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { version: 2, return_type: 'string', default_value: 'standard', rules: [...rules], ...more };
}

function answer(filters: JsonObject, distinctId: string, personProperties: JsonObject = {}): Evaluation {
  return evaluate(flagWith(filters as Filters), { subject: { distinctId, personProperties } });
}

const PRO = person('plan', 'exact', 'pro');
const HOLDOUT = { id: null, seed: 'example-holdout', exclusion_percentage: 100 };
const LAST = rule('last', [], { value: 'wide' });

describe('a split', () => {
  it.each<[string, JsonObject, readonly [value: JsonValue, reason: string, index: number | null]]>([
    ['assigns by its seed', split('a', []), ['green', 'condition_match', 0]],
    ['that is paused gives the default', split('a', [], { paused: true }), ['standard', 'experiment_paused', 0]],
    [
      'that is paused has no holdout',
      split('a', [], { paused: true, holdout: HOLDOUT }),
      ['standard', 'experiment_paused', 0],
    ],
    ['of others is passed over', split('a', [PRO], { paused: true }), ['wide', 'condition_match', 1]],
    [
      'has a holdout before its rollout',
      split('a', [], { rollout_percentage: 0, holdout: HOLDOUT }),
      ['standard', 'holdout_condition_value', 0],
    ],
    [
      'with a holdout of nobody assigns',
      split('a', [], { holdout: { ...HOLDOUT, exclusion_percentage: 0 } }),
      ['green', 'condition_match', 0],
    ],
    ['of nobody goes on', split('a', [], { rollout_percentage: 0 }), ['wide', 'condition_match', 1]],
    [
      'of nobody may end with the default',
      split('a', [], { rollout_percentage: 0, on_rollout_miss: 'return_default' }),
      ['standard', 'out_of_rollout_bound', 0],
    ],
  ])('%s', (_name, first, [value, reason, conditionIndex]) => {
    // SHA1("example-split.person-3variant") begins with f31f53c835e3ac0, which is 0.95.
    const found = answer(textRules([first, LAST]), 'person-3');
    expect(found).toMatchObject({ value, reason, conditionIndex, ruled: { value } });
  });

  it('takes nobody without an identifier, nor does a holdout', () => {
    const rules = textRules([split('a', [], { holdout: HOLDOUT }), share('b', [], { value: 'shared' }), LAST]);
    expect(answer(rules, '')).toMatchObject({ value: 'wide', ruled: { id: 'last' } });
  });
});

describe('the value', () => {
  it.each<[string, string, JsonValue, Partial<Evaluation>]>([
    ['true', 'boolean', true, { value: true, enabled: true }],
    ['false', 'boolean', false, { value: false, enabled: false }],
    ['a string', 'string', 'compact', { value: 'compact', enabled: true, variant: 'compact' }],
    ['a number', 'number', 1.25, { value: true, enabled: true, payload: '1.25' }],
    ['zero', 'number', 0, { value: true, enabled: true, payload: '0' }],
    ['an object', 'object', { a: [1] }, { value: true, enabled: true, payload: '{"a":[1]}' }],
  ])('%s', (_name, type, value, expected) => {
    const filters = textRules([rule('a', [], { value })], { return_type: type, default_value: null });
    const { key: _key, conditionIndex: _index, reason: _reason, ...found } = answer(filters, 'user-1');
    expect(found).toEqual({ ...expected, ruled: { value, id: 'a', type: 'targeted_release' } });
  });

  it('is off without a default', () => {
    const found = answer(textRules([], { default_value: null }), 'user-1');
    expect(found).toMatchObject({ value: false, enabled: false, ruled: { value: null }, reason: 'no_condition_match' });
  });
});

describe('what the service fails to evaluate', () => {
  it.each<[string, JsonObject]>([
    ['another version', textRules([LAST], { version: 3 })],
    ['a version in quotation marks', textRules([LAST], { version: '2' })],
    ['an unknown member', textRules([LAST], { extra: 1 })],
    ['an unknown member of a rule', textRules([rule('a', [], { value: 'x', extra: 1 })])],
    ['a value of another type', textRules([rule('a', [], { value: 1 })])],
    ['a linked experiment', textRules([split('a', [], { experiment_id: 7 })])],
    ['a shared holdout', textRules([split('a', [], { holdout: { ...HOLDOUT, id: 7 } })])],
    ['weights whose sum is not 100', textRules([split('a', [], { variants: [{ key: 'a', weight: 50, value: 'a' }] })])],
    ['an id twice', textRules([LAST, LAST])],
    ['a cohort', textRules([rule('a', [{ key: 'id', type: 'cohort', value: 1 }], { value: 'x' })])],
    ['a group', textRules([LAST], { aggregation_group_type_index: 0 })],
    ['an unknown operator', textRules([rule('a', [person('x', 'sounds_like', 'y')], { value: 'x' })])],
  ])('%s', (_name, filters) => {
    expect(isUnreadable(flagWith(filters as Filters))).toBe(true);
    expect(answer(filters, 'user-1')).toMatchObject({ value: false, reason: 'unknown_format' });
  });

  it.each<[string, JsonObject]>([
    ['a number that is none', { ...person('seats', 'gt', '5') }],
    ['a pattern that is none', { ...person('seats', 'regex', '[') }],
  ])('%s, for those whom the rule concerns, and not the negation either', (_name, property) => {
    for (const negation of [true, false]) {
      const filters = textRules([rule('a', [PRO, { ...property, negation }], { value: 'x' }), LAST]);
      expect(answer(filters, 'user-1', { seats: 'many' })).toMatchObject({ value: 'wide' });
      expect(answer(filters, 'user-1', { plan: 'pro', seats: 'many' })).toMatchObject({ reason: 'unknown_format' });
    }
  });
});

/** 15 hexadecimal digits of SHA-1 as a fraction. */
function fractionOf(text: string): number {
  const digits = createHash('sha1').update(text).digest('hex').slice(0, 15);
  return Number(BigInt(`0x${digits}`)) / Number(0xfffffffffffffffn);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The same answer, read from the raw document step by step. */
function expected(filters: JsonObject, id: string, plan: JsonValue): JsonValue {
  const fallback = filters['default_value'] ?? null;
  for (const one of filters['rules'] as JsonObject[]) {
    const { targeting, paused, holdout, seed, rollout_percentage: percentage = 100, variants } = one;
    const { properties } = targeting as { readonly properties: readonly JsonObject[] };
    const isFor = (property: JsonObject): boolean => (plan === property['value']) !== (property['negation'] === true);
    if (!properties.every(isFor)) continue;
    if (paused === true) return fallback;
    if (isJsonObject(holdout)) {
      const { seed: own, exclusion_percentage: excluded } = holdout;
      if (excluded === 100 || fractionOf(`${textOf(own)}${id}`) <= Number(excluded) / 100) return fallback;
    }
    if (percentage === 100 || fractionOf(`${textOf(seed)}.${id}`) <= Number(percentage) / 100) {
      if (variants === undefined) return one['value'] ?? null;
      const hash = fractionOf(`${textOf(seed)}.${id}variant`);
      let bound = 0;
      const list = variants as { readonly weight: number; readonly value: JsonValue }[];
      return (list.find(({ weight }) => hash < (bound += weight / 100)) ?? list.at(-1))?.value ?? null;
    }
    if (one['on_rollout_miss'] === 'return_default') return fallback;
  }
  return fallback;
}

const percentage = fc.constantFrom(0, 1, 12.5, 50, 99.99, 100);
const seed = fc.string({ minLength: 1, maxLength: 8 });
const miss = fc.constantFrom('continue', 'return_default');
const targeted = fc.array(
  fc.record({ value: fc.constantFrom('pro', 'free'), negation: fc.boolean() }).map(({ value, negation }) => ({
    ...person('plan', 'exact', value),
    negation,
  })),
  { maxLength: 2 },
);
const shared = fc.record({ rollout_percentage: percentage, on_rollout_miss: miss, seed });
const oneRule = fc.oneof(
  fc.tuple(targeted, fc.string({ minLength: 1 })).map(([own, value]) => rule('', own, { value })),
  fc
    .tuple(targeted, shared, fc.string({ minLength: 1 }))
    .map(([own, more, value]) => share('', own, { ...more, value })),
  fc
    .tuple(
      targeted,
      shared,
      fc.record({ paused: fc.boolean(), first: fc.integer({ min: 0, max: 10_000 }) }),
      percentage,
      seed,
    )
    .map(([own, more, { paused, first }, excluded, ofHoldout]) =>
      split('', own, {
        ...more,
        paused,
        variants: [first, 0, 10_000 - first].map((part, index) => ({
          key: `v${index}`,
          weight: part / 100,
          value: `value ${index}`,
        })),
        holdout: { id: null, seed: ofHoldout, exclusion_percentage: excluded },
      }),
    ),
);

test('each answer is that of the document, read step by step', () => {
  const rules = fc
    .array(oneRule, { maxLength: 5 })
    .map((all) => all.map((one, index) => ({ ...one, id: `r${index}` })));
  const plan = fc.constantFrom('pro', 'free', 'other');
  const fallback = fc.constantFrom('standard', null);
  holds(
    200,
    [rules, fallback, fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1 }), plan],
    (all, own, ids, paid) => {
      const filters = textRules(all, { default_value: own });
      for (const id of ids) {
        const { ruled, value } = answer(filters, id, { plan: paid });
        expect(ruled?.value).toEqual(expected(filters, id, paid));
        expect(value).toEqual(ruled?.value ?? false);
      }
    },
  );
});
