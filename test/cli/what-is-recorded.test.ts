/** What an apply records in git: nothing pending is lost, the record moves forward only, and it can be taken back. */

// @module-tag untimely
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, LATER, none, onRepository, REF, twoClones, type GitStage } from '../helpers/git-stage.ts';
import { cloneOf, git, GIT_ENV } from '../helpers/repository.ts';
import { MANIFEST } from '../helpers/stage.ts';

const shortOf = (commit: string): string => commit.slice(0, 12);

/** The classes of the differences, as `drift` has them: `KEY PATH CLASS`. */
async function classesOf({ run }: GitStage): Promise<string[]> {
  const { changes } = (await run('drift', '-f', 'json')).document() as {
    readonly changes: readonly {
      readonly key: string;
      readonly fields: readonly { readonly path: string; readonly divergence?: string }[];
    }[];
  };
  return changes.flatMap(({ key, fields }) => fields.map(({ path: at, divergence }) => `${key} ${at} ${divergence}`));
}

/** The manifests are applied; then somebody renames the flag, and git rolls it out further. */
async function renamed(config?: string): Promise<GitStage & { readonly first: string; readonly second: string }> {
  const here = await gitStage(config);
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  const first = here.git('rev-parse', 'HEAD');
  await here.world.edit('checkout', { key: 'checkout-x' });
  const second = here.commit({ 'flags/main.yaml': LATER });
  return { ...here, first, second };
}

const LEFT = ['checkout /filters/groups/0/rollout_percentage pending', 'checkout /key drifted'];

