/** `--target` reads the list of flags, but access only to the targets and what they depend on; the plan is that of the whole run's part. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld, ROLE_IDS } from '../helpers/world.ts';

const FLAGS = 291;
const [ROLE = ''] = ROLE_IDS;

/** The second flag depends on the first one, `on`. */
const filters = (index: number, on: string): JsonObject => ({
  groups: [
    {
      properties: index === 2 ? [{ key: on, type: 'flag', operator: 'flag_evaluates_to', value: true }] : [],
      rollout_percentage: 10,
    },
  ],
});

const declared = (index: number): JsonObject => ({
  active: true,
  description: index === 2 ? 'Changed in git' : '',
  role_access: ['eng'],
  filters: filters(index, 'f1'),
});

it('a plan of one flag of 291 with managed access sends few requests, and says what the whole plan says of it', async () => {
  const sent: string[] = [];
  const ids = Array.from({ length: FLAGS }, (_, index) => index + 1);
  const world = await openWorld(
    'posthog',
    {
      flags: ids.map((id) => ({ id, key: `f${id}`, name: '', active: true, filters: filters(id, '1') })),
      // The access to the first one, on which the target depends, was revoked.
      role_access: ids.slice(1).map((flag) => ({ flag, role: ROLE })),
    },
    { onRequest: ({ method, path }) => sent.push(`${method} ${path}`) },
  );
  const { root, write } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: ${world.url}, project_id: "1", roles: { eng: ${ROLE} } }\n`,
  });
  write('flags/all.yaml', JSON.stringify({ flags: Object.fromEntries(ids.map((id) => [`f${id}`, declared(id)])) }));
  const plan = async (...argv: string[]): Promise<{ readonly changes: JsonObject[]; readonly requests: number }> => {
    sent.length = 0;
    const { stdout } = await runCli(['plan', '-f', 'json', ...argv], {
      cwd: root,
      env: { POSTHOG_API_KEY: 'phx_test' },
    });
    const changes = (JSON.parse(stdout) as { changes: JsonObject[] }).changes;
    return { changes, requests: sent.length };
  };
  const whole = await plan();
  const targeted = await plan('--target', 'f2');
  expect(targeted.changes.map(({ ref }) => ref)).toEqual(['flag:f2', `role_access:f1:${ROLE}`]);
  expect(targeted.changes).toEqual(whole.changes);
  const access = sent.filter((line) => line.includes('access_control')).map((line) => line.split('/').at(-3));
  expect(new Set(access)).toEqual(new Set(['1', '2']));
  expect([whole.requests, targeted.requests]).toEqual([14, 9]);
});
