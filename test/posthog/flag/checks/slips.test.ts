/** Conditions that release or hide a flag by a slip: what is found, where, and how one place is silenced. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { matchesCondition } from '../../../../src/evaluation/condition.ts';
import { checkSlips } from '../../../../src/posthog/flag/checks/slips.ts';
import { ALL_SOUND } from '../../../../src/manifest/declaration.ts';
import { runs } from '../../../helpers/runs.ts';
import { problems, problemsOfFilters, problemsOfProperty } from '../../../manifest/check.ts';

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

const condition = (properties: string): string => `{ groups: [{ properties: [${properties}] }] }`;
const SECOND = '/groups/0/properties/1';

describe('two properties', () => {
  it.each([
    ['{ key: k, value: a }, { key: k, value: b }', 'filters-contradict'],
    ['{ key: k, value: [a, b] }, { key: k, operator: is_not, value: [A, b, c] }', 'filters-contradict'],
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

it('an empty group of a cohort is a warning with its place', () => {
  const cohort = (properties: string): string[] =>
    problems(`cohorts: { c: { filters: { properties: ${properties} } } }`);
  expect(cohort('{ type: OR, values: [] }')).toEqual(['warning cohort-empty /cohorts/c/filters/properties/values']);
  expect(cohort('{ type: OR, values: [{ type: AND, values: [] }] }')).toEqual([
    'warning cohort-empty /cohorts/c/filters/properties/values/0/values',
  ]);
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
  fc.assert(
    fc.property(conditions, fc.array(person, { minLength: 20, maxLength: 20 }), (groups, people) => {
      const filters = { groups } as unknown as JsonObject;
      for (const { code, at, args } of checkSlips({ filters }, undefined, ALL_SOUND)) {
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
    }),
    { numRuns: runs(2000) },
  );
  expect(Math.min(contradicted, shadowed)).toBeGreaterThan(30);
});
