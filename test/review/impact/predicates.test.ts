/** When two filters ask the same, and what each asks. */

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { askedBy, numbersIn, versionIn, type PredicateQuestion } from '../../../src/review/impact/predicates.ts';
import type { Property } from '../../../src/posthog/flag/model/flag.ts';
import { NOW } from './support.ts';

const READING = { generation: 'rust-2026', now: NOW, timeZone: 'UTC' } as const;
const OLDER = { ...READING, generation: 'python-2023' } as const;

const filter = (operator: string, value?: JsonValue, more: object = {}): Property =>
  ({ key: 'a', type: 'person', operator, ...(value === undefined ? {} : { value }), ...more }) as Property;

type Asked = readonly [operator: string, value?: JsonValue];

const asked = ([operator, value]: Asked, reading: Parameters<typeof askedBy>[2] = READING): PredicateQuestion =>
  askedBy(filter(operator, value), null, reading);

/** What distinguishes a question from others. */
function identityOf(question: PredicateQuestion): unknown {
  return question.kind === 'predicate' ? [question.subject, question.predicate.name, question.isTrue] : question;
}

describe('filters ask', () => {
  it.each<[one: Asked, other: Asked]>([
    [
      ['exact', ['x', 'y']],
      ['exact', ['Y', 'X']],
    ],
    [
      ['exact', 'x'],
      ['exact', ['x', 'X']],
    ],
    [
      ['exact', 'true'],
      ['exact', [true]],
    ],
    [
      ['icontains', 'A'],
      ['icontains_multi', ['a']],
    ],
    [
      ['icontains_multi', ['a', 'b']],
      ['icontains_multi', ['B', 'A']],
    ],
    [['is_set', 'x'], ['is_set']],
    [
      ['gt', '5'],
      ['gt', '5'],
    ],
  ])('the same: %j and %j', (one, other) => {
    expect(identityOf(asked(one))).toEqual(identityOf(asked(other)));
  });

  it.each<[one: Asked, other: Asked]>([
    [
      ['exact', 'x'],
      ['exact', 'y'],
    ],
    [
      ['exact', ['x']],
      ['exact', ['x', 'y']],
    ],
    [
      ['exact', 'true'],
      ['exact', 'false'],
    ],
    [
      ['exact', 'true'],
      ['exact', ['true', 'false']],
    ],
    [
      ['exact', 'x'],
      ['is_not', 'x'],
    ],
    [
      ['icontains', 'a'],
      ['icontains', 'b'],
    ],
    [
      ['icontains', 'a'],
      ['starts_with', 'a'],
    ],
    [
      ['starts_with', 'a'],
      ['ends_with', 'a'],
    ],
    [
      ['gt', '5'],
      ['gt', '6'],
    ],
    [
      ['gt', '5'],
      ['gte', '5'],
    ],
    [
      ['regex', 'a'],
      ['regex', 'b'],
    ],
    [
      ['is_date_before', '2026-01-01'],
      ['is_date_before', '2026-01-02'],
    ],
    [
      ['is_date_before', '2026-01-01'],
      ['is_date_after', '2026-01-01'],
    ],
    [
      ['semver_gte', '1.2.3'],
      ['semver_gte', '1.2.4'],
    ],
    [['is_set'], ['is_not_set']],
  ])('something else: %j and %j', (one, other) => {
    expect(identityOf(asked(one))).not.toEqual(identityOf(asked(other)));
  });

  it('the opposite, of what any two values can be compared by', () => {
    for (const [operator, negation, value] of [
      ['exact', 'is_not', 'x'],
      ['icontains', 'not_icontains', 'x'],
      ['is_set', 'is_not_set', 'x'],
    ] as const) {
      const [one, other] = [asked([operator, value]), asked([negation, value])];
      expect([one, other]).toMatchObject([{ isTrue: true }, { isTrue: false }]);
      if (one.kind === 'predicate' && other.kind === 'predicate') expect(one.predicate.name).toBe(other.predicate.name);
    }
  });

  it('what excludes the opposite, of what not every value can be compared by', () => {
    const [one, other] = [asked(['regex', 'x']), asked(['not_regex', 'x'])];
    expect(one).toMatchObject({ isTrue: true, predicate: { name: 'regex "x"', excludes: 'not_regex "x"' } });
    expect(other).toMatchObject({ isTrue: true, predicate: { name: 'not_regex "x"', excludes: 'regex "x"' } });
    expect(asked(['exact', 'x'])).not.toHaveProperty('predicate.excludes');
  });
});

