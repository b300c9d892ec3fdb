/** Live early access features as plans see them: which one a flag has, and in which stages people are enrolled. */

import { describe, expect, test } from 'vitest';
import {
  allLive,
  type EarlyAccessFeature,
  findByFlag,
  isEnrolling,
} from '../../../src/posthog/early-access/feature.ts';
import { liveFlag } from '../../helpers/states.ts';

const feature = (id: string, flag: number | null, more: object = {}): EarlyAccessFeature =>
  ({
    id,
    name: id,
    stage: 'beta',
    feature_flag: flag === null ? null : { id: flag, key: 'x' },
    ...more,
  }) as unknown as EarlyAccessFeature;

test('a feature is known by its flag, has empty values for what it lacks, and is left out without a flag', () => {
  const rest = { name: 'a', stage: 'beta', documentation_url: 'https://x.example', payload: [1] };
  expect(allLive([feature('a', 7, rest), feature('b', null), feature('c', 8, { description: 'D', later: 1 })])).toEqual(
    [
      { id: 7, feature_id: 'a', description: '', ...rest },
      { id: 8, feature_id: 'c', name: 'c', stage: 'beta', description: 'D', documentation_url: '', payload: {} },
    ],
  );
  expect(allLive([feature('a', null, { feature_flag: { key: 'x' } })])).toEqual([]);
});

describe('the feature of a flag', () => {
  const early_access = allLive([feature('a', 1), feature('b', 2), feature('c', 3)]);
  const flags = [
    liveFlag(2, 'twice', { deleted: true }),
    liveFlag(1, 'one'),
    liveFlag(3, 'twice'),
    liveFlag(4, 'none'),
  ];
  const found = (key: string): unknown => findByFlag(key, { flags, early_access })?.feature_id;

  test('is that of the flag in use with the key', () => {
    expect(['one', 'twice', 'none', 'absent'].map(found)).toEqual(['a', 'c', undefined, undefined]);
    expect(findByFlag('one', { flags })).toBeUndefined();
  });
});

test.each([
  ['draft', false],
  ['concept', false],
  ['alpha', true],
  ['beta', true],
  ['general-availability', true],
  ['archived', false],
  [undefined, false],
])('people who enrolled have the flag in stage %s: %s', (stage, expected) => {
  expect(isEnrolling(stage)).toBe(expected);
});

describe('who is enrolled', () => {
  const SOME = [{ properties: [], rollout_percentage: 10 }];
  const MARKED = { groups: SOME, feature_enrollment: true };
  const GROUPS = { groups: SOME, super_groups: [{ properties: [{ key: '$feature_enrollment/x' }] }] };

  test.each<[string, string, object | undefined, boolean | undefined]>([
    ['as the stage says', 'beta', MARKED, undefined],
    ['as the stage of an earlier service says', 'beta', GROUPS, undefined],
    ['nobody, as the stage says', 'concept', { groups: SOME }, undefined],
    ['nobody, against the stage', 'beta', { groups: SOME, feature_enrollment: null }, false],
    ['nobody, by another value than true', 'alpha', { groups: SOME, feature_enrollment: 'true' }, false],
    ['people, against the stage', 'concept', MARKED, true],
    ['people, against the end', 'archived', GROUPS, true],
    ['as earlier services wrote a concept', 'concept', GROUPS, undefined],
    ['everybody, who need not enrol', 'general-availability', { groups: [{ properties: [] }] }, undefined],
    ['nobody, and some have the flag', 'general-availability', { groups: SOME }, false],
    ['not known: another format', 'beta', { version: 2, rules: [] }, undefined],
    ['not known: no filters', 'beta', undefined, undefined],
  ])('is %s, under the stage %s', (_what, stage, filters, expected) => {
    const [live] = allLive([feature('a', 7, { stage, feature_flag: { id: 7, key: 'x', filters } })]);
    expect(live?.enrollment).toBe(expected);
    const deleted = { id: 7, key: 'x', filters, deleted: true };
    expect(allLive([feature('a', 7, { stage, feature_flag: deleted })])[0]?.enrollment).toBeUndefined();
  });
});
