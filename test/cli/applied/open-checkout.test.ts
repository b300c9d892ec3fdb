import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { whyNotOpen, withCheckout } from '../../../src/cli/applied/open-checkout.ts';
import type { Config } from '../../../src/config/config.ts';
import { GitError } from '../../../src/loop/git/objects.ts';
import type { Repository } from '../../../src/loop/git/repository.ts';
import { gitStage, LATER } from '../../helpers/git-stage.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const COUNTING = `#!/bin/bash
for word; do [[ $word == --literal-pathspecs ]] && own=1; done
[ -n "$own" ] && echo "$*" >> "\${0%/*}/calls"
PATH=\${PATH#*:}
exec git "$@"
`;

test('a run starts git once for what it is, once for all objects, and for what only git can do', async () => {
  const programs = createWorkspace({ git: COUNTING });
  chmodSync(path.join(programs.root, 'git'), 0o755);
  const log = path.join(programs.root, 'calls');
  const { commit, runWith } = await gitStage();
  const calls = async (...argv: string[]): Promise<readonly string[]> => {
    const before = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
    const env = { PATH: `${programs.root}:${process.env['PATH'] ?? ''}` };
    expect(await runWith({ env }, ...argv)).toMatchObject({ code: 0 });
    const lines = readFileSync(log, 'utf8').slice(before).trimEnd().split('\n');
    return lines.map((line) => /(?:-c \S+ )+(\S+)/.exec(line)?.[1] ?? line);
  };
  expect(await calls('apply', '--yes')).toEqual([
    'rev-parse',
    'cat-file',
    'cat-file',
    'hash-object',
    'config',
    'update-ref',
  ]);
  commit({ 'flags/main.yaml': LATER });
  expect(await calls('plan')).toEqual(['rev-parse', 'cat-file', 'check-attr']);
  const ofPlan = ['rev-parse', 'cat-file', 'check-attr'];
  expect(await calls('apply', '--yes')).toEqual([...ofPlan, 'cat-file', 'hash-object', 'config', 'update-ref']);
  expect(await calls('drift')).toEqual(['rev-parse', 'cat-file']);
});

test.each([
  [{ kind: 'none' }, { code: 'no_repository' }],
  [{ kind: 'git_missing' }, { code: 'git_missing' }],
  [
    { kind: 'refused', detail: 'no' },
    { code: 'git_refused', detail: 'no' },
  ],
] as const)('a checkout that is not open by %j has a reason', (opened, reason) => {
  expect(whyNotOpen(opened)).toEqual(reason);
});

test('a run asks once what the repository is, for each folder, and asks nothing after its end', async () => {
  const { session } = watchSession();
  const [{ root: one }, { root: other }] = [createWorkspace(), createWorkspace()];
  const open = async (
    root: string,
    keys: readonly string[] = [],
  ): Promise<readonly [Promise<unknown>, () => unknown]> => {
    const projects = Object.fromEntries(keys.map((key) => [key, { service: 'remote', apiKeyVariable: key }]));
    return withCheckout(session, { root, projects } as unknown as Config, async (checkout) => {
      expect(await checkout.opened).toEqual({ kind: 'none' });
      const repository = { caller: {} } as Repository;
      expect(() => checkout.objectsOf(repository)).not.toThrow();
      expect(checkout.treeOf(repository, 'a')).toBe(checkout.treeOf(repository, 'a'));
      expect(checkout.treeOf(repository, 'a')).not.toBe(checkout.treeOf(repository, 'b'));
      return [checkout.opened, () => checkout.objectsOf(repository)];
    });
  };
  const [opened, askLater] = await open(one);
  expect(askLater).toThrow(GitError);
  expect(askLater).toThrow('the run has ended');
  expect((await open(one))[0]).toBe(opened);
  expect((await open(other))[0]).not.toBe(opened);
  expect((await open(one, ['KEY']))[0]).not.toBe(opened);
});
