/** `off` of the built command, which has no manifests in its folder. */

import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

test('an embedded project that lacks the flag is named as one', async () => {
  const { root } = createWorkspace({ 'flagwright.yaml': 'projects: { local: { service: embedded } }\n' });
  const failed = await cli(['off', 'checkout', '-yq'], { cwd: root });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('The embedded project local has no flag checkout; nothing was turned off.');
});

test('the built command turns a flag off without a configuration', async () => {
  const world = await openWorld('posthog', { flags: [{ id: 1, key: 'checkout', active: true }] });
  const { root } = createWorkspace({});
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_test' };
  const done = await cli(['off', 'checkout', '--yes'], { cwd: root, env });
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('Turned off in ');
  expect(await world.client.listFlags()).toMatchObject([{ key: 'checkout', active: false }]);
});
