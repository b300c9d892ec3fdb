/** Who changed a flag last is what `git blame` says of its lines, whatever commits did: found from the commits, or else from git itself. */

import { expect, test } from 'vitest';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { createRepository, git, type TestRepository } from '../../helpers/repository.ts';
import { runCli } from '../../helpers/run.ts';

const FILES = ['flags/a.yaml', 'flags/b.yaml', 'flags/moved/c.yaml'] as const;
type Flags = Map<string, number>;
type Work = Map<string, Flags>;

function textOf(flags: Flags): string {
  const lines = [...flags].map(
    ([key, share]) => `  ${key}:\n    active: true\n    description: Flag ${key}\n    rollout_percentage: ${share}\n`,
  );
  return `flags:\n${lines.join('')}`;
}

/** The newest time of the lines of each flag, as git blames them. */
function blamedTimes({ root }: TestRepository, work: Work): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [file, flags] of work) {
    if (flags.size === 0) continue;
    const commits = new Map<string, number>();
    const lines: number[] = [];
    let current = '';
    for (const line of git(root, 'blame', '--porcelain', '--', file).split('\n')) {
      const [, commit] = /^([0-9a-f]{40}) \d+ \d+/.exec(line) ?? [];
      if (commit !== undefined) current = commit;
      const [, time] = /^author-time (\d+)/.exec(line) ?? [];
      if (time !== undefined) commits.set(current, Number(time));
      if (line.startsWith('\t')) lines.push(commits.get(current) ?? 0);
    }
    for (const [index, key] of [...flags.keys()].entries()) {
      const newest = Math.max(...lines.slice(1 + 4 * index, 5 + 4 * index));
      found.set(key, new Date(newest * 1000).toISOString());
    }
  }
  return found;
}

/** A sequence that is always the same. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

function edit(work: Work, pick: (below: number) => number): void {
  const used = [...work].filter(([, flags]) => flags.size > 0);
  const [file, flags] = used[pick(used.length)] as [string, Flags];
  const key = [...flags.keys()][pick(flags.size)] as string;
  const doing = pick(5);
  if (doing < 3) flags.set(key, (flags.get(key) as number) + 1);
  else if (doing === 3) flags.set(`new-${pick(1000)}`, 1);
  else {
    const free = FILES.find((one) => !work.has(one));
    if (free === undefined) return;
    work.set(free, flags);
    work.delete(file);
  }
}

async function changedBy({ root }: TestRepository): Promise<ReadonlyMap<string, string | undefined>> {
  const ran = await runCli(['catalog', '--declared', '-f', 'json'], { cwd: root, env: {} });
  const { flags } = ran.document() as unknown as CatalogView;
  return new Map(flags.map(({ key, changed }) => [key, changed?.at]));
}

test.each([1, 2, 3, 4])('of commits that edit, add and move, and of a merge (%i)', async (seed) => {
  const pick = numbers(seed);
  const work: Work = new Map(FILES.slice(0, 2).map((file, index) => [file, flagsOf(index, 6)]));
  const repository = createRepository({ 'flagwright.yaml': 'projects: { local: { service: embedded } }\n' });
  let day = 1;
  const save = (): void => {
    for (const file of FILES) {
      const flags = work.get(file);
      if (flags === undefined) git(repository.root, 'rm', '-rfq', '--ignore-unmatch', file);
      else repository.write(file, textOf(flags));
    }
    git(repository.root, 'add', '-A');
    git(
      repository.root,
      'commit',
      '-q',
      '--allow-empty',
      '--date',
      `2026-02-${String(day).padStart(2, '0')}T12:00:00Z`,
      '-m',
      'x',
    );
    day += 1;
  };
  save();
  for (let index = 0; index < 10; index += 1) {
    edit(work, pick);
    save();
  }
  git(repository.root, 'checkout', '-qb', 'side', 'HEAD~1');
  const side = git(repository.root, 'show', `HEAD:${[...work.keys()][0] === undefined ? '' : 'flagwright.yaml'}`);
  repository.write('flagwright.yaml', `${side}\n# On the side.\n`);
  git(repository.root, 'commit', '-qam', 'side');
  git(repository.root, 'checkout', '-q', '-');
  git(repository.root, 'merge', '-q', '--no-edit', 'side');
  expect(await changedBy(repository)).toEqual(blamedTimes(repository, work));
});

function flagsOf(file: number, amount: number): Flags {
  return new Map(Array.from({ length: amount }, (_, index) => [`flag-${file}-${index}`, index]));
}

test('of a merge that decides itself, and of what is not committed', async () => {
  const flags = flagsOf(0, 3);
  const work: Work = new Map([['flags/a.yaml', flags]]);
  const repository = createRepository({
    'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
    'flags/a.yaml': textOf(flags),
  });
  const { root } = repository;
  const commit = (share: number, date: string): void => {
    flags.set('flag-0-1', share);
    repository.write('flags/a.yaml', textOf(flags));
    git(root, 'commit', '-qa', '--date', date, '-m', String(share));
  };
  git(root, 'checkout', '-qb', 'side');
  commit(20, '2026-03-01T00:00:00Z');
  git(root, 'checkout', '-q', '-');
  commit(30, '2026-03-02T00:00:00Z');
  expect(() => git(root, 'merge', '-q', 'side')).toThrow();
  flags.set('flag-0-1', 40);
  repository.write('flags/a.yaml', textOf(flags));
  git(root, 'commit', '-qa', '--date', '2026-03-03T00:00:00Z', '-m', 'merged');
  const others = new Map([...blamedTimes(repository, work), ['flag-0-1', undefined]]);
  // The commits that were merged do not say it.
  expect(await changedBy(repository)).toEqual(others);
  flags.set('flag-0-2', 50);
  repository.write('flags/a.yaml', textOf(flags));
  expect((await changedBy(repository)).get('flag-0-2')).toBeUndefined();
});
