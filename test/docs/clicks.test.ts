/** The page "Flags that people change in PostHog", typed from top to bottom in a repository, with a service that people edit. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRepository, GIT_ENV } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { openWorld } from '../helpers/world.ts';

const MANIFEST = `flags:
  new-checkout:
    description: One-page checkout # as support calls it
    active: true
    rollout_percentage: 10
  new-search: { active: true, rollout_percentage: 50, only_in: [staging] }
`;
const FILE = 'flags/new.yaml';

/** What the page shows to type, in its order: the blocks, and the list of answers. */
const COMMANDS = readFileSync('docs/clicks.md', 'utf8')
  .split('\n')
  .flatMap((line) => /^\$ flagwright (.*)$/.exec(line)?.[1] ?? /^- [^`]*: `flagwright ([^`]*)`/.exec(line)?.[1] ?? []);

const rolledOut = (percentage: number): { filters: { groups: { rollout_percentage: number }[] } } => ({
  filters: { groups: [{ rollout_percentage: percentage }] },
});

test('each command does what the page says', async () => {
  const world = await openWorld('posthog');
  const projects = ['production', 'staging'].map((name) => `  ${name}: { host: "${world.url}", project_id: "1" }\n`);
  const repository = createRepository({ 'flagwright.yaml': `projects:\n${projects.join('')}`, [FILE]: MANIFEST });
  const run = (command: string): Promise<Ran> =>
    runCli(command.split(' '), {
      cwd: repository.root,
      env: { ...GIT_ENV, HOME: repository.root, POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
    });
  expect((await run('apply -p production --yes')).code).toBe(0);
  await world.client.createFlag({ key: 'survey-banner', active: true, ...rolledOut(100) });
  const typed: string[] = [];
  /** Types the next commands of the page. Where one asks, somebody confirms. */
  const type = async (expected: readonly (readonly [string, number, RegExp])[]): Promise<void> => {
    for (const [beginning, code, output] of expected) {
      const command = COMMANDS[typed.length] ?? '';
      typed.push(command);
      expect(command).toMatch(new RegExp(`^${beginning}`));
      const asks = /^(?:apply|accept|promote)/.test(command) && !command.includes('--patch');
      const ran = await run(asks ? `${command} --yes` : command);
      expect([command, ran.code, ran.stdout + ran.stderr]).toEqual([command, code, expect.stringMatching(output)]);
    }
  };

  await world.edit('new-checkout', rolledOut(50));
  await type([
    ['drift -p production$', 2, /10% → 50%\n.*widen: .*\n.*changed by embedded@example\.org/],
    ['drift .*--ignore', 0, /Ignored/],
    ['drift .*--write-exceptions', 0, /exceptions\.yaml/],
    ['drift -p production$', 0, /Ignored/],
    ['plan .*--target', 0, /50% → 10% {2}reverts an edit in PostHog/],
    ['apply .*--target', 0, /Applied 1 change/],
  ]);
  await world.edit('new-checkout', rolledOut(50));
  await type([['accept new-checkout -p production$', 0, /Accepted: 1 flag in 1 file/]]);
  expect(repository.read(FILE)).toBe(
    MANIFEST.replace('ge: 10\n', 'ge: 10\n    projects:\n      production: { rollout_percentage: 50 }\n'),
  );
  await world.edit('new-checkout', { ...rolledOut(60), name: 'Checkout' });
  await type([
    ['accept .*--only', 0, /50% → 60%/],
    ['accept .*--patch', 0, /^\+ .*description: Checkout/m],
    ['accept --unmanaged', 0, /\+ declare survey-banner {2}flags\/misc\.yaml/],
  ]);
  repository.commit();
  expect((await run('accept -p production --yes')).code).toBe(0);
  expect((await run('apply -p production --yes')).code).toBe(0);

  await world.edit('new-checkout', { active: false });
  expect(await run('apply -p production --yes')).toMatchObject({ code: 4 });
  await type([['accept new-checkout', 0, /active {2}true → false/]]);
  repository.git('checkout', '--', FILE);
  await type([
    ['apply .*--override', 0, /Applied 1 change/],
    ['apply .*--only-pending', 0, /./],
    ['parity', 0, /no undeclared difference/],
    ['promote', 0, /Nothing to promote|Promoted/],
    ['explain', 0, /condition 1 · rollout_percentage: .*\n {2}from/],
  ]);
  expect(typed).toEqual(COMMANDS);
});
