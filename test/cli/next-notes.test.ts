/** The next step that `export`, `accept` and `promote` name is true: it does what the note says. */

import { expect, onTestFinished, test } from 'vitest';
import { createRepository, GIT_ENV, type TestRepository } from '../helpers/repository.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';
import { startWorld, type World } from '../helpers/world.ts';

interface Stage {
  readonly production: World;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function start(make: (configuration: string) => Workspace): Promise<Stage> {
  const flag = { id: 1, key: 'checkout', name: '', filters: { groups: [{ properties: [], rollout_percentage: 10 }] } };
  const [production, staging] = [await startWorld('posthog', [flag]), await startWorld('posthog', [flag])];
  onTestFinished(async () => {
    await production.close();
    await staging.close();
  });
  const projects = Object.entries({ production, staging }).map(
    ([name, { url }]) => `  ${name}: { host: "${url}", project_id: "1" }\n`,
  );
  const { root } = make(`projects:\n${projects.join('')}default_project: production\n`);
  const env = { ...GIT_ENV, HOME: root, POSTHOG_API_KEY: 'phx_test' };
  return { production, run: async (...argv) => runCli(argv, { cwd: root, env }) };
}

const TO_STAGING =
  '→ Commit the files, and apply them to staging, which has not changed yet. To see what that does: flagwright plan -p staging\n';

test('in a repository: what was exported, accepted and promoted is committed, and then recorded or applied', async () => {
  const made: TestRepository[] = [];
  const { production, run } = await start((text) => {
    const repository = createRepository({ 'flagwright.yaml': text, '.gitignore': '.flagwright/\n' });
    made.push(repository);
    return repository;
  });
  const commit = (): unknown => made[0]?.commit();

  expect((await run('export')).stderr).toContain(
    '→ Commit the files, then run flagwright apply -p production: it finds everything in sync, and records the commit.\n',
  );
  commit();
  const recorded = await run('apply', '-p', 'production');
  expect(recorded.stdout + recorded.stderr).toMatch(/In sync: 1 flag.*\nRecorded commit /);
  expect((await run('export', '-p', 'staging', '--merge')).code).toBe(0);

  await production.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 30 }] } });
  const next = '→ Commit the files. The service has these values already: an apply of that commit writes none of them';
  expect((await run('accept', '--patch')).stderr).not.toContain('→ Commit');
  expect((await run('accept', '-y')).stderr).toContain(next);
  commit();
  const accepted = await run('apply', '-p', 'production');
  expect(accepted.stdout + accepted.stderr).toMatch(/In sync: 1 flag.*\nRecorded commit /);

  const promoted = await run('promote', 'checkout', '--from', 'production', '--to', 'staging', '-y');
  expect([promoted.code, promoted.stderr]).toEqual([0, expect.stringContaining(TO_STAGING) as string]);
  expect((await run('plan', '-p', 'staging')).stdout).toContain('10% → 30%');
  commit();
  expect((await run('apply', '-p', 'staging', '-y')).code).toBe(0);
  expect((await run('accept', '-y')).stderr).not.toContain('→ Commit');
});

test('outside of a repository nobody is told to commit', async () => {
  const { run } = await start((text) => createWorkspace({ 'flagwright.yaml': text }));
  const { code, stderr } = await run('export');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('Commit') as string]);
});
