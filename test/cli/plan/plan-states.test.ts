/** What a plan that would leave drift says where no base tells it from pending changes. */

import { expect, test } from 'vitest';
import { gitStage } from '../../helpers/git-stage.ts';
import { stage } from '../../helpers/stage.ts';

const CONFIG = 'projects: { main: { host: $HOST, project_id: "1" } }\n';
const NOTE =
  'note  drift: keep has no effect yet: changes in git and edits in PostHog can be told apart only after an apply of committed manifests.';

test.each<[readonly string[], string, boolean]>([
  [['plan'], 'keep', true],
  [['plan'], 'revert', false],
  [['drift'], 'keep', false],
])('%j with drift: %s notes that no drift is kept: %s', async (argv, drift, isNoted) => {
  const { run } = await stage(undefined, `${CONFIG}drift: ${drift}\n`);
  const { stdout, stderr } = await run(...argv);
  expect(stdout).toContain('checkout');
  expect(stderr.split('\n').includes(NOTE)).toBe(isNoted);
});

test('--only-pending is an error without a base', async () => {
  const { run } = await stage(undefined, CONFIG);
  const { code, stderr } = await run('plan', '--only-pending');
  expect([code, stderr]).toEqual([
    1,
    'error  --only-pending needs a base: the commit that was last applied to the project.\n  → Name it with --base REF, or apply once without the option.\n',
  ]);
});

test.each(['--target', '--override'])(
  '%s that selects nothing is an error, and one that selects a flag is not',
  async (option) => {
    const { run } = await stage(undefined, CONFIG);
    const { code, stderr } = await run('plan', option, 'nowhere');
    expect([code, stderr.split('\n')[0]]).toEqual([1, expect.stringContaining(`${option} nowhere matches no flag`)]);
    expect((await run('plan', option, 'checkout')).code).toBe(0);
  },
);

test('the delete of a flag is refused if code certainly reads it', async () => {
  const { run, write } = await gitStage(CONFIG, { manifest: 'flags: { search: { active: true } }\n' });
  await run('apply', '--yes');
  write('flags/main.yaml', 'flags: { search: { deleted: true } }\n');
  const unread = (await run('plan', '-f', 'json')).document();
  expect(unread).toMatchObject({ changes: [{ ref: 'flag:search', action: 'delete' }], hazards: [] });
  write('app.ts', "if (posthog.isFeatureEnabled('search')) go();\n");
  const read = (await run('plan', '-f', 'json')).document();
  expect(read['changes']).toEqual(unread['changes']);
  expect(read['hazards']).toMatchObject([{ code: 'read_by_code', ref: 'flag:search', action: 'delete' }]);
});

test('a plan names a commit only if it is made of all manifests of the commit and of no others', async () => {
  const { run, write, git } = await gitStage(CONFIG, { manifest: 'flags: { search: { active: true } }\n' });
  const commitOf = async (...argv: readonly string[]): Promise<unknown> =>
    (await run('plan', '-f', 'json', ...argv)).document()['commit'];
  const head = git('rev-parse', 'HEAD');
  expect(await commitOf()).toBe(head);
  expect(await commitOf('--target', 'search')).toBeUndefined();
  write('flags/main.yaml', 'flags: { search: { active: false } }\n');
  expect(await commitOf()).toBeUndefined();
});
