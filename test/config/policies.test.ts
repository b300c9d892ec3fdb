/** Mistakes in the policies of a configuration, each at its place, and what the options mean. */

import { describe, expect, test } from 'vitest';
import { resolveConfig } from './resolved.ts';

const PROJECTS = 'projects: { production: { service: embedded }, staging: { service: embedded } }\n';
const policies = (...rules: string[]): string =>
  `${PROJECTS}policies:\n  rules:\n${rules.map((rule) => `    - ${rule}\n`).join('')}`;

/** The problems as `code path`, and the arguments of the first. */
async function problems(...rules: string[]): Promise<unknown[]> {
  return (await resolveConfig(policies(...rules))).map(({ code, path, args }) => [code, path, args]);
}

const at = (member: string): string => `/policies/rules/0${member}`;

describe('a window of a freeze', () => {
  test.each<[string, string, [string, string, object][]]>([
    ['that ends after it begins', '{ from: 2026-12-24, to: 2026-12-25, zone: UTC }', []],
    ['of a time on one day', '{ from: 2026-12-24T10:00, to: 2026-12-24T12:00, zone: Europe/Berlin }', []],
    ['that begins at midnight of the day', '{ from: 2026-12-24, to: 2026-12-24T00:01, zone: UTC }', []],
    ['of weekdays', '{ days: [sat, sun], zone: UTC }', []],
    [
      'that ends as it begins',
      '{ from: 2026-12-24, to: 2026-12-24, zone: UTC }',
      [['policy-window-empty', '', { from: '2026-12-24', to: '2026-12-24' }]],
    ],
    [
      'that ends before it begins',
      '{ from: 2026-12-24T00:00, to: 2026-12-23, zone: UTC }',
      [['policy-window-empty', '', { from: '2026-12-24T00:00', to: '2026-12-23' }]],
    ],
    [
      'of a day that no calendar has',
      '{ from: 2026-02-30, to: 2026-01-01, zone: UTC }',
      [['date-invalid', '/from', { date: '2026-02-30' }]],
    ],
    [
      'of two such days, in a zone that does not exist',
      '{ from: 2026-02-30, to: 2026-02-31T10:00, zone: Berlin }',
      [
        ['date-invalid', '/from', { date: '2026-02-30' }],
        ['date-invalid', '/to', { date: '2026-02-31T10:00' }],
        ['policy-zone-unknown', '/zone', { zone: 'Berlin' }],
      ],
    ],
    [
      'of weekdays in a zone that does not exist',
      '{ days: [sat], zone: Berlin }',
      [['policy-zone-unknown', '/zone', { zone: 'Berlin' }]],
    ],
  ])('%s', async (_what, window, expected) => {
    for (const option of ['deny', 'allow']) {
      const found = await problems(`{ rule: freeze, ${option}: [{ days: [mon], zone: UTC }, ${window}] }`);
      expect(found).toEqual(expected.map(([code, member, args]) => [code, at(`/${option}/1${member}`), args]));
    }
  });
});

test.each<[string, string, unknown[]]>([
  [
    'a project that does not exist',
    '{ rule: naming, patterns: [a], projects: [staging, prodution] }',
    ['project-unknown', at('/projects/1'), { project: 'prodution', suggestion: 'production' }],
  ],
  [
    'a project far from every other',
    '{ rule: naming, patterns: [a], projects: [x] }',
    ['project-unknown', at('/projects/0'), { project: 'x' }],
  ],
  [
    'a first project that does not exist',
    '{ rule: no-direct-production, first: stagin }',
    ['project-unknown', at('/first'), { project: 'stagin', suggestion: 'staging' }],
  ],
  [
    'keys that are no glob',
    '{ rule: naming, patterns: [a], keys: [b, "!a"] }',
    ['key-pattern-invalid', at('/keys/1'), expect.objectContaining({ pattern: '!a' })],
  ],
  [
    'an option that is no glob',
    '{ rule: naming, patterns: ["!a"] }',
    ['key-pattern-invalid', at('/patterns/0'), expect.objectContaining({ pattern: '!a' })],
  ],
  [
    'the name of a rule for an own one',
    '{ name: freeze, when: "true", message: m }',
    ['policy-name-taken', at('/name'), { name: 'freeze' }],
  ],
])('%s is reported at its place', async (_what, rule, expected) => {
  expect(await problems(rule)).toEqual([expected]);
});

test('a policy without mistakes is none', async () => {
  expect(
    await problems(
      '{ rule: naming, patterns: [a], projects: [staging], keys: ["b*"] }',
      '{ name: ours, when: "true", message: m }',
    ),
  ).toEqual([]);
});
