/** Changes that reach somebody whom no person with the properties of one condition alone stands for. */

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { impactTexts } from '../../../src/report/words/effects.ts';
import { declared, liveFlag } from '../../helpers/states.ts';
import { audiencesOf, impactOf } from './support.ts';

type Groups = readonly JsonObject[];

const is = (key: string, value: JsonValue, operator = 'exact'): JsonObject => ({
  key,
  type: 'person',
  operator,
  value,
});
const when = (properties: Groups, rollout_percentage = 100): JsonObject => ({
  properties: [...properties],
  rollout_percentage,
});
const on = (key: string | number, value: JsonValue = true): JsonObject => ({
  key,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
});
const ofGroup = (type: number, share: number): JsonObject => ({
  ...when([], share),
  aggregation_group_type_index: type,
});
const everyone = (share: number): Groups => [when([], share)];
const countries = (last: number): Groups =>
  Array.from({ length: 9 }, (_, index) => when([is('country', [`C${index}`])], index === 8 ? last : 10));

interface Case {
  /** Of `base`, which `top` depends on, or of `top` alone. */
  readonly base?: readonly [before: Groups, after: Groups];
  readonly top: readonly [before: Groups, after: Groups];
  /** The greatest shares that turn on and off. */
  readonly expected: readonly [turnsOn: number, turnsOff: number];
}

const same = (groups: Groups): readonly [Groups, Groups] => [groups, groups];
const CASES: Readonly<Record<string, Case>> = {
  'a dependency that is false': {
    base: [everyone(50), everyone(75)],
    top: same([when([on('base', false)])]),
    expected: [0, 25],
  },
  'the ninth condition of a dependency': {
    base: [countries(10), countries(60)],
    top: same([when([on('base')])]),
    expected: [50, 0],
  },
  'a condition of a dependency that is met by absence': {
    base: [[when([is('plan', ['pro'], 'is_not')], 10)], [when([is('plan', ['pro'], 'is_not')], 30)]],
    top: same([when([on('base')])]),
    expected: [20, 0],
  },
  'other conditions with negations of two properties': {
    top: [
      [when([is('country', ['US'], 'is_not')]), when([is('plan', ['pro'], 'is_not')]), when([], 10)],
      [when([is('country', ['US'], 'is_not')]), when([is('plan', ['pro'], 'is_not')]), when([], 50)],
    ],
    expected: [40, 0],
  },
  'another regular expression': {
    top: [[when([is('email', '^a.*@acme', 'regex')])], [when([is('email', '^a.+@acme', 'regex')])]],
    expected: [100, 100],
  },
  'the end of a string in place of any part of it': {
    top: [[when([is('email', '@acme.com', 'icontains')])], [when([is('email', '@acme.com', 'ends_with')])]],
    expected: [0, 100],
  },
  'a caret in place of a tilde': {
    top: [[when([is('version', '1.2.3', 'semver_tilde')])], [when([is('version', '1.2.3', 'semver_caret')])]],
    expected: [100, 0],
  },
  'two dates, of which only the service may know what they mean': {
    top: [
      [when([is('since', 'next spring', 'is_date_after')], 0)],
      [when([is('since', 'next spring', 'is_date_after'), is('since', 'this winter', 'is_date_after')])],
    ],
    expected: [100, 0],
  },
  'an operator of cohorts on a group, which evaluation finds nobody with': {
    top: [[when([{ ...is('id', ['acme'], 'not_in'), type: 'group' }])], [when([])]],
    expected: [100, 0],
  },
  'several types of groups, each with its hash': {
    top: [[ofGroup(0, 0)], [0, 1, 2, 3, 4].map((type) => ofGroup(type, 25))],
    expected: [76.269531, 0],
  },
  'a dependency by number': {
    base: [everyone(10), everyone(50)],
    top: [[when([on('base')])], [when([on(1)], 90)]],
    expected: [36, 1],
  },
};

describe('impact', () => {
  it.each(Object.entries(CASES))('says who is reached by %s', (_, { base, top, expected }) => {
    const live = [
      ...(base === undefined ? [] : [flagOf(1, 'base', base[0])]),
      flagOf(2, 'top', JSON.parse(JSON.stringify(top[0]).replaceAll('"key":"base"', '"key":"1"')) as Groups),
    ];
    const desired = [
      ...(base === undefined ? [] : [declared('base', { filters: { groups: [...base[1]] } })]),
      declared('top', { filters: { groups: [...top[1]] } }),
    ];
    const found = impactOf(live, ...desired).flags.find(({ key }) => key === 'top');
    if (found === undefined) throw new Error('Nothing is said.');
    expect(impactTexts(found).join('\n')).not.toContain('nobody gets a different value');
    const greatest = (kind: 'turnsOn' | 'turnsOff'): number =>
      Math.max(...audiencesOf(found).map(({ shares }) => shares[kind]));
    expect([greatest('turnsOn'), greatest('turnsOff')]).toEqual(expected);
  });
});

function flagOf(id: number, key: string, groups: Groups): Flag {
  return liveFlag(id, key, { filters: { groups: [...groups] } });
}
