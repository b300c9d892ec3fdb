/** Commands in repositories of every sort, with any history, and on days on which git does not work. */

// @module-tag untimely
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cloneStage,
  CONFIG,
  gitStage,
  LATER,
  none,
  onRepository,
  REF,
  twoClones,
  type GitStage,
} from '../helpers/git-stage.ts';
import { createBare, git, GIT_ENV, importFast, repositoryIn } from '../helpers/repository.ts';
import { MANIFEST, stage } from '../helpers/stage.ts';
import { until } from '../helpers/until.ts';
import { createWorkspace, workspaceIn } from '../helpers/workspace.ts';

const ROLLED_OUT = { filters: { groups: [{ properties: [], rollout_percentage: 30 }] } };

async function applied(config?: string): Promise<GitStage> {
  const staged = await gitStage(config);
  expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
  return staged;
}

/** The variables for a git that is a script: `before` decides for some calls, the real git does the rest. */
function gitThat(before: string): { readonly PATH: string } {
  const real = GIT_ENV.PATH.split(path.delimiter).find((folder) => {
    try {
      return readdirSync(folder).includes('git');
    } catch {
      return false;
    }
  });
  const { root } = createWorkspace({ git: `#!/bin/sh\n${before}\nexec ${real}/git "$@"\n` });
  chmodSync(path.join(root, 'git'), 0o755);
  return { PATH: `${root}${path.delimiter}${GIT_ENV.PATH}` };
}

describe('without a checkout', () => {
  test('no git: each command does the rest, and says what is missing', async () => {
    const { runWith, world, read } = await applied();
    await world.edit('checkout', ROLLED_OUT);
    const run = (...argv: string[]) => runWith({ env: { PATH: '' } }, ...argv);
    expect(await run('drift')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('git is not installed, or not on the PATH') as string,
    });
    expect((await run('explain', 'checkout.rollout_percentage')).stdout).toContain(
      'Who changed the lines is not shown: git is not installed, or not on the PATH.',
    );
    expect(await run('accept', '--yes')).toMatchObject({ code: 0 });
    expect(read('flags/main.yaml')).toBe(MANIFEST.replace('10', '30'));
    expect((await run('plan', '--base', 'main')).stderr).toContain(
      '--base main cannot be used: git is not installed, or not on the PATH.',
    );
  });

  test('a bare repository is no checkout, with the files in it or above it', async () => {
    const { world, runWith } = await stage(MANIFEST, CONFIG);
    const { root } = createBare();
    const bare = onRepository(repositoryIn(workspaceIn(root)), { world, runWith });
    bare.write('flagwright.yaml', CONFIG.replace('$HOST', world.url));
    bare.write('flags/main.yaml', MANIFEST);
    expect(await bare.baseOf()).toBeUndefined();
    expect(await bare.baseOf('--base', 'auto')).toEqual(none({ code: 'no_repository' }));
    expect(await bare.run('apply', '--yes')).toMatchObject({ code: 0 });
    const above = await applied();
    above.git('config', 'core.bare', 'true');
    expect(await above.baseOf()).toBeUndefined();
    expect((await above.run('explain', 'checkout.active')).code).toBe(0);
    expect(await above.run('apply', '--yes')).toMatchObject({ code: 0, stderr: '' });
  });
});

test('in a worktree and a submodule, accept names files from the top of that checkout, and explain has its lines', async () => {
  const origin = await applied();
  await origin.world.edit('checkout', ROLLED_OUT);
  const tree = path.join(createWorkspace().root, 'tree');
  origin.git('worktree', 'add', '--quiet', tree);
  const outer = repositoryIn(createWorkspace());
  outer.git('init', '--quiet');
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin.root, 'inner');
  for (const folder of [tree, path.join(outer.root, 'inner')]) {
    const here = onRepository(repositoryIn(workspaceIn(folder)), origin);
    const { stdout } = await here.run('accept', '--patch');
    here.write('accepted.patch', stdout);
    here.git('apply', 'accepted.patch');
    expect(here.read('flags/main.yaml')).toBe(MANIFEST.replace('10', '30'));
    expect((await here.run('explain', 'checkout.active')).stdout).toContain('by Ana <ana@example.com>');
  }
});

