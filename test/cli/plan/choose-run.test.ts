/** Which recorded run a command takes, where there is none: nothing is asked of the service. */

import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = `projects:
  main: { host: 'http://127.0.0.1:9', project_id: '1' }
  other: { host: 'http://127.0.0.1:9', project_id: '2' }
default_project: main
`;

test.each<[readonly string[], string]>([
  [['undo', '--yes'], 'No run of the project main that changed something is recorded'],
  [['undo', '-p', 'other'], 'No run of the project other that changed something is recorded'],
  [['apply', '--resume'], 'No run of the project main is recorded'],
  [['undo', 'last'], 'No such run is recorded'],
  [['undo', '20260101T000000000Z-aaaa'], 'Run 20260101T000000000Z-aaaa does not exist'],
])('%j has no run to take', async (argv, words) => {
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIG });
  const { code, stderr } = await runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
  expect(code).toBe(1);
  expect(stderr.replaceAll(root, '.')).toBe(
    `error  ${words} in ./.flagwright/journal.\n  → A run is recorded where it was applied. Name the journal of another machine or CI job with --journal PATH.\n`,
  );
});
