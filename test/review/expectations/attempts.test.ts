/** Why an answer is not the expected one: what each condition makes of the person, as facts and in words. */

import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/report/phrase.ts';
import { caseEntry } from '../../../src/report/model/checks.ts';
import { judged } from './support.ts';

function reasons(flag: string, person: string, answer = 'true'): readonly string[] {
  const manifest = `flags:\n  a: ${flag}\n  other: { rollout_percentage: 0 }\n`;
  const [found] = judged(manifest, `expect: [{ person: ${person}, flags: { a: ${answer} } }]`);
  if (found === undefined) throw new Error('No case.');
  const { lines = [] } = caseEntry(found);
  return lines.slice(1).map(({ phrase }) =>
    plainText(phrase)
      .trim()
      .replace(/ {2}flags\/a\.yaml:\d+:\d+$/, ''),
  );
}

const groups = (...conditions: string[]): string => `{ filters: { groups: [${conditions.join(', ')}] } }`;
const asks = (filter: string, rest = ''): string => `{ properties: [{ ${filter} }]${rest} }`;

describe('a flag that is off says of each condition why', () => {
  test.each([
    ['another value', asks('key: plan, value: [pro]'), '{ id: x, properties: { plan: free } }', 'plan is free'],
    ['a missing property', asks('key: plan, value: pro'), '{ id: x }', 'the person has no plan'],
    ['a property of null', asks('key: plan, value: pro'), '{ id: x, properties: { plan: null } }', 'plan is null'],
    ['a property that is inherited', asks('key: toString, value: pro'), '{ id: x }', 'the person has no toString'],
    ['the id', asks('key: distinct_id, value: y'), '{ id: x }', 'distinct_id is x'],
    [
      'a long value',
      asks('key: plan, value: pro'),
      `{ id: x, properties: { plan: ${'y'.repeat(1000)} } }`,
      `plan is ${'y'.repeat(199)}…`,
    ],
    [
      'the second of two filters',
      '{ properties: [{ key: plan, value: pro }, { key: country, value: US }] }',
      '{ id: x, properties: { plan: pro } }',
      'the person has no country',
    ],
    ['a cohort', asks('key: id, type: cohort, value: staff'), '{ id: x }', 'the person is not in cohort staff'],
    [
      'a cohort to avoid',
      asks('key: id, type: cohort, operator: not_in, value: staff'),
      '{ id: x, cohorts: [staff] }',
      'the person is in cohort staff',
    ],
    [
      'another flag',
      asks('key: other, type: flag, operator: flag_evaluates_to, value: true'),
      '{ id: x }',
      'flag other is off',
    ],
    ['the rollout', '{ rollout_percentage: 0 }', '{ id: zoe }', 'a rollout of 12.97% or more includes zoe'],
  ])('%s', (_, condition, person, reason) => {
    expect(reasons(groups(condition), person).slice(1)).toEqual([`condition 1: ${reason}`]);
  });

  test.each([
    [
      'a group of the wrong plan',
      'groups: { 0: { key: acme, properties: { plan: free } } }',
      'plan of the group is free',
    ],
    ['a group without the property', 'groups: { 0: acme }', 'the group has no plan'],
    ['no group', 'cohorts: []', 'the person is in no group of type 0'],
  ])('%s', (_, member, reason) => {
    const condition = asks('key: plan, type: group, group_type_index: 0, value: pro');
    const flag = `{ filters: { aggregation_group_type_index: 0, groups: [${condition}] } }`;
    expect(reasons(flag, `{ id: x, ${member} }`).at(-1)).toContain(reason);
  });

  test('a missing device, which is no rollout', () => {
    const flag = '{ fields: { bucketing_identifier: device_id }, filters: { groups: [{ rollout_percentage: 50 }] } }';
    expect(reasons(flag, '{ id: x }')).toEqual([
      'got       off: the person is outside the rollout, or has no id for it',
      'condition 1 (everyone): the person has no device_id, by which the flag assigns people',
    ]);
    expect(reasons(flag, '{ id: x, device_id: d }', 'none').join()).not.toContain('no device_id');
  });

  test('each of several conditions, with the place of those that are not named before', () => {
    const flag = groups(asks('key: plan, value: pro'), '{ rollout_percentage: 0 }');
    const [got, ...conditions] = reasons(flag, '{ id: zoe }');
    expect(got).toBe('got       off: condition 2 (everyone) matches, but the person is outside its 0%');
    expect(conditions).toEqual([
      'condition 1 (plan is pro): the person has no plan',
      'condition 2: a rollout of 12.97% or more includes zoe',
    ]);
  });

  test('of ten conditions and how many more there are', () => {
    const flag = groups(...Array.from({ length: 12 }, () => asks('key: plan, value: pro')));
    expect(reasons(flag, '{ id: x }').slice(1)).toHaveLength(11);
    expect(reasons(flag, '{ id: x }').at(-1)).toBe('… and 2 more conditions');
  });
});

test('the position of an id is the least rollout, to two digits, that includes it', () => {
  const [position = ''] =
    /[\d.]+(?=% or more)/.exec(reasons(groups('{ rollout_percentage: 0 }'), '{ id: zoe }').join()) ?? [];
  const outcome = (share: number): unknown => {
    const manifest = `flags: { a: { rollout_percentage: ${share} } }`;
    return judged(manifest, 'expect: [{ person: { id: zoe }, flags: { a: true } }]')[0]?.verdict.outcome;
  };
  expect([Number(position), Number(position) - 0.01].map(outcome)).toEqual(['passed', 'failed']);
});

describe('another variant', () => {
  const variants =
    'multivariate: { variants: [{ key: one, rollout_percentage: 50 }, { key: two, rollout_percentage: 50 }] }';
  test.each([
    ['of the hash', '{}', /^condition 1: it matches, and zoe is at \d+(\.\d+)?% of the variants$/],
    ['that the condition forces', '{ variant: two }', /^condition 1: it matches and forces this variant$/],
  ])('%s', (_, condition, reason) => {
    const flag = `{ filters: { groups: [${condition}], ${variants} } }`;
    const [one, two] = ['one', 'two'].map((answer) => reasons(flag, '{ id: zoe }', answer).slice(1));
    expect([...(one ?? []), ...(two ?? [])]).toEqual([expect.stringMatching(reason)]);
  });
});

test.each([
  ['a disabled flag', '{ active: false, rollout_percentage: 100 }', 'true'],
  ['a wrong payload', '{ filters: { groups: [{}], payloads: { "true": 1 } } }', '{ payload: 2 }'],
  [
    'a wrong payload of the right variant',
    '{ filters: { groups: [{ variant: one }], multivariate: { variants: [{ key: one, rollout_percentage: 100 }] }, payloads: { one: 1 } } }',
    '{ value: one, payload: 2 }',
  ],
  ['a condition that matches everyone', groups('{}'), 'false'],
])('%s needs no more words', (_, flag, answer) => {
  expect(reasons(flag, '{ id: x }', answer)).toHaveLength(1);
});

test('an unknown answer says what makes it known', () => {
  expect(reasons('{ description: x }', '{ id: x }')).toEqual([
    'unknown   no manifest declares its conditions, so the service decides',
    '→ Declare its conditions, or remove the expectation.',
  ]);
});
