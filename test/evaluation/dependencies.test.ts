/** Dependencies of flags: by id and key, chains, cycles, and missing flags. */

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { evaluateFlag, evaluateFlags, prepareFlags } from '../../src/evaluation/evaluate.ts';
import type { FlagValue, Reason } from '../../src/evaluation/input.ts';
import type { Filters, Flag, Property } from '../../src/posthog/flag/model/flag.ts';
import { contextWith, inputFor, subjectWith } from './support.ts';

function on(key: string | number, value: JsonValue = true, operator = 'flag_evaluates_to'): Property {
  return { key: String(key), type: 'flag', operator, value };
}

function flag(id: number, key: string, part: Partial<Flag> = {}): Flag {
  return { id, key, active: true, filters: { groups: [{}] }, ...part };
}

function dependent(id: number, key: string, ...properties: readonly Property[]): Flag {
  return flag(id, key, { filters: { groups: [{ properties }] } });
}

const variant: Filters = { groups: [{}], multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] } };
const ruled = flag(3, 'ruled', { filters: { version: 2, rules: [] } });
const off = flag(2, 'off', { filters: { groups: [] } });

const CASES: readonly (readonly [why: string, property: Property, others: readonly Flag[], FlagValue, Reason])[] = [
  ['on, by id', on(1), [flag(1, 'base')], true, 'condition_match'],
  ['on, by key', on('base'), [flag(1, 'base')], true, 'condition_match'],
  ['on, wanted off', on(1, false), [flag(1, 'base')], false, 'no_condition_match'],
  ['off, wanted off', on(2, false), [off], true, 'condition_match'],
  ['off, wanted on', on(2), [off], false, 'no_condition_match'],
  ['a variant counts as on', on(1), [flag(1, 'base', { filters: variant })], true, 'condition_match'],
  ['that variant', on(1, 'blue'), [flag(1, 'base', { filters: variant })], true, 'condition_match'],
  ['another variant', on(1, 'red'), [flag(1, 'base', { filters: variant })], false, 'no_condition_match'],
  ['the string "true" is a variant', on(1, 'true'), [flag(1, 'base')], false, 'no_condition_match'],
  ['neither boolean nor string', on(1, 1), [flag(1, 'base')], false, 'no_condition_match'],
  ['another operator', on(1, true, 'exact'), [flag(1, 'base')], false, 'no_condition_match'],
  ['an inactive flag is off', on(1, false), [flag(1, 'base', { active: false })], true, 'condition_match'],
  ['an unknown flag', on(9, false), [], false, 'missing_dependency'],
  ['a flag with rules', on(3, false), [ruled], false, 'missing_dependency'],
  ['a deleted flag', on(1, false), [flag(1, 'base', { deleted: true })], false, 'missing_dependency'],
  ['itself', on(7), [], false, 'missing_dependency'],
  ['a cycle', on(1, false), [dependent(1, 'base', on(7))], false, 'missing_dependency'],
  [
    'an indirect dependency on a missing flag',
    on(1, false),
    [dependent(1, 'base', on(9))],
    false,
    'missing_dependency',
  ],
  [
    'the dependencies of an inactive flag do not count',
    on(1, false),
    [{ ...dependent(1, 'base', on(9)), active: false }],
    true,
    'condition_match',
  ],
  ['an id precedes an equal key', on(2, false), [flag(1, '2'), off], true, 'condition_match'],
];

describe('a dependency', () => {
  it.each(CASES)('%s', (_, property, others, value, reason) => {
    const input = inputFor([dependent(7, 'top', property), ...others]);
    expect(evaluateFlag('top', input)).toMatchObject({ value, reason });
    expect(evaluateFlags(input).get('top')).toEqual(evaluateFlag('top', input));
  });
});

describe('evaluateFlags', () => {
  it('has every flag that is not deleted, in the order given', () => {
    const flags = [
      dependent(3, 'c', on(1)),
      off,
      flag(1, 'base', { active: false }),
      flag(4, 'gone', { deleted: true }),
    ];
    expect([...evaluateFlags(inputFor(flags)).keys()]).toEqual(['c', 'off', 'base']);
  });

  it('evaluates flags outside of a cycle', () => {
    const flags = [dependent(1, 'a', on(2)), dependent(2, 'b', on(1)), flag(3, 'c'), dependent(4, 'd', on(3))];
    expect([...evaluateFlags(inputFor(flags)).values()].map(({ value }) => value)).toEqual([false, false, true, true]);
  });

  it('follows a chain of 5,000 flags', () => {
    const chain = Array.from({ length: 5000 }, (_, i) => (i === 0 ? flag(0, 'f0') : dependent(i, `f${i}`, on(i - 1))));
    expect(evaluateFlag('f4999', inputFor(chain.toReversed()))?.value).toBe(true);
  });
});

it('a flag with rules has no known value, unless it is disabled', () => {
  const evaluate = (part: Partial<Flag>): unknown => evaluateFlag('ruled', inputFor([{ ...ruled, ...part }]))?.reason;
  expect([evaluate({}), evaluate({ active: false })]).toEqual(['unknown_format', 'flag_disabled']);
});

it('orders the flags once for all people', () => {
  let reads = 0;
  const counted: Flag = {
    id: 1,
    key: 'counted',
    active: true,
    get filters() {
      reads += 1;
      return {};
    },
  };
  const others = [flag(2, 'other'), flag(3, 'another')];
  const input = { context: contextWith(), subject: subjectWith() };
  const readsOf = (run: () => unknown): number => {
    const before = reads;
    run();
    return reads - before;
  };
  const flags = [counted, ...others];
  const evaluate = prepareFlags(flags);
  const [first, second] = [readsOf(() => evaluate(input)), readsOf(() => evaluate(input))];
  expect(second).toBe(first);
  expect(readsOf(() => evaluateFlags({ ...input, flags }))).toBeGreaterThan(first);
  expect(evaluate(input)).toEqual(evaluateFlags({ ...input, flags }));
});