describe('what an apply leaves keeps the base that it had', () => {
  test('and there is none if its manifests cannot be read as the configuration is now', async () => {
    const here = await gitStage();
    const first = here.commit({ 'more/x.yaml': 'flags: { x: { active: 7 } }\n' });
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    await here.world.edit('checkout', { key: 'checkout-x' });
    here.git('rm', '--quiet', 'more/x.yaml');
    const second = here.commit({ 'flags/main.yaml': LATER });
    expect(await here.run('apply', '--yes', '--only-pending')).toMatchObject({ code: 0 });
    const base = async (): Promise<unknown> => (await here.run('drift', '-f', 'json')).document()['base'];
    expect(await base()).toMatchObject({
      kind: 'commit',
      commit: second,
      earlier: [{ key: 'checkout', commit: first }],
    });
    here.write('flagwright.yaml', `${here.read('flagwright.yaml')}manifests: [flags/*.yaml, more/*.yaml]\n`);
    expect(await base()).toMatchObject(none({ code: 'manifests_invalid', commit: first, errors: 1 }));
  });

  test.each<[string, string, readonly string[]]>([
    ['with --only-pending', CONFIG, ['--only-pending']],
    ['with drift: keep', `${CONFIG}drift: keep\n`, []],
  ])('%s', async (_, config, options) => {
    const here = await renamed(config);
    const { first, second } = here;
    const ran = await here.run('apply', '--yes', ...options);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(
      `Recorded commit ${shortOf(second)} as the last one applied to main, except what was left of checkout.`,
    );
    expect((await classesOf(here)).toSorted()).toEqual(LEFT);
    expect((await here.run('drift', '-f', 'json')).document()['base']).toEqual({
      kind: 'commit',
      commit: second,
      from: 'ref',
      earlier: [{ key: 'checkout', fields: ['filters'], commit: first }],
    });
    // The commands of the documentation read the record as they read a commit.
    expect(here.git('diff', REF, second)).toBe('');
    expect(here.git('log', '-1', '--format=%B', REF)).toContain(
      `Applied: ${second}\nLeft: ${first} "checkout" ["filters"]`,
    );
    expect(here.git('rev-parse', `${REF}^1`, `${REF}^2`)).toBe(`${second}\n${first}`);
    // Nothing moves while nothing changes.
    const record = here.git('rev-parse', REF);
    expect((await here.run('apply', '--yes', '--only-pending')).stderr).not.toContain('Recorded');
    expect(here.git('rev-parse', REF)).toBe(record);
    await here.world.edit('checkout-x', { key: 'checkout' });
    await here.run('apply', '--yes', '--only-pending');
    expect(here.git('rev-parse', `${REF}^1`)).toBe(second);
    expect(await classesOf(here)).toEqual([]);
  });

  test('and accept takes over the edit alone', async () => {
    const here = await renamed();
    await here.run('apply', '--yes', '--only-pending');
    await here.world.edit('checkout-x', { key: 'checkout', name: 'Edited' });
    await here.run('accept', '--yes');
    expect(here.read('flags/main.yaml')).toBe(LATER.replace('One-page checkout', 'Edited'));
  });

  test('as the journal tells, where there is no ref', async () => {
    const here = await renamed();
    here.commit({ 'flags/main.yaml': LATER.replace('search:', 'search:\n    description: Search') });
    await here.run('apply', '--yes', '--only-pending');
    here.git('update-ref', '-d', REF);
    expect((await classesOf(here)).toSorted()).toEqual(LEFT);
    expect((await here.run('drift', '-f', 'json')).document()['base']).toMatchObject({
      from: 'journal',
      earlier: [{ key: 'checkout', commit: here.first }],
    });
  });

  test('in a saved plan and in another clone, which may be shallow', async () => {
    const [first, second, bare] = await twoClones();
    await first.run('apply', '--yes');
    const before = first.git('rev-parse', 'HEAD');
    await first.world.edit('checkout', { key: 'checkout-x' });
    const after = first.commit({ 'flags/main.yaml': LATER });
    first.git('push', '--quiet', 'origin', 'main');
    await first.run('plan', '--only-pending', '--out', 'plan.json');
    expect((await first.run('apply', 'plan.json')).stderr).toContain('except what was left of checkout');
    second.git('pull', '--quiet');
    // The journal knows the flag that has another key by now.
    const keepJournal = ({ root }: GitStage): void =>
      cpSync(path.join(first.root, '.flagwright'), path.join(root, '.flagwright'), { recursive: true });
    keepJournal(second);
    expect((await classesOf(second)).toSorted()).toEqual(LEFT);
    const shallow = onRepository(cloneOf({ root: bare }, '--depth=1'), first);
    keepJournal(shallow);
    expect((await classesOf(shallow)).toSorted()).toEqual(LEFT);
    const base = { commit: after, earlier: [{ key: 'checkout', commit: before }] };
    expect((await shallow.run('drift', '-f', 'json')).document()['base']).toMatchObject(base);
    // A shallow clone records, too, and the others read it.
    await shallow.world.edit('checkout-x', { key: 'checkout' });
    expect((await shallow.run('apply', '--yes')).stderr).toContain(`Recorded commit ${shortOf(after)}`);
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(after);
    expect(await second.baseOf()).toEqual({ kind: 'commit', commit: after, from: 'ref' });
  });

  test('and a job that fetched the record alone is told what to fetch', async () => {
    const [first, , bare] = await twoClones();
    await first.run('apply', '--yes');
    await first.world.edit('checkout', { key: 'checkout-x' });
    first.commit({ 'flags/main.yaml': LATER });
    await first.run('apply', '--yes', '--only-pending');
    first.git('push', '--quiet', 'origin', 'main');
    const job = onRepository(cloneOf({ root: bare }, '--depth=1'), first);
    job.git('fetch', '--quiet', '--depth=1', 'origin', `+${REF}:${REF}`);
    job.git('remote', 'set-url', 'origin', 'file:///nowhere.git');
    const earlier = first.git('rev-parse', `${REF}^2`);
    const refused = await job.run('plan');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`git fetch --depth=1 origin ${earlier}`);
    job.git('fetch', '--quiet', '--depth=1', `file://${bare}`, earlier);
    expect(await job.run('plan')).toMatchObject({ code: 0 });
  });

  test('flags of a format that no plan writes stay pending', async () => {
    const here = await gitStage();
    const filters = '{ version: 2, rules: [{ rollout: 1 }] }';
    const text = (rollout: number): string =>
      `${MANIFEST}  ruled: { active: true, filters: ${filters.replace('1', String(rollout))} }\n`;
    here.commit({ 'flags/main.yaml': text(1) });
    expect((await here.run('apply', '--yes')).stderr).toContain('except what was left of ruled');
    expect(await here.baseOf()).toMatchObject({ earlier: [{ key: 'ruled' }] });
  });
});

