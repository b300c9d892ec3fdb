/** People of the service who cannot be read end the estimate of the impact, with what helps. */

import { expect, test } from 'vitest';
import { startBroken } from '../../helpers/broken-service.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

test.each([
  [403, 'Reading people needs the scope person:read on the API key. Add it, or leave out --persons live.'],
  [404, 'This service does not list people at persons/. Leave out --persons live, or name a file of people.'],
])('where the list of people answers %i, the remedy is about people', async (status, remedy) => {
  const flag = {
    id: 1,
    key: 'a',
    active: true,
    filters: { groups: [{ rollout_percentage: 10 }] },
    user_access_level: 'editor',
  };
  const { url } = await startBroken((request, response) => {
    const isPeople = request.url?.includes('/persons/') === true;
    const body = isPeople ? { detail: 'No.' } : { count: 1, next: null, previous: null, results: [flag] };
    const headers = { 'content-type': 'application/json' };
    response.writeHead(isPeople ? status : 200, headers).end(JSON.stringify(body));
  });
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: '${url}', project_id: "1" }\n`,
    'flags/a.yaml': 'flags: { a: { active: true, rollout_percentage: 50 } }\n',
  });
  const { code, stderr } = await runCli(['plan', '--impact', '--persons', 'live'], {
    cwd: root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
  });
  expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([1, `  → ${remedy}`]);
});
