/** Conditions that release or hide a flag by a slip: what is found, where, and how one place is silenced. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { matchesCondition } from '../../../../src/evaluation/condition.ts';
import { matchesProperty } from '../../../../src/evaluation/match-property.ts';
import { checkSlips } from '../../../../src/posthog/flag/checks/slips.ts';
import { ALL_SOUND } from '../../../../src/core/manifest/declaration.ts';
import { holds } from '../../../helpers/runs.ts';
import { problems, problemsOfFilters, problemsOfProperty } from '../../../core/manifest/check.ts';

describe('a property', () => {
  it.each([
    ['{ key: k, operator: exact, value: [] }', ['warning value-allows-none /value']],
    ['{ key: k, value: [] }', ['warning value-allows-none /value']],
    ['{ key: k, operator: is_not, value: [] }', ['error value-excludes-none /value']],
    ['{ key: k, operator: icontains_multi, value: [] }', ['warning value-allows-none /value']],
    ['{ key: k, operator: not_icontains_multi, value: [] }', ['error value-excludes-none /value']],
    ['{ key: k, operator: icontains, value: "" }', ['error value-excludes-none /value']],
    ['{ key: k, operator: starts_with, value: "" }', ['error value-excludes-none /value']],
    ['{ key: k, operator: not_icontains, value: "" }', ['warning value-allows-none /value']],
    ['{ key: k, operator: icontains_multi, value: [a, ""] }', ['error value-excludes-none /value']],
    ['{ key: k, operator: exact, value: "" }', []],
    ['{ key: " k", operator: is_set }', ['warning text-spaces /key']],
    ['{ key: "k\u00a0", operator: is_set }', ['warning text-spaces /key']],
    ['{ key: “k”, operator: is_set }', ['error text-in-quotes /key']],
    [`{ key: "'k'", operator: is_set }`, ['error text-in-quotes /key']],
    ['{ key: k, value: "a " }', ['warning text-spaces /value']],
    ['{ key: k, value: [a, "\u00a0b"] }', ['warning text-spaces /value/1']],
    ['{ key: k, operator: regex, value: "a " }', []],
    ['{ key: k, value: "${PLAN}" }', ['warning text-variable /value']],
    ['{ key: k, value: "$PLAN {x}" }', []],
  ])('%s', (property, expected) => {
    expect(problemsOfProperty(property)).toEqual(expected);
  });
});

describe('a remote configuration', () => {
  const REMOTE = 'fields: { is_remote_configuration: true }';
  const FOUND = 'warning remote-for-nobody /flags/f';
  const PROPERTIES = 'properties: [{ key: k, value: a }]';
  const steps = 'steps: [{ at: "2026-07-01T00:00:00Z", to: 100 }]';
  it.each([
    [`rollout_percentage: 0, ${REMOTE}`, [`${FOUND}/rollout_percentage`]],
    [
      `active: true, filters: { groups: [{ rollout_percentage: 0.0 }] }, ${REMOTE}`,
      [`${FOUND}/filters/groups/0/rollout_percentage`],
    ],
    [
      `filters: { groups: [{ ${PROPERTIES}, rollout_percentage: 0 }, { rollout_percentage: 0 }] }, ${REMOTE}`,
      [`${FOUND}/filters/groups/0/rollout_percentage`],
    ],
    [`filters: { groups: [{ ${PROPERTIES}, rollout_percentage: 0 }, { rollout_percentage: 1 }] }, ${REMOTE}`, []],
    [`filters: { groups: [{ rollout_percentage: null }] }, ${REMOTE}`, []],
    [`filters: { groups: [{ rollout_percentage: 0 }], feature_enrollment: true }, ${REMOTE}`, []],
    [`rollout_percentage: 0, active: false, ${REMOTE}`, []],
    [`rollout_percentage: { from: 0, ${steps} }, ${REMOTE}`, []],
    ['rollout_percentage: 0', []],
    [`rollout_percentage: 0, intended: [rollout_percentage], ${REMOTE}`, []],
    [
      `rollout_percentage: 100, intended: [rollout_percentage], ${REMOTE}`,
      ['warning intended-needless /flags/f/intended/0'],
    ],
  ])('%s', (members, expected) => {
    expect(problems(`flags: { f: { ${members} } }`).filter((text) => !text.includes('rollout-time-unknown'))).toEqual(
      expected,
    );
  });
});

const condition = (properties: string): string => `{ groups: [{ properties: [${properties}] }] }`;
const SECOND = '/groups/0/properties/1';

describe('two properties', () => {
  it.each([
    ['{ key: k, value: a }, { key: k, value: b }', 'filters-contradict'],
    ['{ key: k, value: [a, b] }, { key: k, operator: is_not, value: [a, b, c] }', 'filters-contradict'],
    ['{ key: k, operator: is_not_set }, { key: k, operator: gt, value: "5" }', 'filters-contradict'],
    ['{ key: k, operator: is_set }, { key: k, operator: is_not_set }', 'filters-contradict'],
    ['{ key: k, operator: regex, value: a }, { key: k, operator: not_regex, value: a }', 'filters-contradict'],
    ['{ key: k, value: a }, { key: k, operator: exact, value: a, type: person }', 'filter-repeated'],
  ])('%s', (properties, code) => {
    expect(problemsOfFilters(condition(properties))).toEqual([`warning ${code} ${SECOND}`]);
  });

  it.each([
    '{ key: k, value: a }, { key: j, value: b }',
    '{ key: k, value: [a, b] }, { key: k, value: [B, c] }',
    '{ key: k, value: a }, { key: k, value: true }',
    '{ key: k, operator: is_not, value: a }, { key: k, operator: is_not_set }',
    '{ key: k, value: a }, { key: k, operator: is_not, value: [A] }',
    '{ key: k, operator: is_not_set }, { key: k, operator: not_regex, value: a }',
  ])('that may both be true: %s', (properties) => {
    expect(problemsOfFilters(condition(properties))).toEqual([]);
  });
});

describe('a condition', () => {
  const A = '{ properties: [{ key: k, value: a }]';
  it.each([
    ['[{}, { properties: [{ key: k, value: a }] }]', '/groups/1'],
    [`[${A}, rollout_percentage: 50 }, ${A}, rollout_percentage: 50 }]`, '/groups/1'],
    [`[{ rollout_percentage: 20 }, ${A}, rollout_percentage: 10 }]`, '/groups/1'],
  ])('that cannot matter: %s', (groups, at) => {
    expect(problemsOfFilters(`{ groups: ${groups} }`)).toEqual([`warning condition-shadowed ${at}`]);
  });

  it.each([
    `[${A} }, {}]`,
    `[${A}, rollout_percentage: 50 }, ${A}, rollout_percentage: 60 }]`,
    `[{ rollout_percentage: 20 }, ${A} }]`,
    '[{ rollout_percentage: 0 }, { rollout_percentage: 0 }]',
  ])('that may matter: %s', (groups) => {
    expect(problemsOfFilters(`{ groups: ${groups} }`)).toEqual([]);
  });
});

describe('`intended`', () => {
  const flag = (rest: string, value = '[]'): string =>
    `flags: { f: { filters: { groups: [{ properties: [{ key: k, operator: is_not, value: ${value} }] }] }${rest} } }`;
  const AT = 'error value-excludes-none /flags/f/filters/groups/0/properties/0/value';

  it.each([
    'conditions.1',
    'conditions.1.properties.1',
    'conditions.1.properties.k.value',
    '/filters/groups/0/properties/0',
  ])('silences what is at %s', (path) => {
    expect(problems(flag(`, intended: ["${path}"]`))).toEqual([]);
  });

  it('silences no other place, and says so', () => {
    expect(problems(flag(', intended: [conditions.2]')).toSorted()).toEqual([
      AT,
      'warning intended-needless /flags/f/intended/0',
    ]);
    expect(problems(flag(', intended: [nonsense]')).toSorted()).toEqual([
      AT,
      'warning intended-needless /flags/f/intended/0',
    ]);
    expect(problems(flag(', intended: [conditions.1]', 'a'))).toEqual([
      'warning intended-needless /flags/f/intended/0',
    ]);
  });

  it('of an overlay is for its project', () => {
    expect(problems(flag(', projects: { production: { intended: [conditions.1] } }'))).toEqual([]);
    expect(problems(flag(', projects: { staging: { intended: [conditions.1] } }'))).toEqual([AT]);
  });
});

it('a variable in a description or a tag is a warning, and one in a payload is none', () => {
  const text =
    'flags: { f: { description: "${WHY}", tags: ["${TEAM}"], filters: { groups: [{}], payloads: { true: { a: "${b}" } } } } }';
  expect(problems(text)).toEqual([
    'warning text-variable /flags/f/description',
    'warning text-variable /flags/f/tags/0',
  ]);
});

describe('two ranges without a common value', () => {
  it.each([
    ['gt: "5"', 'lt: "3"'],
    ['gt: "100"', 'lt: "20"'],
    ['gt: "5"', 'lte: "5"'],
    ['min: "6"', 'max: "5"'],
    ['is_date_after: "2025-01-02"', 'is_date_before: "2025-01-01"'],
    ['is_date_after: "2025-01-02T00:00:00Z"', 'is_date_before: "2025-01-02T01:00:00+02:00"'],
    ['is_date_exact: "2025-01-02"', 'is_date_after: "2025-01-02"'],
    ['is_date_after: "-7d"', 'is_date_before: "-30d"'],
    ['semver_gt: "1.10.0"', 'semver_lt: "1.9"'],
    ['semver_eq: "1.2.3"', 'semver_gt: "1.2.3"'],
  ])('%s and %s', (one, other) => {
    expect(problemsOfFilters(condition(ranges(one, other)))).toEqual([`warning filters-contradict ${SECOND}`]);
    expect(problemsOfFilters(condition(ranges(other, one)))).toEqual([`warning filters-contradict ${SECOND}`]);
  });

  it.each([
    ['gt: "3"', 'lt: "5"'],
    ['gte: "5"', 'lte: "5"'],
    ['gt: "5"', 'gt: "3"'],
    ['is_date_after: "2025-01-01"', 'is_date_before: "2025-01-02"'],
    ['is_date_after: "2025-01-01T00:00:00Z"', 'is_date_before: "2025-01-01"'],
    ['is_date_after: "-30d"', 'is_date_before: "-7d"'],
    ['is_date_after: "-5d"', 'is_date_before: "-1w"'],
    ['semver_gt: "1.9.0"', 'semver_lt: "1.10.0"'],
    ['semver_gt: "1.2.3-beta"', 'semver_lt: "1.2.3-alpha"'],
    ['semver_gt: "2"', 'lt: "1"'],
  ])('that is not so of %s and %s', (one, other) => {
    expect(problemsOfFilters(condition(ranges(one, other)))).toEqual([]);
  });

  function ranges(...written: string[]): string {
    return written.map((one) => `{ key: k, operator: ${one.replace(':', ', value:')} }`).join(', ');
  }
});

describe('a cohort', () => {
  const AT = '/cohorts/c/filters/properties/values';
  const cohort = (properties: string, rest = ''): string[] =>
    problems(`cohorts: { c: { filters: { properties: ${properties} }${rest} } }`);
  const leaf = (written: string): string[] => cohort(`{ type: AND, values: [{ type: person, ${written} }] }`);

  it('with an empty group is a warning with its place', () => {
    expect(cohort('{ type: OR, values: [] }')).toEqual([`warning cohort-empty ${AT}`]);
    expect(cohort('{ type: OR, values: [{ type: AND, values: [] }] }')).toEqual([
      `warning cohort-empty ${AT}/0/values`,
    ]);
  });

  it.each([
    ['key: k, operator: exact, value: []', 'warning value-allows-none', '/value'],
    ['key: k, operator: is_not, value: []', 'error value-excludes-none', '/value'],
    ['key: k, operator: exact, value: [], negation: true', 'error value-excludes-none', '/value'],
    ['key: k, operator: icontains, value: ""', 'error value-excludes-none', '/value'],
    ['key: k, operator: icontains, value: "", negation: true', 'warning value-allows-none', '/value'],
    ['key: "k\u00a0", operator: is_set', 'warning text-spaces', '/key'],
    ['key: k, value: [a, "\u00a0b"]', 'warning text-spaces', '/value/1'],
    ['key: “k”, operator: is_set', 'error text-in-quotes', '/key'],
    ['key: k, value: "${PLAN}"', 'warning text-variable', '/value'],
  ])('has the slips of conditions: %s', (written, code, at) => {
    expect(leaf(written)).toEqual([`${code} ${AT}/0${at}`]);
  });

  it('in which all must match has contradictions, and one in which some must has repetitions only', () => {
    const two = '{ type: person, key: k, value: a }, { type: person, key: k, value: b }';
    expect(cohort(`{ type: AND, values: [${two}] }`)).toEqual([`warning filters-contradict ${AT}/1`]);
    expect(cohort(`{ type: OR, values: [${two}] }`)).toEqual([]);
    const same = '{ type: person, key: k, value: a }, { type: person, key: k, value: a }';
    expect(cohort(`{ type: OR, values: [{ type: OR, values: [${same}] }] }`)).toEqual([
      `warning filter-repeated ${AT}/0/values/1`,
    ]);
    const event = (operator: string, rest: string): string =>
      `{ type: behavioral, event_type: events, key: k, value: performed_event${rest}, operator: ${operator}, time_value: 7, time_interval: day }`;
    expect(cohort(`{ type: AND, values: [${event('exact', '')}, ${event('is_not', '')}] }`)).toEqual([]);
    expect(cohort(`{ type: AND, values: [${event('exact', '')}, ${event('exact', '_multiple')}] }`)).toEqual([]);
  });

  it('silences one place by `intended`, also in an overlay', () => {
    const empty = '{ type: OR, values: [{ type: AND, values: [] }, { type: AND, values: [] }] }';
    expect(cohort(empty, ', intended: [definition.1]')).toEqual([`warning cohort-empty ${AT}/1/values`]);
    expect(cohort(empty, ', intended: [definition, name]')).toEqual([
      'warning intended-needless /cohorts/c/intended/1',
    ]);
    expect(cohort(empty, ', projects: { production: { intended: [definition] } }')).toEqual([]);
  });

  it('has no variable in its description, and neither has an early access feature', () => {
    expect(problems('early_access: { e: { description: "${WHY}", stage: beta } }\nflags: { e: {} }')).toEqual([
      'warning text-variable /early_access/e/description',
    ]);
    expect(
      problems('early_access: { e: { description: "${WHY}", intended: [description] } }\nflags: { e: {} }'),
    ).toEqual([]);
    // A payload is data for programs, as that of a flag is.
    expect(problems('early_access: { e: { payload: { url: "${WHY}" } } }\nflags: { e: {} }')).toEqual([]);
    expect(cohort('{ type: AND, values: [{ type: person, key: k, value: a }] }', ', description: "${WHY}"')).toEqual([
      'warning text-variable /cohorts/c/description',
    ]);
  });
});

it('nobody matches a condition whose properties contradict each other, and a shadowed one has no people of its own', () => {
  const value = fc.constantFrom<JsonValue>('a', 'A', 'b', '5', '10', 'true', '', null, true, 5, ['a'], []);
  const operator = fc.constantFrom(
    'exact',
    'is_not',
    'is_set',
    'is_not_set',
    'icontains',
    'not_icontains',
    'regex',
    'not_regex',
    'gt',
    'lt',
  );
  const property = fc.record({
    key: fc.constantFrom('k', 'j'),
    operator,
    value: fc.oneof(value, fc.array(value, { maxLength: 2 })),
  });
  const conditions = fc.array(
    fc.record({
      properties: fc.array(property, { minLength: 0, maxLength: 3 }),
      rollout_percentage: fc.constantFrom(50, 100),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const person = fc.dictionary(fc.constantFrom('k', 'j'), value, { maxKeys: 2 });
  let contradicted = 0;
  let shadowed = 0;
  holds(2000, [conditions, fc.array(person, { minLength: 20, maxLength: 20 })], (groups, people) => {
    const filters = { groups } as unknown as JsonObject;
    for (const { code, at, args } of checkSlips({ filters }, { sound: ALL_SOUND })) {
      const index = Number(at.split('/')[3]);
      const matching = (which: number): number[] =>
        people.flatMap((properties, one) =>
          (['python-2023', 'rust-2026'] as const).some((generation) =>
            matchesCondition(
              groups[which] as never,
              {
                context: { generation, now: new Date(0), timeZone: 'UTC', cohorts: {}, groupTypes: {} },
                subject: { distinctId: 'x', personProperties: properties, groups: {}, groupProperties: {} },
              } as never,
            ),
          )
            ? [one]
            : [],
        );
      if (code === 'filters-contradict') {
        contradicted += 1;
        expect([groups[index], matching(index)]).toEqual([groups[index], []]);
      }
      if (code === 'condition-shadowed') {
        shadowed += 1;
        const before = matching((args as { earlier: number }).earlier - 1);
        expect(matching(index).filter((one) => !before.includes(one))).toEqual([]);
      }
    }
  });
  expect(Math.min(contradicted, shadowed)).toBeGreaterThan(30);
});

it('nobody is in two ranges that are told apart, and somebody may be in others', () => {
  const RANGES = {
    number: [
      ['gt', 'gte', 'lt', 'lte', 'min', 'max'],
      ['5', '-3', '10', '1e1', '9.5', 'x'],
    ],
    date: [
      ['is_date_before', 'is_date_after', 'is_date_exact'],
      [
        '2025-01-01',
        '2025-01-02',
        '2025-01-02T10:00:00',
        '2025-01-02T10:00:00+05:00',
        '-3d',
        '-9d',
        '1w',
        'May 1, 2024',
      ],
    ],
    version: [
      ['semver_gt', 'semver_gte', 'semver_lt', 'semver_lte', 'semver_eq'],
      ['1', '1.2', '1.2.0', '1.10.0', '1.10.0-beta', '2'],
    ],
  } as const;
  const people = [
    ...[-4, -3, 0, 5, 6, 9.5, 10, 11, '5', '7', '10', '9'],
    ...['2024-12-31', '2025-01-01', '2025-01-01T18:00:00', '2025-01-02T10:00:00', '2025-01-02T07:30:00Z', '2026-01-01'],
    ...['0.9', '1', '1.2', '1.2.0', '1.3', '1.10.0-alpha', '1.10.0-beta', '1.10.0', '1.11', '2', '3', '1.0+b'],
  ];
  const range = (scale: keyof typeof RANGES): fc.Arbitrary<JsonObject> =>
    fc.record({
      key: fc.constant('k'),
      operator: fc.constantFrom(...RANGES[scale][0]),
      value: fc.constantFrom(...RANGES[scale][1]),
    });
  const pair = fc
    .constantFrom(...(['number', 'date', 'version'] as const))
    .chain((scale) => fc.tuple(range(scale), range(scale)));
  const counts = { apart: 0, shared: 0 };
  holds(2000, [pair, fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata')], (properties, timeZone) => {
    const [found] = checkSlips({ filters: { groups: [{ properties }] } }, { sound: ALL_SOUND }).filter(
      ({ code }) => code === 'filters-contradict',
    );
    // The service of 2023 compares a string of digits as text with another.
    const generations = properties.some(({ operator }) => /^(?:gt|lt|min|max)/.test(operator as string))
      ? (['rust-2026'] as const)
      : (['rust-2026', 'python-2023'] as const);
    const both = people.filter((k) =>
      generations.some((generation) =>
        properties.every((property) =>
          matchesProperty(property as never, { k }, { generation, now: new Date('2025-01-05T12:00:00Z'), timeZone }),
        ),
      ),
    );
    if (found === undefined) counts.shared += both.length > 0 ? 1 : 0;
    else {
      counts.apart += 1;
      expect([properties, both]).toEqual([properties, []]);
    }
  });
  expect(Math.min(counts.apart, counts.shared)).toBeGreaterThan(100);
});
