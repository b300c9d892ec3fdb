/** The base on the command line, in real repositories: where it is found, why there is none, and what apply records. */

// @module-tag untimely
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
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
import { cloneOf, git, repositoryIn } from '../helpers/repository.ts';
import { MANIFEST, stage } from '../helpers/stage.ts';
import { createWorkspace, workspaceIn } from '../helpers/workspace.ts';

describe('where the base is found', () => {
  test('in the ref that apply records, which the next plan uses', async () => {
    const { run, git: call, commit, baseOf } = await gitStage();
    expect(await baseOf()).toEqual(none({ code: 'not_recorded' }));
    const applied = await run('apply', '--yes');
    expect(applied.stderr).toMatch(/^Recorded commit [0-9a-f]{12} as the last one applied to main\.$/m);
    const first = call('rev-parse', 'HEAD');
    expect(call('rev-parse', `${REF}^1`)).toBe(first);
    commit({ 'flags/main.yaml': LATER });
    expect(await baseOf()).toEqual({ kind: 'commit', commit: first, from: 'ref' });
    expect((await run('drift', '-f', 'json')).document()['base']).toEqual({
      kind: 'commit',
      commit: first,
      from: 'ref',
    });
  });

  test('in the newest applied run of the journal, where there is no ref', async () => {
    const { run, git: call, commit, baseOf } = await gitStage();
    await run('apply', '--yes');
    const first = call('rev-parse', 'HEAD');
    commit({ 'flags/main.yaml': LATER });
    // Neither run is an apply of the commit.
    await run('apply', '--yes', '--target', 'checkout');
    await run('undo', '--yes');
    call('update-ref', '-d', REF);
    expect(await baseOf()).toEqual({ kind: 'commit', commit: first, from: 'journal' });
  });

  test('at the commit that --base names, by any name', async () => {
    const { git: call, commit, baseOf, run } = await gitStage();
    const first = call('rev-parse', 'HEAD');
    call('tag', '--annotate', '--message=x', 'v1');
    commit({ 'flags/main.yaml': LATER });
    for (const name of ['HEAD~1', 'v1', first, first.slice(0, 8), 'main^']) {
      expect(await baseOf('--base', name)).toEqual({ kind: 'commit', commit: first, from: 'option' });
    }
    for (const name of ['gone', '--all', '', 'HEAD..main', 'HEAD:flags', 'a\nb', 'HEAD^{tree}']) {
      const refused = await run('plan', `--base=${name}`);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/^error {2}--base .*is not a commit of this repository\.$/m);
    }
  });

  test('nowhere with --base none, and nothing is said', async () => {
    const { run, baseOf } = await gitStage();
    expect(await baseOf('--base', 'none')).toBeUndefined();
    const plain = await run('plan', '--base', 'none');
    expect(plain.stdout).not.toMatch(/base|git|commit/i);
    expect(plain.stderr).toBe('');
  });

  test('nowhere outside a repository, and nothing is said unless --base asks', async () => {
    const { run, runWith } = await stage(MANIFEST, CONFIG);
    // Without a PATH, a git that is started would be noticed.
    const silent = await runWith({ env: { PATH: '' } }, 'plan', '-f', 'json');
    expect(silent).toMatchObject({ code: 0, stderr: '' });
    expect(silent.document()).not.toHaveProperty('base');
    expect(silent.document()).not.toHaveProperty('commit');
    expect((await run('plan', '-f', 'json', '--base', 'auto')).document()['base']).toEqual(
      none({ code: 'no_repository' }),
    );
    expect((await run('plan', '--base', 'main')).stderr).toContain(
      '--base main cannot be used: the configuration is not in a git checkout.',
    );
    expect((await run('apply', '--yes')).stderr).not.toMatch(/commit/i);
  });

  test('for a worktree, a submodule and a folder below the top', async () => {
    const origin = await gitStage();
    await origin.run('apply', '--yes');
    const first = origin.git('rev-parse', 'HEAD');
    const tree = path.join(createWorkspace().root, 'tree');
    origin.git('worktree', 'add', '--quiet', tree);
    expect(await onRepository(repositoryIn(workspaceIn(tree)), origin).baseOf()).toMatchObject({
      commit: first,
    });
    const outer = repositoryIn(createWorkspace());
    outer.git('init', '--quiet');
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin.root, 'inner');
    const inner = onRepository(repositoryIn(workspaceIn(path.join(outer.root, 'inner'))), origin);
    await inner.run('apply', '--yes');
    expect(await inner.baseOf()).toEqual({ kind: 'commit', commit: first, from: 'ref' });
    const folder = path.join(outer.root, 'teams/ä b');
    mkdirSync(folder, { recursive: true });
    const below = onRepository(repositoryIn(workspaceIn(folder)), origin);
    const commit = below.commit({ 'flagwright.yaml': origin.read('flagwright.yaml'), 'flags/main.yaml': MANIFEST });
    await below.run('apply', '--yes');
    expect(outer.git('for-each-ref', '--format=%(refname) %(parent)', 'refs/flagwright')).toBe(
      `refs/flagwright/applied/teams%2F%C3%A4%20b%2Fmain ${commit}`,
    );
    expect(await below.baseOf()).toEqual({ kind: 'commit', commit, from: 'ref' });
  });
});