it.each<[Asked, string]>([
  [['is_set'], 'set'],
  [['exact', 'x'], 'value'],
  [['exact', true], 'truth'],
  [['exact', ['TRUE']], 'truth'],
  [['icontains', 'x'], 'part'],
  [['icontains_multi', ['x']], 'part'],
  [['starts_with', 'x'], 'part'],
  [['gt', '5'], 'number'],
  [['gt', 'five'], 'free'],
  [['regex', 'x'], 'free'],
  [['is_date_before', '-7d'], 'relative date'],
  [['is_date_before', '2026-01-01'], 'date without offset'],
  [['is_date_before', '2026-01-01T10:00:00'], 'date without offset'],
  [['is_date_before', '2026-01-01T10:00:00Z'], 'date with offset'],
  [['is_date_before', '2026-01-01T10:00:00+02:00'], 'date with offset'],
  [['is_date_before', 'never'], 'free'],
  [['semver_gte', '1.2.3'], 'version'],
  [['semver_gte', 'one'], 'free'],
])('%j is of the kind %s', (one, kind) => {
  expect(asked(one)).toMatchObject({ kind: 'predicate', predicate: { kind } });
});

it('an older service compares no numbers but ranges, and no truth', () => {
  expect(asked(['gt', '5'], OLDER)).toMatchObject({ predicate: { kind: 'free' } });
  expect(asked(['between', ['1', '5']], OLDER)).toMatchObject({ predicate: { kind: 'number' } });
  expect(asked(['exact', 'true'], OLDER)).toMatchObject({ predicate: { kind: 'value' } });
  expect(identityOf(asked(['exact', 'X'], OLDER))).not.toEqual(identityOf(asked(['exact', 'x'], OLDER)));
});

it.each<[string, Property, number | null, object]>([
  ['a person', filter('exact', 'x'), null, { subject: 'person a' }],
  ['a person, also of a condition on groups', filter('exact', 'x'), 1, { subject: 'person a' }],
  ['the group of the condition', filter('exact', 'x', { type: 'group' }), 1, { subject: 'group 1 a' }],
  ['its own group', filter('exact', 'x', { type: 'group', group_type_index: 2 }), 1, { subject: 'group 2 a' }],
  ['no group', filter('exact', 'x', { type: 'group' }), null, { kind: 'constant', answer: false }],
  ['no group, negated', filter('is_not_set', 'x', { type: 'group' }), null, { kind: 'constant', answer: true }],
  ['no value', filter('exact'), null, { kind: 'constant', answer: false }],
  ['no value where none is needed', filter('is_set'), null, { kind: 'predicate', subject: 'person a' }],
  [
    'a cohort',
    filter('in', 42, { type: 'cohort' }),
    null,
    { subject: 'cohort 42', isTrue: true, predicate: { name: 'in', excludes: 'not_in' } },
  ],
  [
    'those outside of a cohort',
    filter('not_in', 42, { type: 'cohort' }),
    null,
    { subject: 'cohort 42', isTrue: true, predicate: { name: 'not_in', excludes: 'in' } },
  ],
  ['an operator that is unknown', filter('resembles', 'x'), null, { kind: 'unknown' }],
])('a filter on %s', (_, property, aggregation, expected) => {
  expect(askedBy(property, aggregation, READING)).toMatchObject(expected);
});

it('numbers and versions are read from what a filter compares with', () => {
  const between = asked(['between', ['1', '5']]);
  expect(between.kind === 'predicate' ? numbersIn(between.predicate) : between).toEqual([1, 5]);
  const above = asked(['gt', '5']);
  expect(above.kind === 'predicate' ? numbersIn(above.predicate) : above).toEqual([5]);
  expect(versionIn('1.2.*')).toEqual(versionIn('1.2'));
  expect(versionIn('1.x')).toEqual(versionIn('1'));
  expect(versionIn('*')).toEqual(versionIn('0'));
  expect(versionIn('one')).toBeUndefined();
});
