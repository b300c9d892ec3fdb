import { describe, expect, it } from 'vitest';
import { problemsOfProperty } from '../../../core/manifest/check.ts';

const person = (rest: string): string => `{ key: k, type: person, ${rest} }`;

describe('an operator and its value', () => {
  it.each([
    'operator: exact, value: [a, 1, true]',
    'operator: exact, value: "a"',
    'operator: exact, value: [a, null]',
    'operator: is_not, value: [a]',
    'value: 1',
    'operator: null, value: x',
    'operator: is_not, value: [free]',
    'operator: is_set, value: is_set',
    'operator: is_not_set',
    'operator: icontains, value: "@acme.com"',
    'operator: icontains_multi, value: [a, b]',
    'operator: starts_with, value: a',
    'operator: regex, value: "^(4\\\\.(1[2-9]|[2-9]\\\\d)|[5-9]\\\\.)"',
    'operator: regex, value: "(?i)^a(?P<name>b)(?>c)d++"',
    'operator: gte, value: "25"',
    'operator: min, value: "-1.5"',
    'operator: exact, value: [9007199254740993]',
    'value: 9007199254740993',
    'operator: is_date_after, value: "-30d"',
    'operator: is_date_before, value: "2024-01-31"',
    'operator: is_date_exact, value: "2024-01-31T10:00:00Z"',
    'operator: semver_gte, value: "1.2"',
    'operator: semver_gte, value: "1.2.3-rc.1"',
    'operator: semver_wildcard, value: "1.2.*"',
  ])('fit each other: %s', (rest) => {
    expect(problemsOfProperty(person(rest))).toEqual([]);
  });

  it.each([
    ['operator: exact, value: { a: 1 }', 'error operator-value-unfit /value'],
    ['operator: exact', 'error operator-value-unfit '],
    ['operator: icontains, value: 5', 'error operator-value-unfit /value'],
    ['operator: icontains_multi, value: a', 'error operator-value-unfit /value'],
    ['operator: gt, value: 25', 'error operator-value-unfit /value'],
    ['operator: gt, value: "many"', 'warning operator-value-unfit /value'],
    ['operator: between, value: [1, "2"]', 'error operator-refused /operator'],
    ['operator: not_between, value: [1, 9007199254740993]', 'error operator-refused /operator'],
    ['operator: semver_gte, value: "v1.2"', 'error operator-value-unfit /value'],
    ['operator: semver_gte, value: "1.2.3+build"', 'error operator-value-unfit /value'],
    ['operator: semver_gte, value: "1.2.3.4"', 'error operator-value-unfit /value'],
    ['operator: semver_wildcard, value: "1.2.x"', 'error operator-value-unfit /value'],
    ['operator: semver_wildcard, value: "1.*.x"', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: soon', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: "30 days"', 'error operator-value-unfit /value'],
    ['operator: semver_eq, value: latest', 'error operator-value-unfit /value'],
    ['operator: semver_wildcard, value: "1.2.*.4.5"', 'error operator-value-unfit /value'],
    ['operator: semver_wildcard, value: "*"', 'error operator-value-unfit /value'],
    ['operator: semver_wildcard, value: "1.2.3.4.*"', 'error operator-value-unfit /value'],
    ['operator: exact, value: ["a", { b: 1 }]', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: 20240131', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: "2024-01"', 'warning operator-value-unfit /value'],
    ['operator: is_date_after, value: "2024-01-31T10:00:00+0200"', 'warning operator-value-unfit /value'],
    ['operator: is_date_after, value: "2024-1"', 'warning operator-value-unfit /value'],
    ['operator: is_date_after, value: "20240601"', 'warning operator-value-unfit /value'],
    ['operator: is_date_after, value: "June 2024"', 'warning operator-value-unfit /value'],
    ['operator: is_date_after, value: tomorrow', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: 31.12.2024#', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: "2024-13"', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: "2024-02-30"', 'error operator-value-unfit /value'],
    ['operator: is_date_after, value: "on 2024-01-31"', 'warning operator-value-unfit /value'],
    ['operator: regex, value: "a("', 'error regex-invalid /value'],
    ['operator: regex, value: "(?a)b"', 'warning regex-invalid /value'],
    ['operator: regex, value: "a(?i)B"', 'warning regex-refused /value'],
    ['operator: not_regex, value: "(?<n>a)"', 'warning regex-refused /value'],
    ['operator: not_regex, value: "[z-a]"', 'error regex-invalid /value'],
    ['operator: in, value: 42', 'error operator-unfit /operator'],
    ['operator: flag_evaluates_to, value: true', 'error operator-unfit /operator'],
    ['operator: icontain, value: a', 'error value-not-allowed /operator'],
  ])('do not fit each other: %s', (rest, problem) => {
    expect(problemsOfProperty(person(rest))).toEqual([problem]);
  });

  it.each([
    ['{ key: id, type: cohort, value: 42 }', []],
    ['{ key: id, type: cohort, operator: in, value: beta-testers }', []],
    ['{ key: id, type: cohort, operator: not_in, value: "42" }', []],
    ['{ key: id, type: cohort, operator: exact, value: 42 }', ['warning operator-unfit /operator']],
    ['{ key: id, type: cohort, operator: null, value: 42 }', []],
    ['{ key: id, type: cohort, operator: gt, value: 42 }', ['warning operator-unfit /operator']],
    ['{ key: id, type: cohort, operator: in, value: [42] }', ['error operator-value-unfit /value']],
    ['{ key: id, type: cohort, operator: in, value: beta-tester }', ['error cohort-unknown /value']],
    ['{ key: id, type: cohort, operator: in, value: team-0 }', ['error cohort-unknown /value']],
    ['{ key: id, type: cohort, operator: in, value: 0x }', ['error cohort-unknown /value']],
    ['{ key: id, type: cohort, operator: in, value: "00" }', ['error operator-value-unfit /value']],
    ['{ key: id, type: cohort, operator: in, value: "99999999999999999999" }', ['error operator-value-unfit /value']],
    ['{ key: id, type: cohort, operator: in, value: true }', ['error operator-value-unfit /value']],
    ['{ key: 7, type: flag, operator: flag_evaluates_to, value: true }', []],
    ['{ key: 7, type: flag, value: true }', ['error operator-unfit ']],
    ['{ key: 7, type: flag, operator: exact, value: true }', ['error operator-unfit /operator']],
    ['{ key: 7, type: flag, operator: flag_evaluates_to, value: 3 }', ['error operator-value-unfit /value']],
  ])('of a filter on a cohort or a flag are checked: %s', (property, expected) => {
    expect(problemsOfProperty(property)).toEqual(expected);
  });
});