describe('why there is no base', () => {
  async function applied(): Promise<GitStage> {
    const staged = await gitStage();
    expect(await staged.run('apply', '--yes')).toMatchObject({ code: 0 });
    rmSync(path.join(staged.root, '.flagwright'), { recursive: true });
    return staged;
  }

  test('no git, or a git that refuses', async () => {
    const { runWith, root, unreadOf } = await applied();
    const without = await runWith({ env: { PATH: '' } }, 'drift', '-f', 'json');
    expect(without.document()['base']).toEqual(none({ code: 'git_missing' }));
    expect(await runWith({ env: { PATH: '' } }, 'apply', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The last apply cannot be read: git is not installed') as string,
    });
    rmSync(path.join(root, '.git/HEAD'));
    expect(await unreadOf()).toMatchObject(none({ code: 'git_refused' }));
    // Where nothing was applied, there is nothing to be judged by.
    rmSync(path.join(root, '.git/refs/flagwright'), { recursive: true });
    expect((await runWith({ env: { PATH: '' } }, 'apply', '--yes')).code).toBe(0);
    expect((await runWith({}, 'apply', '--yes')).stderr).toContain(
      'No commit is recorded as applied to main: fatal: not',
    );
  });

  test('a branch without a commit', async () => {
    const { run, root, baseOf } = await applied();
    rmSync(path.join(root, '.git'), { recursive: true });
    git(root, 'init', '--quiet');
    expect(await baseOf()).toEqual(none({ code: 'not_recorded' }));
    expect((await run('apply', '--yes')).stderr).toContain(
      'No commit is recorded as applied to main: the branch has no commit yet.\n  → Commit the manifests, then run apply again',
    );
  });

  test('a ref that names no commit, and one whose commit is gone', async () => {
    const { git: call, unreadOf, root } = await applied();
    call('update-ref', REF, call('rev-parse', 'HEAD:flags/main.yaml'));
    expect(await unreadOf()).toEqual(none({ code: 'not_a_commit', name: REF }));
    repositoryIn(workspaceIn(root)).write(`.git/${REF}`, `${'a'.repeat(40)}\n`);
    expect(await unreadOf()).toEqual(none({ code: 'commit_missing', commit: 'a'.repeat(40), shallow: false }));
  });

  test('a shallow clone, until the one commit is fetched', async () => {
    const origin = await gitStage();
    await origin.run('apply', '--yes');
    const first = origin.git('rev-parse', 'HEAD');
    origin.commit({ 'flags/main.yaml': LATER });
    const clone = cloneStage(origin, '--depth=1');
    // A journal that the pipeline keeps.
    const journal = path.join(origin.root, '.flagwright/journal');
    for (const file of readdirSync(journal)) {
      clone.write(`.flagwright/journal/${file}`, origin.read(`.flagwright/journal/${file}`));
      chmodSync(path.join(clone.root, '.flagwright/journal', file), 0o600);
    }
    expect(await clone.unreadOf()).toEqual(
      none({ code: 'commit_missing', commit: first, shallow: true, remote: 'origin' }),
    );
    clone.git('fetch', '--quiet', '--depth=1', 'origin', first);
    expect(await clone.baseOf()).toEqual({ kind: 'commit', commit: first, from: 'journal' });
    expect((await clone.run('plan', '--base', 'HEAD~7')).stderr).toContain('git fetch --unshallow');
  });

  test('manifests that are invalid, of another format, filtered, or elsewhere', async () => {
    const { commit, baseOf, git: call, write, run } = await applied();
    const at = async (files: Readonly<Record<string, string>>): Promise<unknown> => {
      const then = commit(files);
      call('checkout', '--quiet', 'HEAD~1', '.');
      call('clean', '-fdq', 'flags');
      commit();
      const base = await baseOf('--base', then);
      return base?.kind === 'none' ? base.reason : base;
    };
    expect(await at({ 'flags/main.yaml': 'flags: { checkout: { aktive: true }, x: { y: 1 } }\n' })).toMatchObject({
      code: 'manifests_invalid',
      errors: 2,
      message: expect.stringContaining('"aktive"'),
      place: { file: 'flags/main.yaml', line: 1 },
    });
    expect(await at({ 'flags/main.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n' })).toMatchObject(
      {
        code: 'manifests_invalid',
      },
    );
    write('.gitattributes', 'flags/** filter=git-crypt\n');
    expect(await at({ 'flags/main.yaml': LATER })).toMatchObject({
      code: 'manifests_filtered',
      file: 'flags/main.yaml',
      filter: 'git-crypt',
    });
    call('mv', 'flags', 'elsewhere');
    const moved = commit();
    call('mv', 'elsewhere', 'flags');
    commit();
    expect(await baseOf('--base', moved)).toMatchObject(
      none({ code: 'manifests_invalid', message: expect.stringContaining('No file matches') }),
    );
    expect(await run('apply', '--yes', '--base', moved)).toMatchObject({ code: 0 });
  });

  test('manifests in a submodule', async () => {
    const { git: call, run, baseOf, root } = await applied();
    const inner = repositoryIn(createWorkspace());
    inner.git('init', '--quiet');
    inner.commit({ 'more.yaml': 'flags: { more: { active: true } }\n' });
    call('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'flags/inner');
    call('commit', '--quiet', '--message=submodule');
    expect(await baseOf('--base', 'HEAD')).toMatchObject(
      none({ code: 'manifests_in_submodule', folder: 'flags/inner' }),
    );
    expect((await run('apply', '--yes')).stderr).toContain('flags/inner/more.yaml is not committed.');
    // A submodule without manifests is a folder like any other.
    rmSync(path.join(root, 'flags/inner/more.yaml'));
    expect(await baseOf('--base', 'HEAD')).toMatchObject({ kind: 'commit' });
  });
});

describe('the base has the manifests of its commit, and nothing else', () => {
  test('with the projects of today: hosts and names of then do not count', async () => {
    const { run, commit, git: call, read, write } = await gitStage();
    const config = read('flagwright.yaml');
    const then = commit({
      'flagwright.yaml':
        'projects: { main: { host: "https://elsewhere.example", project_id: "7", api_key_env: HOME }, old: {} }\n',
      'flags/main.yaml': `${MANIFEST}    projects: { old: { active: true }, main: { active: true } }\n`,
    });
    write('flagwright.yaml', config);
    write('flags/main.yaml', MANIFEST);
    call('add', '--all');
    const plan = await run('plan', '-f', 'json', '--base', then);
    expect(plan.document()['base']).toEqual({ kind: 'commit', commit: then, from: 'option' });
  });

  test('whatever git does to line ends and keywords on disk', async () => {
    const { commit, write, baseOf, run } = await gitStage();
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const first = commit({
      '.gitattributes': '*.yaml text eol=crlf ident\n',
      'flags/main.yaml': `# $Id$\n${MANIFEST}`,
    });
    write('flags/main.yaml', crlf(`# $Id: 123 $\n${MANIFEST}`));
    expect((await run('apply', '--yes')).stderr).toContain(`Recorded commit ${first.slice(0, 12)}`);
    write('flags/main.yaml', crlf(LATER));
    expect(await baseOf()).toMatchObject({ commit: first });
  });

  test('through links, and without those that lead outside', async () => {
    const { commit, root, baseOf, git: call, write } = await gitStage();
    symlinkSync('../shared.yaml', path.join(root, 'flags/shared.yaml'));
    const inside = commit({ 'shared.yaml': 'flags: { shared: { active: true } }\n' });
    rmSync(path.join(root, 'flags/shared.yaml'));
    symlinkSync('/etc/hostname', path.join(root, 'flags/shared.yaml'));
    const outside = commit();
    call('rm', '--quiet', 'flags/shared.yaml');
    commit();
    write('flags/main.yaml', LATER);
    expect(await baseOf('--base', inside)).toMatchObject({ kind: 'commit' });
    expect(await baseOf('--base', outside)).toMatchObject(
      none({ code: 'manifests_invalid', place: { file: 'flags/shared.yaml' } }),
    );
  });
});

describe('what apply records', () => {
  test.each<readonly [string, (staged: GitStage) => void, string]>([
    ['modified', ({ write }) => write('flags/main.yaml', LATER), 'flags/main.yaml has uncommitted changes'],
    [
      'staged',
      ({ write, git: call }) => (write('flags/main.yaml', LATER), void call('add', '--all')),
      'flags/main.yaml has uncommitted changes',
    ],
    [
      'new',
      ({ write }) => write('flags/new\nline.yaml', 'flags: { new: { active: true } }\n'),
      'flags/new\\nline.yaml is not committed',
    ],
    [
      'ignored',
      (s) => (s.commit({ '.gitignore': 'x.yaml\n' }), s.write('flags/x.yaml', '')),
      'flags/x.yaml is not committed',
    ],
    [
      'gone',
      (s) => (s.commit({ 'flags/x.yaml': '' }), rmSync(path.join(s.root, 'flags/x.yaml'))),
      'flags/x.yaml is committed, but not on disk',
    ],
  ])('nothing where a manifest is %s', async (_name, change, why) => {
    const staged = await gitStage();
    change(staged);
    const ran = await staged.run('apply', '--yes');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`note  No commit is recorded as applied to main: ${why}.`);
    expect(staged.git('for-each-ref', 'refs/flagwright')).toBe('');
    expect(await staged.baseOf()).toEqual(none({ code: 'not_recorded' }));
  });

  test('only manifests have to be committed', async () => {
    const { run, read, write, git: call } = await gitStage();
    write('notes.txt', 'not committed');
    write('flagwright.yaml', `${read('flagwright.yaml')}# not committed\n`);
    write('other/flags.yaml', 'flags: {}');
    await run('apply', '--yes');
    expect(call('rev-parse', `${REF}^1`)).toBe(call('rev-parse', 'HEAD'));
  });

  test('the commit also when there is nothing to change, and nothing when it is recorded already', async () => {
    const { run, commit, git: call } = await gitStage();
    await run('apply', '--yes');
    const later = commit({ 'flags/main.yaml': `# A comment.\n${MANIFEST}` });
    expect((await run('apply', '--yes')).stderr).toContain(`Recorded commit ${later.slice(0, 12)}`);
    expect(call('rev-parse', `${REF}^1`)).toBe(later);
    expect((await run('apply', '--yes')).stderr).toBe('');
  });

  test('nothing for a part of the plan', async () => {
    const { run, git: call } = await gitStage();
    expect((await run('apply', '--yes', '--target', 'checkout')).stderr).not.toContain('Recorded commit');
    expect(call('for-each-ref', 'refs/flagwright')).toBe('');
  });

  test('the commit of a saved plan, unless another was applied since', async () => {
    const { run, commit, git: call } = await gitStage();
    const first = call('rev-parse', 'HEAD');
    await run('plan', '--out', 'first.json');
    const later = commit({ 'flags/main.yaml': LATER });
    await run('plan', '--out', 'later.json');
    expect((await run('apply', 'first.json')).code).toBe(0);
    expect(call('rev-parse', `${REF}^1`)).toBe(first);
    await run('apply', '--yes');
    expect(call('rev-parse', `${REF}^1`)).toBe(later);
    await run('undo', '--yes');
    expect((await run('apply', 'first.json')).stderr).not.toContain('Recorded commit');
    expect(call('rev-parse', `${REF}^1`)).toBe(later);
    await run('plan', '--target', 'checkout', '--out', 'part.json');
    expect((await run('apply', 'part.json')).stderr).toContain(
      'No commit is recorded as applied to main: the plan was made from uncommitted files.',
    );
  });

  test('the later of two commits whose plans were saved before either was applied, in any order', async () => {
    for (const order of [
      ['first', 'later'],
      ['later', 'first'],
    ]) {
      const { run, commit, git: call } = await gitStage();
      await run('apply', '--yes');
      const merged = MANIFEST.replace('One-page checkout', 'One page');
      const first = commit({ 'flags/main.yaml': merged });
      await run('plan', '--out', 'first.json');
      const later = commit({ 'flags/main.yaml': `${merged}    description: new\n` });
      await run('plan', '--out', 'later.json');
      call('checkout', '--quiet', first);
      const ran: string[] = [];
      for (const name of order) ran.push((await run('apply', `${name}.json`)).stderr);
      const note = `No commit is recorded as applied to main: commit ${later.slice(0, 12)} was applied after the plan was made.`;
      expect([call('rev-parse', `${REF}^1`), ran.join('').includes(note)]).toEqual([later, order[1] === 'first']);
    }
  });

  test('nothing for a project of the environment, whose commit is in the journal', async () => {
    const { workspace, ...staged } = await stage();
    git(workspace.root, 'init', '--quiet');
    const here = onRepository(repositoryIn(workspace), staged);
    const commit = here.commit();
    await here.run('apply', '--yes');
    expect(here.git('for-each-ref', 'refs/flagwright')).toBe('');
    expect(await here.baseOf()).toEqual({ kind: 'commit', commit, from: 'journal' });
  });
});