describe('a rewritten history', () => {
  test('the ref keeps the commit that was applied, and so does a branch that was rewritten and pushed', async () => {
    const [first, second, bare] = await twoClones();
    first.write('flags/main.yaml', LATER);
    await first.run('apply', '--yes');
    const base = first.commit();
    await first.run('apply', '--yes');
    first.git('push', '--quiet', 'origin', 'main');
    first.git('reset', '--quiet', '--hard', 'HEAD~1');
    const rewritten = first.commit({ 'flags/main.yaml': LATER.replace('60', '70') });
    first.git('push', '--quiet', '--force', 'origin', 'main');
    for (const folder of [first.root, bare]) {
      git(folder, 'reflog', 'expire', '--expire=now', '--all');
      git(folder, 'gc', '--quiet', '--prune=now');
    }
    const apart = { kind: 'commit', commit: base, from: 'ref', checkout: 'apart' };
    expect(await first.baseOf()).toEqual(apart);
    // A clone that never saw the branch as it was gets the commit with the ref.
    second.git('fetch', '--quiet');
    second.git('reset', '--quiet', '--hard', 'origin/main');
    expect(() => second.git('cat-file', '-e', base)).toThrow();
    expect(await second.baseOf()).toEqual(apart);
    expect((await second.run('plan')).stdout).toContain('60% → 70%');
    expect((await second.run('apply', '--yes')).stderr).toContain(`does not contain commit ${base.slice(0, 12)}`);
    await second.run('apply', '--yes', '--move-base');
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(rewritten);
    expect(await first.baseOf()).toEqual({ kind: 'commit', commit: rewritten, from: 'ref' });
  });

  test('without the ref, a commit that is gone is no base, and no older one is taken', async () => {
    const staged = await applied();
    staged.commit({ 'flags/main.yaml': LATER });
    await staged.run('apply', '--yes');
    const gone = staged.git('rev-parse', 'HEAD');
    staged.git('update-ref', '-d', REF);
    staged.git('reset', '--quiet', '--hard', 'HEAD~1');
    staged.git('reflog', 'expire', '--expire=now', '--all');
    staged.git('gc', '--quiet', '--prune=now');
    expect(await staged.unreadOf()).toEqual(none({ code: 'commit_missing', commit: gone, shallow: false }));
    expect((await staged.run('plan')).stderr).toContain(`this repository does not have commit ${gone.slice(0, 12)}`);
    // An apply that says whose rules count records again.
    expect((await staged.run('apply', '--yes', '--base', 'HEAD')).stderr).toContain('Recorded commit');
    expect(await staged.baseOf()).toMatchObject({ kind: 'commit', from: 'ref' });
  });
});

