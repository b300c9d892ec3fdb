/** Which projects a command is about, and what it says of them. */

import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { stage } from '../../helpers/stage.ts';
import { gitStage } from '../../helpers/git-stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const EMBEDDED = 'projects: { one: { service: embedded }, two: { service: embedded } }\n';
const FLAGS = 'flags: { search: { active: true } }\n';

test('the history has the runs of all projects, or of the one that is named', async () => {
  const config = 'projects: { main: { host: $HOST, project_id: "1" }, other: { host: $HOST, project_id: "1" } }\n';
  const { run } = await stage(undefined, config);
  const named = async (...argv: string[]): Promise<readonly string[]> => {
    const { runs } = (await run('history', '-f', 'json', ...argv)).document() as {
      runs: readonly { project: { name: string } }[];
    };
    return runs.map(({ project }) => project.name);
  };
  expect(await named()).toEqual([]);
  expect((await run('apply', '-p', 'main', '-y')).code).toBe(0);
  expect(await named()).toEqual(['main']);
  expect(await named('-p', 'main')).toEqual(['main']);
  expect(await named('-p', 'other')).toEqual([]);
});

test.each([
  ['parity --target nothing', 'nothing', 'one, two'],
  ['promote search --from one --to one', '--from and --to both name "one".', 'Name two projects of flagwright.yaml.'],
  ['init --host https://eu.posthog.com', '--host and --project-id must be used together.', ''],
  ['init --project-id 1', '--host and --project-id must be used together.', ''],
])('%s is refused with the names', async (line, words, more) => {
  const { root } = createWorkspace({ 'flagwright.yaml': EMBEDDED, 'flags/a.yaml': FLAGS });
  const { code, stdout, stderr } = await runCli(line.split(' '), { cwd: root });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(words);
  expect(stderr).toContain(more);
});

test('plan leaves drift where the configuration says so, and drift shows it all the same', async () => {
  const { run, world } = await gitStage('projects: { main: { host: $HOST, project_id: "1" } }\ndrift: keep\n');
  expect((await run('apply', '-y')).code).toBe(0);
  await world.edit('checkout', { name: 'By hand' });
  expect((await run('plan', '-f', 'json')).document()).toMatchObject({ changes: [] });
  const drift = await run('drift', '-f', 'json');
  expect([drift.code, JSON.stringify(drift.document())]).toEqual([2, expect.stringContaining('By hand')]);
});