describe('base: { push }', () => {
  test('shares what was applied between clones, forwards, and backwards where the run says so', async () => {
    const [first, second, bare] = await twoClones();
    await first.run('apply', '--yes');
    const commit = first.git('rev-parse', 'HEAD');
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(commit);
    expect(await second.baseOf()).toEqual({ kind: 'commit', commit, from: 'ref' });
    const later = second.commit({ 'flags/main.yaml': LATER });
    await second.run('apply', '--yes');
    // The other clone gets the commit with the ref.
    expect(await first.baseOf()).toEqual({ kind: 'commit', commit: later, from: 'ref', checkout: 'behind' });
    expect((await first.run('plan')).stdout).toContain(
      `warning  This checkout is older than the commit applied last (${later.slice(0, 12)})`,
    );
    const back = ['apply', '--yes', '--override', 'checkout'];
    const kept = await first.run(...back);
    expect(kept).toMatchObject({ code: 0 });
    expect(kept.stderr).toContain(
      `No commit is recorded as applied to main: it does not contain commit ${later.slice(0, 12)}, which was applied last and stays the base; add --move-base to record it anyway.`,
    );
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(later);
    await first.run(...back, '--move-base');
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(commit);
    expect(await second.baseOf()).toEqual({ kind: 'commit', commit, from: 'ref' });
  });

  test('gets only the one commit into a shallow clone', async () => {
    const [first, , bare] = await twoClones();
    await first.run('apply', '--yes');
    first.commit({ 'flags/main.yaml': LATER });
    first.commit({ 'flags/main.yaml': `${LATER}# again\n` });
    first.git('push', '--quiet', 'origin', 'main');
    const shallow = onRepository(cloneOf({ root: bare }, '--depth=1'), first);
    expect(await shallow.baseOf()).toMatchObject({ kind: 'commit', from: 'ref' });
    expect(shallow.git('rev-list', '--all', '--count')).toBe('2');
  });

  test('says what is missing when the push is refused, and applies all the same', async () => {
    const [first, , bare] = await twoClones();
    workspaceIn(bare).write('hooks/update', '#!/bin/sh\necho "Permission to push denied" >&2\nexit 1\n');
    chmodSync(path.join(bare, 'hooks/update'), 0o755);
    git(bare, 'config', 'core.hooksPath', path.join(bare, 'hooks'));
    const ran = await first.runWith({ env: { GITHUB_ACTIONS: 'true' } }, 'apply', '--yes', '--quiet');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^warning {2}refs\/flagwright\/applied\/main was not pushed to origin, .*Permission to push denied/m,
    );
    expect(ran.stderr).toContain('permissions: { contents: write }');
    expect(first.git('rev-parse', `${REF}^1`)).toBe(first.git('rev-parse', 'HEAD'));
  });

  test('is what the clone knows when the remote cannot be reached, and says that it may be old', async () => {
    const [first, second, bare] = await twoClones();
    await first.run('apply', '--yes');
    const commit = first.git('rev-parse', 'HEAD');
    rmSync(bare, { recursive: true });
    const unread = { remote: 'origin', detail: expect.any(String) as string };
    expect(await first.baseOf()).toEqual({ kind: 'commit', commit, from: 'ref', unread });
    expect((await first.run('plan')).stdout).toMatch(
      /^warning {2}git cannot read the remote origin .* may have applied/m,
    );
    expect(await first.baseOf('--base', REF)).toMatchObject({ kind: 'commit', from: 'option' });
    const ran = await first.run('apply', '--yes');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('No commit is recorded as applied to main: git cannot read the remote origin');
    // The other clone knows nothing.
    expect(await second.unreadOf()).toMatchObject(none({ code: 'remote_unreachable', remote: 'origin', ref: REF }));
  });

  test('takes no address and no option for a remote', async () => {
    for (const remote of ['ext::sh -c x', '--upload-pack=x', '../other', 'https://x.example/y.git']) {
      const { run } = await gitStage(`${CONFIG}base: { push: ${JSON.stringify(remote)} }\n`);
      expect(await run('plan')).toMatchObject({ code: 1 });
    }
  });
});
