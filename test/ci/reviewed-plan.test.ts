/** When two saved plans make the same changes, and what is said where they do not. */

import { describe, expect, test } from 'vitest';
import { differencesOf, digestOf, readPlan } from '../../ci/reviewed-plan.mjs';

const PROJECT = { name: 'production', host: 'https://eu.posthog.com', project_id: '1' };
const UPDATE = {
  action: 'update',
  ref: 'flag:a',
  resource: 'flag',
  key: 'a',
  id: 1,
  fields: [{ path: '/active', before: false, after: true, source: { file: 'a.yaml', line: 1, column: 1 } }],
  body: { active: true },
  base: { version: 3, flag: { key: 'a' } },
  needs: [],
  source: { file: 'a.yaml', line: 1, column: 1 },
};
const OTHER = { ...UPDATE, ref: 'flag:b', key: 'b', id: 2 };

const LATER = (to: number, step = -1): object => ({
  rollout_changes: [
    {
      ref: 'flag:a',
      key: 'a',
      before: [],
      after: [{ path: '/active', from: 0, steps: [{ at: '2026-12-01T08:00:00.000Z', to }], step }],
    },
  ],
});

const planOf = (changes: readonly object[], more: object = {}): string =>
  JSON.stringify({ project: PROJECT, changes, ...more });
const read = (text: string) => {
  const plan = readPlan(text);
  if (plan === undefined) throw new Error('no plan');
  return plan;
};

describe('a plan makes the reviewed changes', () => {
  test.each<[string, string, string?]>([
    ['that moved in the files', planOf([{ ...UPDATE, source: { file: 'b.yaml', line: 9, column: 9 } }, OTHER])],
    ['of flags whose version grew', planOf([{ ...UPDATE, base: { version: 9 } }, OTHER])],
    ['in another order', planOf([OTHER, UPDATE])],
    ['of which is known who moved', planOf([{ ...UPDATE, divergence: 'pending' }, OTHER])],
    ['with members in another order', planOf([Object.fromEntries(Object.entries(UPDATE).toReversed()), OTHER])],
    ['of which a step was made', planOf([UPDATE, OTHER], LATER(10, 0)), planOf([UPDATE, OTHER], LATER(10))],
    ['of another commit', planOf([UPDATE, OTHER], { commit: 'x', warnings: [{}], fingerprint: 'y' })],
  ])('%s', (_, text, before = planOf([UPDATE, OTHER])) => {
    const [reviewed, made] = [read(before), read(text)];
    expect([differencesOf(reviewed, made), digestOf(made)]).toEqual([[], digestOf(reviewed)]);
  });
});

describe('a plan is another one', () => {
  const number = (text: string): string => planOf([{ ...UPDATE, body: 'N' }, OTHER]).replace('"N"', text);

  test.each<[string, string, string, readonly string[]]>([
    ['with a change more', planOf([UPDATE]), planOf([UPDATE, OTHER]), ['`flag:b` is not in the reviewed plan']],
    ['with one less', planOf([UPDATE, OTHER]), planOf([UPDATE]), ['`flag:b` has nothing to change now']],
    [
      'from another value',
      planOf([UPDATE]),
      planOf([{ ...UPDATE, fields: [{ path: '/active', after: true }] }]),
      ['`flag:a` changes in another way than reviewed'],
    ],
    [
      'that writes something else beside it',
      planOf([UPDATE]),
      planOf([{ ...UPDATE, body: { active: true, name: '' } }]),
      ['`flag:a` changes in another way than reviewed'],
    ],
    [
      'of another flag of that key',
      planOf([UPDATE]),
      planOf([{ ...UPDATE, id: 9 }]),
      ['`flag:a` changes in another way than reviewed'],
    ],
    [
      'with a number that a double would round',
      number('9007199254740993'),
      number('9007199254740992'),
      ['`flag:a` changes in another way than reviewed'],
    ],
    [
      'with a number in place of its text',
      number('1'),
      number('"1"'),
      ['`flag:a` changes in another way than reviewed'],
    ],
    [
      'with other steps later',
      planOf([UPDATE], LATER(10)),
      planOf([UPDATE], LATER(100)),
      ['`later steps of flag:a` changes in another way than reviewed'],
    ],
    [
      'that takes steps back',
      planOf([UPDATE]),
      planOf([UPDATE], LATER(100)),
      ['`later steps of flag:a` is not in the reviewed plan'],
    ],
    [
      'for another project',
      planOf([UPDATE]),
      JSON.stringify({ project: { ...PROJECT, project_id: '2' }, changes: [UPDATE] }),
      ['The reviewed plan is of another project.'],
    ],
  ])('%s', (_, before, after, expected) => {
    const [reviewed, made] = [read(before), read(after)];
    expect(differencesOf(reviewed, made)).toEqual(expected);
    expect(digestOf(made)).not.toBe(digestOf(reviewed));
  });

  test('and its name cannot leave its code', () => {
    const made = read(planOf([{ ...UPDATE, ref: 'flag:`x`\n# y' }]));
    expect(differencesOf(read(planOf([])), made)).toEqual(['`` flag:`x` # y `` is not in the reviewed plan']);
  });
});

