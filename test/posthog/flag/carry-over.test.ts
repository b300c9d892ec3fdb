import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/canonical.ts';
import { withCarriedMembers } from '../../../src/posthog/flag/carry-over.ts';

const groups = (...conditions: readonly JsonValue[]): JsonObject => ({ filters: { groups: conditions } });
const condition = (name: string, carried: JsonObject = {}): JsonObject => ({ description: name, ...carried });
const key = (text: string): JsonObject => ({ sort_key: text });
const property = (name: string, value: JsonValue, carried: JsonObject = {}): JsonObject => ({
  key: name,
  value,
  ...carried,
});
const holding = (...properties: readonly JsonValue[]): JsonObject => groups({ properties });
const label = (text: string): JsonObject => ({ label: text });

/** `named`: the fields with their dependencies named as in `live`. */
const carry = (fields: JsonObject, live: JsonObject, named = fields): JsonObject =>
  withCarriedMembers(
    { written: fields, canonical: canonicalFlag(named) },
    { written: live, canonical: canonicalFlag(live) },
  );

describe('what is carried over', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'goes with its condition, wherever that stands',
      groups(condition('b'), condition('new'), condition('a')),
      groups(condition('a', key('1')), condition('b', key('2'))),
      groups(condition('b', key('2')), condition('new'), condition('a', key('1'))),
    ],
    [
      'goes with the condition that means the same',
      groups({ ...condition('a'), rollout_percentage: 100 }),
      groups({ ...condition('a', key('1')), properties: [], variant: null }),
      groups({ ...condition('a'), rollout_percentage: 100, ...key('1') }),
    ],
    [
      'goes to conditions that changed in their order, among those left over',
      groups(condition('c'), condition('x'), condition('y'), condition('z')),
      groups(condition('a', key('1')), condition('b', key('2')), condition('c', key('3'))),
      groups(condition('c', key('3')), condition('x', key('1')), condition('y', key('2')), condition('z')),
    ],
    [
      'goes to one of two that are equal, and to each its own',
      groups(condition('a'), condition('a'), condition('a')),
      groups(condition('a', key('1')), condition('a', key('2'))),
      groups(condition('a', key('1')), condition('a', key('2')), condition('a')),
    ],
    [
      'is what a manifest declares itself, also as null',
      groups(condition('a', key('declared')), condition('b', { sort_key: null })),
      groups(condition('a', key('1')), condition('b', key('2'))),
      groups(condition('a', key('declared')), condition('b', { sort_key: null })),
    ],
    [
      'is every such member',
      groups(condition('a')),
      groups(condition('a', { ...key('1'), ...label('L'), other: 'x' })),
      groups(condition('a', { ...key('1'), ...label('L') })),
    ],
    [
      'goes with properties of the same key, changed or moved',
      holding(property('plan', 'free'), property('email', 'a')),
      holding(property('email', 'a', label('E')), property('plan', 'pro', label('P'))),
      holding(property('plan', 'free', label('P')), property('email', 'a', label('E'))),
    ],
    [
      'goes with the property that stays where several have its key',
      holding(property('plan', 'new'), property('plan', 'pro')),
      holding(property('plan', 'pro', label('1')), property('plan', 'team', label('2'))),
      holding(property('plan', 'new', label('2')), property('plan', 'pro', label('1'))),
    ],
    [
      'does not go to a property of another key',
      holding(property('country', 'DE')),
      holding(property('plan', 'pro', label('P'))),
      holding(property('country', 'DE')),
    ],
    [
      'goes with a key that is a number',
      holding(property('7', 'x')),
      holding({ ...property('', 'y', label('7')), key: 7 }),
      holding(property('7', 'x', label('7'))),
    ],
    [
      'goes with a flag that is named by an id alone',
      holding({ key: 9, type: 'flag', value: 'x' }),
      holding({ key: 9, type: 'flag', value: true, ...label('N') }),
      holding({ key: 9, type: 'flag', value: 'x', ...label('N') }),
    ],
    [
      'does not go from an element with a key to one without, nor back',
      groups({ properties: [{ value: 'x' }] }, { properties: [property('plan', 'x')] }),
      groups({ properties: [property('plan', 'y', label('P'))] }, { properties: [{ value: 'y', ...label('O') }] }),
      groups({ properties: [{ value: 'x' }] }, { properties: [property('plan', 'x')] }),
    ],
    ['is nothing where nothing was', groups(condition('a')), { filters: {} }, groups(condition('a'))],
    ['is nothing of a list that is none', groups(condition('a')), { filters: { groups: 'x' } }, groups(condition('a'))],
    [
      'is nothing for a list that is none',
      { filters: { groups: 7 } },
      groups(condition('a', key('1'))),
      { filters: { groups: 7 } },
    ],
    [
      'is nothing for elements that are none',
      groups(1, null, 'x'),
      groups(condition('a', key('1'))),
      groups(1, null, 'x'),
    ],
    ['is nothing of other fields', { name: 'a' }, { name: 'b', sort_key: 'x', label: 'y' }, { name: 'a' }],
    [
      'is nothing of variants and payloads',
      { filters: { multivariate: { variants: [{ key: 'a' }] }, payloads: { true: {} } } },
      { filters: { multivariate: { variants: [{ key: 'a', ...key('1') }] }, payloads: { true: label('x') } } },
      { filters: { multivariate: { variants: [{ key: 'a' }] }, payloads: { true: {} } } },
    ],
  ])('%s', (_name, wanted, live, expected) => {
    const before = structuredClone([wanted, live]);
    expect(carry(wanted, live)).toEqual(expected);
    expect([wanted, live]).toEqual(before);
  });

  it('recognises conditions by the names that the live flag has', () => {
    const on = (name: string | number): JsonObject => ({ properties: [{ key: name, type: 'flag', value: true }] });
    const wanted = groups(on(7), on('b'));
    const live = groups({ ...on('b'), ...key('b') }, { ...on('a'), ...key('a') });
    expect(carry(wanted, live, groups(on('a'), on('b')))).toEqual(
      groups({ ...on(7), ...key('a') }, { ...on('b'), ...key('b') }),
    );
  });

  it('does not take what the prototype has', () => {
    const wanted = JSON.parse('{"filters": {"groups": [{"__proto__": {"a": 1}}]}}') as JsonObject;
    expect(JSON.stringify(carry(wanted, groups(condition('a', key('1')))))).toBe(
      '{"filters":{"groups":[{"__proto__":{"a":1},"sort_key":"1"}]}}',
    );
  });
});