test('10,000 files beside the manifests cost no process and no reading', async () => {
  const calls = path.join(createWorkspace().root, 'calls');
  const env = gitThat(`echo "$@" >> ${calls}`);
  const counted = async (files: number): Promise<number> => {
    const staged = await applied();
    const folders = Array.from({ length: 100 }, (_, folder) => `flags/f${folder}`);
    const stream = [
      `commit refs/heads/main\ncommitter A <a@example.com> 0 +0000\ndata 0\nfrom ${staged.git('rev-parse', 'HEAD')}`,
      ...Array.from({ length: files }, (_, n) => `M 644 inline ${folders[n % 100]}/${n}.txt\ndata 2\n${n % 10}\n`),
    ];
    importFast(staged.root, `${stream.join('\n')}\n`);
    staged.git('reset', '--quiet', '--hard');
    staged.commit({ 'flags/f7/later.yaml': 'flags: { later: { active: true } }\n' });
    writeFileSync(calls, '');
    expect(await staged.runWith({ env }, 'plan')).toMatchObject({ code: 0 });
    expect(await staged.runWith({ env }, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(staged.git('rev-parse', `${REF}^1`)).toBe(staged.git('rev-parse', 'HEAD'));
    return readFileSync(calls, 'utf8').trim().split('\n').length;
  };
  expect(await counted(10_000)).toBe(await counted(0));
});

describe('git fails in the middle', () => {
  test.each([
    ['that reads objects', 'cat-file', 'fatal: disk'],
    ['that knows filters', 'check-attr', 'fatal: disk'],
  ])('the git %s: there is no base, and nothing is applied', async (_what, name, words) => {
    const { runWith, commit, git: call } = await applied();
    commit({ 'flags/main.yaml': LATER });
    const env = gitThat(`case "$*" in *" ${name} "*) echo "fatal: disk" >&2; exit 128;; esac`);
    const drift = await runWith({ env }, 'drift', '-f', 'json');
    expect(drift.document()['base']).toEqual(none({ code: 'git_refused', detail: words }));
    expect(await runWith({ env }, 'explain', 'checkout.active')).toMatchObject({ code: 0 });
    const before = call('rev-parse', REF);
    const refused = await runWith({ env }, 'apply', '--yes');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
    expect(call('rev-parse', REF)).toBe(before);
  });

  test('a ref that git cannot write is not recorded, with what git says', async () => {
    const { run, commit, write, git: call } = await applied();
    const before = call('rev-parse', REF);
    commit({ 'flags/main.yaml': LATER });
    write(`.git/${REF}.lock`, '');
    const ran = await run('apply', '--yes');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/No commit is recorded as applied to main: .*cannot lock ref/);
    expect(call('rev-parse', REF)).toBe(before);
  });

  test('a ref of the remote that cannot be taken over is no base, but for what the clone knows', async () => {
    const [first, second] = await twoClones();
    await first.run('apply', '--yes');
    second.write(`.git/${REF}.lock`, '');
    const reason = { code: 'remote_unreachable', remote: 'origin', detail: expect.stringContaining('lock') as string };
    expect(await second.unreadOf()).toEqual(none({ ...reason, ref: REF }));
    rmSync(path.join(second.root, `.git/${REF}.lock`));
    const before = await second.baseOf();
    // The same where the commit is to be fetched.
    first.commit({ 'flags/main.yaml': LATER });
    await first.run('apply', '--yes');
    second.write(`.git/${REF}.lock`, '');
    expect(await second.baseOf()).toMatchObject({ ...before, unread: { remote: 'origin' } });
    rmSync(path.join(second.root, `.git/${REF}.lock`));
    expect(await second.baseOf()).toMatchObject({ commit: first.git('rev-parse', 'HEAD'), from: 'ref' });
  });

  test('Ctrl-C ends a git that does not answer', async () => {
    const { runWith, root } = await applied();
    const env = gitThat(`case "$*" in *" cat-file "*) touch ${root}/asked; exec sleep 1000;; esac`);
    let ran: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      const onStart = (interrupt: () => void): void => {
        void until(() => expect(existsSync(path.join(root, 'asked'))).toBe(true))
          .then(interrupt)
          .then(resolve);
      };
      ran = runWith({ env, onStart }, 'plan');
    });
    expect(await ran).toMatchObject({ code: 130 });
  });

  test('a commit with missing parts is no base', async () => {
    const { commit, root, git: call, unreadOf, run } = await applied();
    const blob = call('rev-parse', 'HEAD:flags/main.yaml');
    commit({ 'flags/main.yaml': LATER });
    rmSync(path.join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    expect(await unreadOf()).toMatchObject(none({ code: 'commit_damaged' }));
    expect((await run('plan')).stderr).toMatch(
      /parts of commit [0-9a-f]{12} are missing or damaged in this repository/,
    );
  });
});