describe('the record moves forward only', () => {
  /** A plan of the first commit, saved; then the second is applied. */
  async function savedBefore(...options: readonly string[]): Promise<GitStage & { readonly first: string }> {
    const here = await gitStage();
    await here.run('apply', '--yes');
    here.commit({ 'flags/main.yaml': MANIFEST.replace('One-page', 'One page') });
    const first = here.git('rev-parse', 'HEAD');
    expect(await here.run('plan', '--out', 'plan.json', ...options)).toMatchObject({ code: 0 });
    here.commit({ 'flags/main.yaml': MANIFEST.replace('One-page', 'One page').replace('false', 'true') });
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    return { ...here, first };
  }

  test.each<[string, readonly string[], string]>([
    ['a plan that was compared with what was applied then', [], 'was applied after the plan was made'],
    ['a plan that names its base', ['--base', 'HEAD~1'], 'which was applied last and stays the base; add --move-base'],
    ['a plan without a base', ['--base', 'none'], 'which was applied last and stays the base; add --move-base'],
  ])('%s says why it records nothing', async (_, options, why) => {
    const here = await savedBefore(...options);
    const now = here.git('rev-parse', REF);
    const ran = await here.run('apply', 'plan.json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('No commit is recorded as applied to main: ');
    expect(ran.stderr).toContain(`commit ${shortOf(here.git('rev-parse', `${REF}^1`))}`);
    expect(ran.stderr).toContain(why);
    expect(here.git('rev-parse', REF)).toBe(now);
    expect((await here.run('apply', 'plan.json', '--move-base')).stderr).toContain(
      `Recorded commit ${shortOf(here.first)}`,
    );
    expect(here.git('rev-parse', `${REF}^1`)).toBe(here.first);
  });

  test('a record that names no commit stays, unless the run moves it', async () => {
    const here = await gitStage();
    const tree = here.git('rev-parse', 'HEAD^{tree}');
    here.git('update-ref', REF, tree);
    const ran = await here.run('apply', '--yes', '--base', 'HEAD');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('No commit is recorded as applied to main: ');
    expect(ran.stderr).toContain(REF);
    expect(here.git('rev-parse', REF)).toBe(tree);
    expect((await here.run('apply', '--yes', '--base', 'HEAD', '--move-base')).stderr).toContain('Recorded commit');
    expect(here.git('rev-parse', `${REF}^1`)).toBe(here.git('rev-parse', 'HEAD'));
  });

  test('a plan whose remote could not be read when it was made', async () => {
    const [first, second, bare] = await twoClones();
    await first.run('apply', '--yes');
    await second.baseOf();
    second.git('remote', 'set-url', 'origin', 'file:///nowhere.git');
    const old = second.commit({ 'flags/main.yaml': MANIFEST.replace('One-page', 'One page') });
    await second.run('plan', '--out', 'plan.json');
    second.git('remote', 'set-url', 'origin', `file://${bare}`);
    const later = first.commit({ 'flags/main.yaml': MANIFEST.replace('false', 'true') });
    await first.run('apply', '--yes');
    expect((await second.run('apply', 'plan.json')).stderr).toContain(`commit ${shortOf(later)}`);
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(later);
    expect(old).not.toBe(later);
  });

  test('a rollback that checks out an older commit is an edit in the service to those who read the record', async () => {
    const here = await gitStage();
    await here.run('apply', '--yes');
    const later = here.commit({ 'flags/main.yaml': LATER });
    await here.run('apply', '--yes');
    here.git('checkout', '--quiet', 'HEAD~1');
    expect((await here.run('apply', '--yes')).stderr).toContain(`does not contain commit ${shortOf(later)}`);
    here.git('checkout', '--quiet', 'main');
    expect(await classesOf(here)).toEqual(['checkout /filters/groups/0/rollout_percentage drifted']);
    // The documented way: the record moves forward, and nothing differs.
    here.git('revert', '--no-edit', later);
    expect((await here.run('apply', '--yes')).stderr).toContain('Recorded commit');
    expect(await classesOf(here)).toEqual([]);
  });

  test('in a shallow clone, whose history is fetched to tell', async () => {
    const [first, , bare] = await twoClones();
    await first.run('apply', '--yes');
    first.commit({ 'notes.txt': 'between' });
    const later = first.commit({ 'flags/main.yaml': LATER });
    first.git('push', '--quiet', 'origin', 'main');
    const shallow = onRepository(cloneOf({ root: bare }, '--depth=1'), first);
    expect((await shallow.run('apply', '--yes')).stderr).toContain(`Recorded commit ${shortOf(later)}`);
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(later);
    // A job of the older commit runs again.
    const old = onRepository(cloneOf({ root: bare }, '--depth=1', '--branch=main'), first);
    old.git('fetch', '--quiet', '--depth=1', 'origin', first.git('rev-parse', 'HEAD~2'));
    old.git('checkout', '--quiet', 'FETCH_HEAD');
    expect((await old.run('apply', '--yes')).stderr).toContain(`does not contain commit ${shortOf(later)}`);
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(later);
  });

  test('where two clones push at once, the second push is refused', async () => {
    const [first, , bare] = await twoClones();
    await first.run('apply', '--yes');
    const other = first.git('commit-tree', '-m', 'another', `${REF}^{tree}`);
    first.git('push', '--quiet', 'origin', `${other}:refs/heads/other`);
    first.commit({ 'flags/main.yaml': LATER });
    // Between reading and pushing, another clone moves the ref.
    const ran = await first.runWith(
      { onStderr: (text) => void (text.includes('Recorded commit') && git(bare, 'update-ref', REF, other)) },
      'apply',
      '--yes',
    );
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('was not pushed to origin') as string });
    expect(git(bare, 'rev-parse', REF)).toBe(other);
  });

  test('a plan that leaves changes, and was compared with another commit than the recorded one', async () => {
    const here = await renamed();
    const recorded = here.git('rev-parse', REF);
    const ran = await here.run('apply', '--yes', '--only-pending', '--base', 'HEAD');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(
      `the plan leaves changes, and was not compared with commit ${shortOf(here.git('rev-parse', `${REF}^1`))}`,
    );
    expect(here.git('rev-parse', REF)).toBe(recorded);
    expect((await classesOf(here)).toSorted()).toEqual(LEFT);
  });
});

