/** Which commit is recorded as applied, and what is recorded of the rollouts of its plan, and of whom their steps were approved by. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { recordText } from '../../../src/cli/applied/applied-record.ts';
import { approvalsOf, recordApplied, type AppliedPlan } from '../../../src/cli/applied/record-applied.ts';
import type { Finding, Judgement } from '../../../src/review/policy/finding.ts';
import { progressAfterRun } from '../../../src/core/rollout/record.ts';
import { git, GIT_ENV, importFast } from '../../helpers/repository.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, workspaceIn } from '../../helpers/workspace.ts';
import type { Approval, PlannedRollout, Progress } from '../../../src/core/rollout/rollout.ts';

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
  return progressAfterRun(whole, { unmade, now: NOW, approvalsOf: (key) => approvalsOf(judgement, key) });
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
  ({ key, rule, step: AT, facts: { what: rule }, lifted, ...more }) as unknown as Partial<Finding>;
const approval = (rule: string, by: string): Approval => ({ rule, by, step: AT, facts: { what: rule } });

test('who approved steps is recorded with them, once for each finding of each flag', () => {
  const findings = [
    finding('a', 'two'),
    finding('a', 'one', { lifted: { by: 'approval', approver: 'bob' } }),
    finding('a', 'two', { lifted: { by: 'approval', approver: 'dan' }, jump_since: EARLIER }),
    finding('b', 'one'),
    finding('a', 'waived', { lifted: { by: 'waiver', approver: 'eve' } }),
    finding('a', 'open', { lifted: undefined }),
    finding('a', 'of-today', { step: undefined }),
  ];
  expect(record({ plan: { rollouts: [rollout('a'), rollout('b'), rollout('c')] }, findings })).toEqual([
    progress('a', {
      approved: [approval('two', 'eve'), approval('one', 'bob'), { ...approval('two', 'dan'), jumps: true }],
    }),
    progress('b', { approved: [approval('one', 'eve')] }),
    progress('c'),
  ]);
});

test('an approval that was recorded stays with steps that the base has too, under the key of then', () => {
  const approved = [approval('one', 'eve')];
  const former = [progress('a', { approved }), progress('old', { approved }), progress('c', { approved })];
  const rollouts = [
    rollout('a', { reviewed: true, applied: { step: 0, at: AT } }),
    rollout('b', { reviewed: true, applied: { step: 0, at: AT, key: 'old' } }),
    rollout('c', { applied: { step: 0, at: AT } }),
  ];
  expect(record({ plan: { rollouts }, former, findings: [finding('a', 'two')] })).toEqual([
    progress('a', { approved: [approval('two', 'eve'), ...approved] }),
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

/** Commits after each other, and one beside them, with what the ref of the project names and what an apply makes of it. */
describe('in a repository', () => {
  const { root, write, read } = workspaceIn(mkdtempSync(path.join(tmpdir(), 'flagwright-test-')));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  git(root, 'init', '--quiet', '--initial-branch=main');
  const commitOf = (branch: string, from: string): string =>
    `commit refs/heads/${branch}\ncommitter A <a@example.com> 0 +0000\ndata 1\nx\n${from}M 100644 inline ${branch}\ndata 1\n1\n`;
  importFast(
    root,
    [
      commitOf('first', ''),
      commitOf('second', 'from refs/heads/first\n'),
      commitOf('beside', 'from refs/heads/first\n'),
    ].join('\n'),
  );
  const [FIRST, SECOND, BESIDE, TREE] = git(root, 'rev-parse', 'first', 'second', 'beside', 'first^{tree}').split(
    '\n',
  ) as [string, string, string, string];
  const LOST = 'e'.repeat(40);
  const NAME = '.git/refs/flagwright/applied/main';
  /** Left something that was applied at the first commit. */
  const EARLIER = [{ key: 'a', commit: FIRST }];

  const by1970 = 'author A <a@example.com> 0 +0000\ncommitter A <a@example.com> 0 +0000\n\nx\n';
  const second = { id: SECOND, bytes: Buffer.from(`tree ${TREE}\nparent ${FIRST}\n${by1970}`) };
  const text = recordText(second as never, { earlier: EARLIER, rollouts: [] }, { project: 'main', seconds: 1 }) ?? '';
  write('leaving', text);
  write('later', text.replace('Applied: ', 'Done: '));
  write('reset', `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n${by1970}`);
  const [LEAVING, OF_LATER, RESET] = git(
    root,
    ...['hash-object', '-t', 'commit', '-w', '--no-filters', 'leaving', 'later', 'reset'],
  ).split('\n') as [string, string, string];

  interface Apply {
    /** What the ref names before; absent: there is none. */
    readonly ref?: string;
    readonly commit?: string;
    readonly base?: object;
    readonly left?: boolean;
    readonly earlier?: readonly object[];
    readonly unmade?: readonly string[];
    readonly more?: object;
  }

  /** The commit of the record afterwards, and what is said. */
  async function apply({ ref, commit, base, left, earlier, unmade, more }: Apply): Promise<readonly unknown[]> {
    if (ref === undefined) rmSync(path.join(root, NAME), { force: true });
    else write(NAME, `${ref}\n`);
    const watched = watchSession({ context: { env: GIT_ENV } });
    const config = {
      root,
      file: path.join(root, 'flagwright.yaml'),
      projects: {},
      base: {},
    };
    const plan = {
      changes: [],
      ...(commit === undefined ? {} : { commit }),
      ...(base === undefined ? {} : { base }),
      ...(left === true ? { left: [{ key: 'a' }] } : {}),
      ...(earlier === undefined ? {} : { unrecorded: earlier }),
    };
    await recordApplied(watched.session, {
      loaded: { config, project: { name: 'main', service: 'remote' } },
      ...{ plan, moves: false, now: () => NOW, ...(unmade === undefined ? {} : { unmade }), ...more },
    } as never);
    const after = existsSync(path.join(root, NAME)) ? read(NAME).trim() : undefined;
    return [after, ...watched.said.map((text) => text.replace(/^note /, '').split('\n')[0])];
  }

  const by = (commit: string, more: object = {}): object => ({ kind: 'commit', from: 'ref', commit, ...more });
  const noBase = (code: string): object => ({ kind: 'none', reason: { code } });
  const recorded = (commit: string): string =>
    `Recorded commit ${commit.slice(0, 12)} as the last one applied to main.`;
  const not = (why: RegExp): unknown =>
    expect.stringMatching(new RegExp(`^note  No commit is recorded as applied to main: .*${why.source}`));
  const OTHERWISE = not(/the plan leaves changes, and was not compared/);
  const NEWER = not(/was applied after the plan was made/);
  const APART = not(/it does not contain commit/);

  test.each<[string, Apply, readonly unknown[]]>([
    ['the first one is recorded', { commit: FIRST }, [FIRST, recorded(FIRST)]],
    ['a later one too', { ref: FIRST, commit: SECOND }, [SECOND, recorded(SECOND)]],
    ['one that is recorded already is not said again', { ref: FIRST, commit: FIRST }, [FIRST]],
    ['one after a reset is the first one', { ref: RESET, commit: FIRST }, [FIRST, recorded(FIRST)]],
    ['a plan without one says so', { ref: FIRST }, [FIRST, not(/made from uncommitted files/)]],
    ['one that is not here is not recorded', { commit: LOST }, [undefined, not(/does not have commit eeeeeeeeeeee/)]],
    [
      'an undo records nothing',
      { ref: FIRST, commit: SECOND, more: { plan: { changes: [], undoes: 'r', commit: SECOND } } },
      [FIRST],
    ],
    [
      'nor does a part of the manifests',
      { ref: FIRST, more: { manifests: { kind: 'committed', commit: SECOND } } },
      [FIRST],
    ],
    [
      'nor a project of the environment',
      {
        commit: FIRST,
        more: {
          loaded: {
            config: { root, projects: {}, base: {} },
            project: { name: 'main', service: 'remote' },
          },
        },
      },
      [undefined],
    ],
  ])('%s', async (_, given, expected) => {
    expect(await apply(given)).toEqual(expected);
  });

  describe('what an apply leaves', () => {
    test.each<[string, Apply, unknown]>([
      ['is recorded where the plan knew what was applied last', { base: by(FIRST) }, undefined],
      ['is not, where the plan was compared with another commit', { base: by(BESIDE) }, OTHERWISE],
      ['is not, where a user named that commit', { base: by(FIRST, { from: 'option' }) }, OTHERWISE],
      ['is not, where something else was left then', { base: by(FIRST, { earlier: EARLIER }) }, OTHERWISE],
      ['is not, where other steps were made then', { base: by(FIRST, { rollouts: [progress('a')] }) }, OTHERWISE],
      ['is not, without a base', {}, OTHERWISE],
      ['is not, with steps that were not made', { left: false, unmade: ['a'] }, OTHERWISE],
      ['is not, with what was left before', { left: false, earlier: EARLIER }, OTHERWISE],
    ])('%s', async (_, given, refusal) => {
      const said = await apply({ ref: FIRST, commit: SECOND, left: true, ...given });
      expect(said).toEqual(refusal === undefined ? [SECOND, recorded(SECOND)] : [FIRST, refusal]);
    });

    test('is in the record, which names the commits', async () => {
      const [id, said] = await apply({ ref: FIRST, commit: SECOND, base: by(FIRST), earlier: EARLIER });
      expect(said).toBe(`${recorded(SECOND).slice(0, -1)}, except what was left of a.`);
      const stored = git(root, 'cat-file', 'commit', String(id));
      expect(stored).toContain(`parent ${SECOND}\nparent ${FIRST}\nauthor flagwright`);
      expect(stored).toContain(`Left: ${FIRST} "a"`);
      expect(
        await apply({ ref: String(id), commit: SECOND, base: by(SECOND, { earlier: EARLIER }), earlier: EARLIER }),
      ).toEqual([id]);
    });

    test('and is made later is recorded', async () => {
      const base = by(SECOND, { earlier: EARLIER });
      expect(await apply({ ref: LEAVING, commit: SECOND, base })).toEqual([SECOND, recorded(SECOND)]);
    });
  });

  describe('a commit that does not contain the one that was applied last', () => {
    test.each<[string, object | undefined, unknown]>([
      ['was planned before that one', by(FIRST), NEWER],
      ['was planned before that one, when nothing was recorded', noBase('not_recorded'), NEWER],
      ['was planned with it', by(SECOND), APART],
      ['was compared with what a user named', by(FIRST, { from: 'option' }), APART],
      ['was planned without a base', undefined, APART],
      ['was planned without git', noBase('git_missing'), APART],
    ])('is not recorded: it %s', async (_, base, refusal) => {
      expect(await apply({ ref: SECOND, commit: BESIDE, ...(base === undefined ? {} : { base }) })).toEqual([
        SECOND,
        refusal,
      ]);
    });

    test('is recorded by a run that says so', async () => {
      expect(await apply({ ref: SECOND, commit: BESIDE, more: { moves: true } })).toEqual([BESIDE, recorded(BESIDE)]);
    });
  });

  test.each([
    ['a later release wrote', OF_LATER],
    ['is not here', LOST],
  ])('a record that %s stays, unless the run moves it', async (_, ref) => {
    expect(await apply({ ref, commit: FIRST })).toEqual([
      ref,
      not(/cannot be read, so it is not known what was applied last/),
    ]);
    const [after] = await apply({ ref, commit: FIRST, more: { moves: true } });
    expect(after).toBe(FIRST);
  });
});
