/** Manifests that the commit has and the checkout has not: a sparse checkout deletes no flag, declares none a second time, and is not said to be in sync. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, type GitStage } from '../helpers/git-stage.ts';
import { keysOf } from '../helpers/stage.ts';

const A = 'flags: { a: { active: true } }\n';
const B = 'flags: { b: { active: true } }\n';
const PERMISSIVE = CONFIG.replace('limits: {', 'limits: { deletes: 9, deletes_percent: 100,');

async function applied(): Promise<GitStage> {
  const here = await gitStage(PERMISSIVE, { manifest: A });
  here.commit({ 'flags/team/b.yaml': B });
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

const WAYS: readonly (readonly [string, (here: GitStage) => void])[] = [
  [
    'outside the cone of a sparse checkout',
    ({ git }) => void git('sparse-checkout', 'set', '--no-cone', '/*', '!/flags/team/'),
  ],
  [
    'skipped in the working tree',
    ({ git, root }) => {
      git('update-index', '--skip-worktree', 'flags/team/b.yaml');
      rmSync(path.join(root, 'flags/team/b.yaml'));
    },
  ],
  ['removed without a commit', ({ root }) => rmSync(path.join(root, 'flags/team/b.yaml'))],
];

describe.each(WAYS)('with a manifest that is %s', (_how, remove) => {
  test('--prune deletes nothing, no flag is declared a second time, and drift does not say that all is in sync', async () => {
    const here = await applied();
    remove(here);
    const clean = here.git('status', '--porcelain').trim();
    for (const argv of [
      ['apply', '--prune', '--yes'],
      ['plan', '--prune'],
      ['drift'],
      ['accept', '--unmanaged', 'b'],
      ['export', '--merge'],
      ['export', '--merge', '--dry-run'],
      ['export', '--unmanaged'],
    ]) {
      const ran = await here.run(...argv);
      expect([argv, ran.code]).toEqual([argv, 4]);
      expect(ran.stderr).toContain('The commit has flags/team/b.yaml, and this checkout does not');
    }
    expect((await keysOf(here.world)).toSorted()).toEqual(['a', 'b']);
    expect(here.git('status', '--porcelain').trim()).toBe(clean);
    // Without a claim about what is absent, nothing is refused.
    expect(await here.run('plan')).toMatchObject({ code: 0 });
  });
});

test('a manifest whose deletion is committed is pruned', async () => {
  const here = await applied();
  here.git('rm', '--quiet', 'flags/team/b.yaml');
  here.commit();
  expect(await here.run('apply', '--prune', '--yes')).toMatchObject({ code: 0 });
  expect(await keysOf(here.world)).toEqual(['a']);
});
