/** Commands in repositories of somebody else: whatever a clone brings starts no program, and its configuration none by a local call. */

// @module-tag untimely
import { chmodSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, LATER, onRepository, REF, twoClones, type GitStage } from '../helpers/git-stage.ts';
import { cloneOf, createRepository, git, GIT_ENV, OLD_GIT } from '../helpers/repository.ts';
import { MANIFEST, stage } from '../helpers/stage.ts';
import { LOCAL_PLACES, plant, REMOTE_PLACES, type Place } from '../helpers/started-programs.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const PLACES = [...LOCAL_PLACES, ...REMOTE_PLACES];

describe('git itself starts what is planted', () => {
  test.each(PLACES.filter(({ proof }) => proof !== undefined).map((place) => [place.name, place] as const))(
    'by %s',
    (name, place) => {
      const { root } = createRepository({ 'flags/main.yaml': MANIFEST });
      expect(plant([place], path.join(root, '.git')).proven(place, root)).toEqual([name]);
    },
  );
});

/** What asks git, what writes last. `--base` names a ref of the hostile repository too. */
const COMMANDS = [
  ['plan'],
  ['plan', '--base', 'HEAD'],
  ['drift'],
  ['drift', '--write-exceptions', 'known.yaml'],
  ['validate', '--base', 'auto'],
  ['explain', 'checkout'],
  ['explain', 'checkout', '--offline'],
  ['history'],
  ['snapshot', '--out', 'live.json'],
  ['plan', '--against', 'live.json'],
  ['accept', '--pending', '--patch'],
  ['apply', '--yes'],
  ['accept', '--yes'],
] as const;

interface Victim extends GitStage {
  readonly started: () => readonly string[];
}

/** A clone of a repository with a folder that is a bare repository and its own checkout. The configuration is in `folder`. */
async function cloneWithBare(places: readonly Place[], folder = 'team'): Promise<Victim> {
  const { world, runWith } = await stage();
  const origin = createRepository({
    [`${folder}/flagwright.yaml`]: `${CONFIG.replaceAll('$HOST', world.url)}base: { push: origin }\n`,
    [`${folder}/flags/main.yaml`]: MANIFEST,
    '.gitattributes': '* filter=evil diff=evil\n',
    '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::false\n\tupdate = !false\n',
  });
  const bare = path.join(origin.root, 'team');
  git(bare, 'init', '--quiet', '--bare', '--template=', '.');
  git(bare, '--git-dir=.', '--work-tree=.', 'add', '.');
  git(bare, '--git-dir=.', '--work-tree=.', 'commit', '--quiet', '--message=evil');
  git(bare, '--git-dir=.', 'update-ref', 'refs/flagwright/applied/main', 'HEAD');
  for (const [name, value] of [
    ['core.bare', 'false'],
    ['core.worktree', '.'],
  ] as const)
    git(bare, 'config', '--file', 'config', name, value);
  const { started } = plant(places, bare);
  origin.commit();
  const clone = onRepository(cloneOf(origin), { world, runWith });
  const inFolder: GitStage['runWith'] = (options, ...argv) =>
    clone.runWith({ cwd: path.join(clone.root, folder), ...options }, ...argv);
  return { ...clone, runWith: inFolder, run: (...argv) => inFolder({}, ...argv), started };
}

function oldGit(): Readonly<Record<string, string>> {
  const { root } = createWorkspace({ git: OLD_GIT });
  chmodSync(path.join(root, 'git'), 0o755);
  return { PATH: `${root}:${GIT_ENV.PATH}` };
}

async function runAll(
  victim: Victim,
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  for (const argv of COMMANDS) {
    const ran = await victim.runWith(options, ...argv);
    expect([argv, ran.code, victim.started()]).toEqual([argv, expect.not.toBeOneOf([70]), []]);
  }
}

