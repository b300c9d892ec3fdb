/** What is recorded of the rollouts of a plan once it is applied, and of whom their steps were approved by. */

import { expect, test } from 'vitest';
import { progressOfPlan, recordApplied, type AppliedPlan } from '../../../src/cli/applied/record-applied.ts';
import type { Finding, Judgement } from '../../../src/policy/finding.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import type { PlannedRollout, Progress } from '../../../src/rollout/rollout.ts';

const NOW = Date.UTC(2026, 11, 1, 8);
const AT = new Date(NOW).toISOString();
const EARLIER = '2026-11-01T08:00:00.000Z';
const steps = [{ at: '2026-12-01T08:00:00.000Z', to: 10 }];
const pointer = '/rollout_percentage';
const rollout = (key: string, more: Partial<PlannedRollout> = {}): PlannedRollout =>
  ({ key, pointer, path: '/x', from: 0, steps, step: 0, ...more }) as PlannedRollout;
const progress = (key: string, more: Partial<Progress> = {}): Progress => ({
  ...{ key, pointer, from: 0, steps, step: 0, at: AT },
  ...more,
});

interface Given {
  readonly plan: Partial<AppliedPlan['plan']>;
  readonly findings?: readonly Partial<Finding>[];
  readonly unmade?: readonly string[];
  readonly former?: readonly Progress[];
}

function record({ plan, findings, unmade = [], former }: Given): readonly Progress[] {
  const base = former === undefined ? {} : { base: { kind: 'commit', commit: 'c', from: 'ref', rollouts: former } };
  const judgement = findings === undefined ? undefined : ({ findings } as unknown as Judgement);
  const whole = { changes: [], ...plan, ...base } as unknown as AppliedPlan['plan'];
  return progressOfPlan(whole, { judgement, unmade, now: NOW });
}

test('each step has the time of the run, and one that was applied before keeps its own', () => {
  const applied = { step: 0, at: EARLIER };
  expect(record({ plan: { rollouts: [rollout('a'), rollout('b', { applied })] } })).toEqual([
    progress('a'),
    progress('b', { at: EARLIER }),
  ]);
  expect(record({ plan: {} })).toEqual([]);
});

test('of a flag that was left or whose step was not made, what was recorded stays', () => {
  const former = ['a', 'b', 'c', 'gone'].map((key) => progress(key, { at: EARLIER, step: -1 }));
  const [a, b] = former;
  const rollouts = ['a', 'b', 'c'].map((key) => rollout(key));
  expect(record({ plan: { rollouts, unrecorded: [{ key: 'a' }] }, unmade: ['b', 'new'], former })).toEqual([
    progress('c'),
    a,
    b,
  ]);
  expect(record({ plan: { rollouts }, unmade: ['a', 'b'] })).toEqual([progress('c')]);
});

const lifted = { by: 'approval', approver: 'eve' } as const;
const finding = (key: string, rule: string, more: object = {}): Partial<Finding> =>
  ({ key, rule, step: { at: AT, to: 10 }, lifted, ...more }) as unknown as Partial<Finding>;

test('who approved steps is recorded with them, once for each rule of each flag', () => {
  const findings = [
    finding('a', 'two'),
    finding('a', 'one', { lifted: { by: 'approval', approver: 'bob' } }),
    finding('a', 'two', { lifted: { by: 'approval', approver: 'dan' } }),
    finding('b', 'one'),
    finding('a', 'waived', { lifted: { by: 'waiver', approver: 'eve' } }),
    finding('a', 'open', { lifted: undefined }),
    finding('a', 'of-today', { step: undefined }),
  ];
  expect(record({ plan: { rollouts: [rollout('a'), rollout('b'), rollout('c')] }, findings })).toEqual([
    progress('a', {
      approved: [
        { rule: 'two', by: 'dan' },
        { rule: 'one', by: 'bob' },
      ],
    }),
    progress('b', { approved: [{ rule: 'one', by: 'eve' }] }),
    progress('c'),
  ]);
});

test.each([
  ['first', [{ jump_since: EARLIER }, {}]],
  ['last', [{}, { jump_since: EARLIER }]],
])('an approval covers jumps if one of its findings is of a jump: the %s', (_, findings) => {
  expect(
    record({ plan: { rollouts: [rollout('a')] }, findings: findings.map((more) => finding('a', 'one', more)) }),
  ).toEqual([progress('a', { approved: [{ rule: 'one', by: 'eve', jumps: true }] })]);
});

test('an approval that was recorded stays with steps that the base has too, under the key of then', () => {
  const approved = [{ rule: 'one', by: 'eve' }];
  const former = [progress('a', { approved }), progress('old', { approved }), progress('c', { approved })];
  const rollouts = [
    rollout('a', { reviewed: true, applied: { step: 0, at: AT } }),
    rollout('b', { reviewed: true, applied: { step: 0, at: AT, key: 'old' } }),
    rollout('c', { applied: { step: 0, at: AT } }),
  ];
  expect(record({ plan: { rollouts }, former, findings: [finding('a', 'two')] })).toEqual([
    progress('a', { approved: [{ rule: 'two', by: 'eve' }, ...approved] }),
    progress('b', { approved }),
    progress('c'),
  ]);
});

test.each<[string, object, readonly string[]]>([
  [
    'manifests that no commit has are noted, with what to do',
    {
      manifests: { kind: 'not_committed', reason: { code: 'manifest_differs', file: 'flags/a.yaml', how: 'modified' } },
    },
    [
      expect.stringMatching(
        /^note note {2}No commit is recorded as applied to main: .*flags\/a\.yaml.*\.\n {2}→ .+\n$/,
      ) as string,
    ],
  ],
  ['outside of git nothing is said', { manifests: { kind: 'none' } }, []],
  ['nor of a saved plan', { plan: { changes: [], commit: 'c'.repeat(40) } }, []],
])('%s', async (_, more, said) => {
  const watched = watchSession();
  const config = { root: createWorkspace().root, projects: {}, base: {} };
  const loaded = { config, project: { name: 'main', service: 'remote' } };
  await recordApplied(watched.session, {
    loaded,
    plan: { changes: [] },
    moves: false,
    now: () => NOW,
    ...more,
  } as never);
  expect(watched.said).toEqual(said);
});
