/** Members that no comparison looks at are carried over into what is sent. */

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { canonicalFlag } from '../../../src/posthog/flag/model/canonical.ts';
import { withCarriedMembers } from '../../../src/posthog/flag/find-changes.ts';

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

describe('a member that is never compared', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'is carried over with its condition, even to another position',
      groups(condition('b'), condition('new'), condition('a')),
      groups(condition('a', key('1')), condition('b', key('2'))),
      groups(condition('b', key('2')), condition('new'), condition('a', key('1'))),
    ],
    [
      'is carried over to an equivalent condition',
      groups({ ...condition('a'), rollout_percentage: 100 }),
      groups({ ...condition('a', key('1')), properties: [], variant: null }),
      groups({ ...condition('a'), rollout_percentage: 100, ...key('1') }),
    ],
    [
      'is carried over to changed conditions in order, after unchanged ones are matched',
      groups(condition('c'), condition('x'), condition('y'), condition('z')),
      groups(condition('a', key('1')), condition('b', key('2')), condition('c', key('3'))),
      groups(condition('c', key('3')), condition('x', key('1')), condition('y', key('2')), condition('z')),
    ],
    [
      'is carried over to one condition each if several are equal',
      groups(condition('a'), condition('a'), condition('a')),
      groups(condition('a', key('1')), condition('a', key('2'))),
      groups(condition('a', key('1')), condition('a', key('2')), condition('a')),
    ],
    [
      'is not carried over if a manifest declares it, even as null',
      groups(condition('a', key('declared')), condition('b', { sort_key: null })),
      groups(condition('a', key('1')), condition('b', key('2'))),
      groups(condition('a', key('declared')), condition('b', { sort_key: null })),
    ],
    [
      'is carried over if it is a sort key or a label, unlike other members',
      groups(condition('a')),
      groups(condition('a', { ...key('1'), ...label('L'), other: 'x' })),
      groups(condition('a', { ...key('1'), ...label('L') })),
    ],
    [
      'is carried over to the property with the same key, changed or moved',
      holding(property('plan', 'free'), property('email', 'a')),
      holding(property('email', 'a', label('E')), property('plan', 'pro', label('P'))),
      holding(property('plan', 'free', label('P')), property('email', 'a', label('E'))),
    ],
    [
      'is carried over to the unchanged property if several have its key',
      holding(property('plan', 'new'), property('plan', 'pro')),
      holding(property('plan', 'pro', label('1')), property('plan', 'team', label('2'))),
      holding(property('plan', 'new', label('2')), property('plan', 'pro', label('1'))),
    ],
    [
      'is not carried over to a property with another key',
      holding(property('country', 'DE')),
      holding(property('plan', 'pro', label('P'))),
      holding(property('country', 'DE')),
    ],
    [
      'is carried over from a numeric key to the same key as text',
      holding(property('7', 'x')),
      holding({ ...property('', 'y', label('7')), key: 7 }),
      holding(property('7', 'x', label('7'))),
    ],
    [
      'is carried over with a dependency on an id',
      holding({ key: 9, type: 'flag', value: 'x' }),
      holding({ key: 9, type: 'flag', value: true, ...label('N') }),
      holding({ key: 9, type: 'flag', value: 'x', ...label('N') }),
    ],
    [
      'is not carried over between a property with a key and one without',
      groups({ properties: [{ value: 'x' }] }, { properties: [property('plan', 'x')] }),
      groups({ properties: [property('plan', 'y', label('P'))] }, { properties: [{ value: 'y', ...label('O') }] }),
      groups({ properties: [{ value: 'x' }] }, { properties: [property('plan', 'x')] }),
    ],
    [
      'is not carried over from filters without conditions',
      groups(condition('a')),
      { filters: {} },
      groups(condition('a')),
    ],
    [
      'is not carried over from conditions that are not a list',
      groups(condition('a')),
      { filters: { groups: 'x' } },
      groups(condition('a')),
    ],
    [
      'is not carried over to conditions that are not a list',
      { filters: { groups: 7 } },
      groups(condition('a', key('1'))),
      { filters: { groups: 7 } },
    ],
    [
      'is not carried over to conditions that are not objects',
      groups(1, null, 'x'),
      groups(condition('a', key('1'))),
      groups(1, null, 'x'),
    ],
    ['is not carried over in other fields', { name: 'a' }, { name: 'b', sort_key: 'x', label: 'y' }, { name: 'a' }],
    [
      'is not carried over in variants and payloads',
      { filters: { multivariate: { variants: [{ key: 'a' }] }, payloads: { true: {} } } },
      { filters: { multivariate: { variants: [{ key: 'a', ...key('1') }] }, payloads: { true: label('x') } } },
      { filters: { multivariate: { variants: [{ key: 'a' }] }, payloads: { true: {} } } },
    ],
  ])('%s', (_name, wanted, live, expected) => {
    const before = structuredClone([wanted, live]);
    expect(carry(wanted, live)).toEqual(expected);
    expect([wanted, live]).toEqual(before);
  });

  it('is carried over to conditions matched by the dependency names of the live flag', () => {
    const on = (name: string | number): JsonObject => ({ properties: [{ key: name, type: 'flag', value: true }] });
    const wanted = groups(on(7), on('b'));
    const live = groups({ ...on('b'), ...key('b') }, { ...on('a'), ...key('a') });
    expect(carry(wanted, live, groups(on('a'), on('b')))).toEqual(
      groups({ ...on(7), ...key('a') }, { ...on('b'), ...key('b') }),
    );
  });

  it('is carried over to a condition with a member named __proto__', () => {
    const wanted = JSON.parse('{"filters": {"groups": [{"__proto__": {"a": 1}}]}}') as JsonObject;
    expect(JSON.stringify(carry(wanted, groups(condition('a', key('1')))))).toBe(
      '{"filters":{"groups":[{"__proto__":{"a":1},"sort_key":"1"}]}}',
    );
  });
});