describe('a folder of a clone that is a bare repository starts nothing', () => {
  test.each([
    ['beside the configuration', 'team', {}],
    ['above it', 'team/growth', {}],
    ['beside it, for a git that knows no `safe.bareRepository`', 'team', { isOld: true }],
  ])('%s', async (_, folder, { isOld = false }: { readonly isOld?: boolean }) => {
    const victim = await cloneWithBare(PLACES, folder);
    await runAll(victim, { env: isOld ? oldGit() : {} });
    // The repository around it has the commit that was applied.
    expect(victim.git('rev-parse', `refs/flagwright/applied/${folder.replaceAll('/', '%2F')}%2Fmain^1`)).toBe(
      victim.git('rev-parse', 'HEAD'),
    );
  });

  test('with the configuration named from the top, and through a link from elsewhere', async () => {
    const victim = await cloneWithBare(PLACES);
    const elsewhere = createWorkspace().root;
    symlinkSync(path.join(victim.root, 'team'), path.join(elsewhere, 'link'));
    for (const [cwd, config] of [
      [victim.root, 'team/flagwright.yaml'],
      [elsewhere, 'link/flagwright.yaml'],
    ] as const) {
      for (const argv of [['plan'], ['drift'], ['explain', 'checkout', '--offline'], ['validate', '--base', 'auto']]) {
        const ran = await victim.runWith({ cwd }, ...argv, '--config', config);
        expect([cwd, argv, ran.code, victim.started()]).toEqual([cwd, argv, expect.toBeOneOf([0, 1, 2]), []]);
      }
    }
  });

  // Only in long runs: the one before has all places at once.
  test.each((env['PROPERTY_RUNS'] === undefined ? [] : PLACES).map((place) => [place.name, place] as const))(
    'also where it is the only one: %s',
    async (_, place) => runAll(await cloneWithBare([place])),
  );
});

/** Of the configuration of a clone, which its user writes, git obeys what says how a remote is reached; a missing object reaches one. */
const OWN_PLACES = PLACES.filter(({ name }) => name !== 'promisor');
/** A base that goes through a filter is not read. */
const FILTERS = OWN_PLACES.filter(({ files = {} }) => 'info/attributes' in files);
/** A program named git in the checkout. */
const HOSTILE_PATH = { env: { PATH: `.:${GIT_ENV.PATH}` } };

function plantOwn(staged: GitStage, places = OWN_PLACES.filter((place) => !FILTERS.includes(place))): Victim {
  const { started } = plant(places, path.join(staged.root, '.git'));
  staged.write('git', '#!/bin/sh\ntouch ran\n');
  chmodSync(path.join(staged.root, 'git'), 0o755);
  return { ...staged, started };
}

describe('the configuration of a clone starts nothing', () => {
  test('by any command that asks git', async () => {
    const staged = await gitStage();
    await staged.run('apply', '--yes');
    const later = staged.commit({ 'flags/main.yaml': LATER });
    const victim = plantOwn(staged);
    await runAll(victim, HOSTILE_PATH);
    expect(git(staged.root, 'rev-parse', `${REF}^1`)).toBe(later);
  });

  test('by any command that asks git about files with filters', async () => {
    const staged = await gitStage();
    await staged.run('apply', '--yes');
    staged.commit({ 'flags/main.yaml': LATER });
    await runAll(plantOwn(staged, FILTERS), HOSTILE_PATH);
  });

  test('where the remote is read and pushed to, but for what says how it is reached', async () => {
    const [first, second, bare] = await twoClones();
    first.commit({ 'flags/main.yaml': LATER });
    await first.run('apply', '--yes');
    const victim = plantOwn(second);
    const commit = git(second.root, 'rev-parse', 'HEAD');
    expect(await victim.runWith(HOSTILE_PATH, 'plan')).toMatchObject({ code: 0 });
    expect(git(second.root, 'rev-parse', `${REF}^1`)).toBe(git(first.root, 'rev-parse', 'HEAD'));
    expect(victim.started()).toEqual([]);
    // The test itself starts the hook here.
    for (const folder of [second.root, bare]) git(folder, 'update-ref', '-d', REF);
    victim.started();
    expect(await victim.runWith(HOSTILE_PATH, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(git(bare, 'rev-parse', `${REF}^1`)).toBe(commit);
    expect(victim.started()).toEqual([]);
  });
});
