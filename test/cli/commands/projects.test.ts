/** `projects`: the projects of the configuration, offline. */

import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = `projects:
  local: { service: embedded }
  staging: { host: "https://flags.example", project_id: "@current", api_key_env: STAGING_KEY }
  eu: { host: "https://eu.posthog.com", project_id: "77", after: [staging] }
  us: { after: [staging, eu] }
default_project: eu
`;

test('are listed with what a job needs of them, in their order, and without a key', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIG });
  const { code, stdout } = await runCli(['projects'], { cwd: root });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'name     service   host                    project_id  api_key_env      after        default',
    'local    embedded',
    'staging  remote    https://flags.example   @current    STAGING_KEY',
    'eu       remote    https://eu.posthog.com  77          POSTHOG_API_KEY  staging      true',
    'us       remote                                                         staging, eu',
  ]);
});

test('are one JSON document, from which a matrix of jobs is made', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': CONFIG });
  const { code, document } = await runCli(['projects', '-f', 'json'], { cwd: root });
  expect([code, schemaErrors('project-list', document())]).toEqual([0, []]);
  expect(document()['projects']).toEqual([
    { name: 'local', service: 'embedded' },
    {
      name: 'staging',
      service: 'remote',
      host: 'https://flags.example',
      project_id: '@current',
      api_key_env: 'STAGING_KEY',
    },
    {
      ...{ name: 'eu', service: 'remote', host: 'https://eu.posthog.com', project_id: '77' },
      ...{ api_key_env: 'POSTHOG_API_KEY', after: ['staging'], default: true },
    },
    { name: 'us', service: 'remote', after: ['staging', 'eu'] },
  ]);
});

test('of a configuration with errors are not listed', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': 'projects: { eu: { hots: x } }\n' });
  const { code, stdout, stderr } = await runCli(['projects'], { cwd: root });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('hots') as string]);
});