test('a commit of people that looks like a record is not read as one', async () => {
  const here = await gitStage();
  await here.run('apply', '--yes');
  await here.world.edit('checkout', { key: 'checkout-x' });
  here.commit({ 'flags/main.yaml': LATER });
  await here.run('apply', '--yes', '--only-pending');
  const forged = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: here.root,
    env: GIT_ENV,
    input: here.git('cat-file', 'commit', REF).replaceAll('checkout', 'search'),
    encoding: 'utf8',
  }).trim();
  here.git('reset', '--quiet', '--hard', forged);
  await here.world.edit('checkout-x', { key: 'checkout' });
  expect((await here.run('apply', '--yes')).stderr).toContain(`Recorded commit ${shortOf(forged)}`);
  expect(await here.baseOf()).toEqual({ kind: 'commit', commit: forged, from: 'ref' });
});

describe('the record is taken back', () => {
  /** As `docs/base.md` has it, for the project `main`. */
  const [, script = ''] =
    /# nothing counts as applied any more\n([\s\S]*?)```/.exec(
      readFileSync(path.join(import.meta.dirname, '../../docs/base.md'), 'utf8'),
    ) ?? [];
  const commands = script.trim().replaceAll('production', 'main').split('\n');

  const take = ({ root }: GitStage, ...lines: readonly string[]): void =>
    void execFileSync('bash', ['--norc', '-ec', lines.join('\n')], {
      cwd: root,
      env: { ...GIT_ENV, HOME: root },
      stdio: 'pipe',
    });

  test('by the documented commands, also where the journal and the remote know better', async () => {
    expect(commands).toHaveLength(2);
    const [first, second, bare] = await twoClones();
    await first.run('apply', '--yes');
    await second.baseOf();
    // To delete the ref is not enough: the remote still has it, and then the journal.
    first.git('update-ref', '-d', REF);
    expect(await first.baseOf()).toMatchObject({ from: 'ref' });
    first.git('update-ref', '-d', REF);
    git(bare, 'update-ref', '-d', REF);
    expect(await first.baseOf()).toMatchObject({ from: 'journal' });
    take(first, ...commands);
    for (const clone of [first, second]) expect(await clone.baseOf()).toEqual(none({ code: 'not_recorded' }));
    expect((await first.run('apply', '--yes')).stderr).toContain('Recorded commit');
    expect(await second.baseOf()).toMatchObject({ kind: 'commit', from: 'ref' });
  });

  test('in one clone, by the first of them', async () => {
    const here = await gitStage();
    await here.run('apply', '--yes');
    take(here, commands[0] ?? '');
    expect(await here.baseOf()).toEqual(none({ code: 'not_recorded' }));
    rmSync(path.join(here.root, '.flagwright'), { recursive: true });
    expect((await here.run('apply', '--yes')).stderr).toContain('Recorded commit');
  });
});

test('an undo that is applied from a file records no commit, and says nothing of that', async () => {
  const here = await gitStage();
  await here.run('apply', '--yes');
  here.commit({ 'flags/main.yaml': LATER });
  await here.run('apply', '--yes');
  const record = here.git('rev-parse', REF);
  expect(await here.run('undo', '--out', 'undo.json')).toMatchObject({ code: 0 });
  const ran = await here.run('apply', 'undo.json', '--yes');
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('Undid 1 change') as string]);
  expect(ran.stderr).not.toMatch(/[Rr]ecorded (?:commit|as applied)/);
  expect(here.git('rev-parse', REF)).toBe(record);
});