test('a partial clone gets the manifests of the base from its remote', async () => {
  const [first, , bare] = await twoClones();
  git(bare, 'config', 'uploadpack.allowFilter', 'true');
  git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  await first.run('apply', '--yes');
  first.commit({ 'flags/main.yaml': LATER });
  first.git('push', '--quiet', 'origin', 'main');
  const partial = cloneStage({ ...first, root: bare }, '--filter=blob:none');
  expect(await partial.baseOf()).toMatchObject({ kind: 'commit', from: 'ref' });
  expect((await partial.run('plan')).stdout).toContain('1 change in git');
});

describe('what is recorded elsewhere', () => {
  test('a journal that was edited or is no folder is no base, rather than an older run', async () => {
    const { git: call, run, root, unreadOf, commit, read, write } = await applied();
    commit({ 'flags/main.yaml': LATER });
    await run('apply', '--yes');
    call('update-ref', '-d', REF);
    const newest = `.flagwright/journal/${readdirSync(path.join(root, '.flagwright/journal')).toSorted().at(-1)}`;
    write(newest, read(newest).replaceAll('rollout_percentage":60', 'rollout_percentage":61'));
    expect(await unreadOf()).toMatchObject(none({ code: 'journal_unreadable' }));
    rmSync(path.join(root, '.flagwright/journal'), { recursive: true });
    write('.flagwright/journal', '');
    expect(await unreadOf()).toMatchObject(none({ code: 'journal_unreadable' }));
  });

  test('a plan of another clone, whose commit is not here, is applied and not recorded', async () => {
    const [first, second] = await twoClones();
    await first.run('apply', '--yes');
    const commit = first.commit({ 'flags/main.yaml': LATER });
    await first.run('plan', '--out', 'plan.json');
    const plan = path.join(second.root, 'plan.json');
    writeFileSync(plan, first.read('plan.json'), { mode: 0o600 });
    const ran = await second.run('apply', 'plan.json');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(`this repository does not have commit ${commit.slice(0, 12)}.`);
  });

  test('the line names the remote from which a missing commit can be fetched, if there is only one to name', async () => {
    const { git: call, unreadOf, write } = await applied();
    write(`.git/${REF}`, `${'a'.repeat(40)}\n`);
    const reason = { code: 'commit_missing', commit: 'a'.repeat(40), shallow: false };
    expect(await unreadOf()).toEqual(none(reason));
    for (const [added, remote] of [['upstream', 'upstream'], ['mirror'], ['origin', 'origin']] as const) {
      call('remote', 'add', added, 'file:///nowhere');
      expect(await unreadOf()).toEqual(none(remote === undefined ? reason : { ...reason, remote }));
    }
  });

  test('the projects of the embedded service have refs of their own machine', async () => {
    const [first, , bare] = await twoClones();
    first.commit({ 'flagwright.yaml': 'projects: { main: { service: embedded } }\nbase: { push: origin }\n' });
    expect(await first.run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(git(bare, 'for-each-ref', 'refs/flagwright')).toBe('');
    expect(await first.baseOf()).toMatchObject({ kind: 'commit', from: 'ref' });
  });

  test('a configuration of the commit that cannot be read judges nothing, and neither does that of the change', async () => {
    const staged = await applied();
    const config = staged.read('flagwright.yaml');
    for (const text of [Buffer.from([0xff, 0xfe, 0xfd]), '{', 'a string', 'projects: 3']) {
      writeFileSync(path.join(staged.root, 'flagwright.yaml'), text);
      const then = staged.commit();
      staged.commit({ 'flagwright.yaml': config, 'flags/main.yaml': LATER });
      expect(await staged.unreadOf('--base', then)).toEqual({ kind: 'commit', commit: then, from: 'option' });
    }
  });
});