test.each(['', '{', '[]', '{}', 'null', '{"project":{},"changes":[7]}', '{"project":{},"changes":null}'])(
  '%j is no plan',
  (text) => {
    expect(readPlan(text)).toBeUndefined();
  },
);

test.each<[object, boolean]>([
  [{}, false],
  [{ policy: { findings: [] } }, false],
  [{ policy: { findings: [{ level: 'warning' }] } }, false],
  [{ policy: { findings: [{ level: 'warning' }, { level: 'approve' }] } }, true],
])('a plan with %j needs an approval: %s', (more, expected) => {
  expect(read(planOf([UPDATE], more)).needsApproval).toBe(expected);
});

describe('plans of several projects', () => {
  const of = (name: string, changes: readonly object[]): object => ({ project: { ...PROJECT, name }, changes });
  const plans = (...all: readonly object[]): string => JSON.stringify({ format_version: '1.0', plans: all });
  const REVIEWED = plans(of('staging', [UPDATE, OTHER]), of('eu', [UPDATE]));

  test.each<[string, string, readonly string[]]>([
    ['equal ones', REVIEWED, []],
    ['one that an earlier run has applied whole', plans(of('staging', []), of('eu', [UPDATE])), []],
    [
      'one with less',
      plans(of('staging', [UPDATE]), of('eu', [UPDATE])),
      ['`staging: flag:b` has nothing to change now'],
    ],
    [
      'one with a change that another has',
      plans(of('staging', [UPDATE, OTHER]), of('eu', [UPDATE, OTHER])),
      ['`eu: flag:b` is not in the reviewed plan'],
    ],
    [
      'one that is in sync beside one that changed',
      plans(of('staging', []), of('eu', [{ ...UPDATE, id: 9 }])),
      ['`eu: flag:a` changes in another way than reviewed'],
    ],
    ['one project less', plans(of('eu', [UPDATE])), ['The reviewed plan is of another project.']],
    ['one of them alone', planOf([UPDATE]), ['The reviewed plan is of another project.']],
  ])('%s', (_, made, differences) => {
    expect(differencesOf(read(REVIEWED), read(made))).toEqual(differences);
  });

  test('have a digest of all, and an exception that several have is one', () => {
    const exception = { code: 'exception_not_approved', rules: ['deletes'], keys: ['a'], granted_by: 'ann' };
    const all = read(plans(...['staging', 'eu'].map((name) => ({ ...of(name, [UPDATE]), exceptions: [exception] }))));
    expect([all.newExceptions, all.needsApproval]).toEqual([[exception], true]);
    expect(digestOf(all)).not.toBe(digestOf(read(plans(of('staging', [UPDATE]), of('eu', [])))));
    expect(readPlan(plans())?.changes.size).toBe(0);
  });
});
