/** A plan says what it costs that the access to flags cannot be read by role. */

import { expect, it } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, ROLE_IDS } from '../../helpers/world.ts';

const FLAGS = 12;
const [ROLE = ''] = ROLE_IDS;

it.each([
  ['listDefaultAccess', 403, 'since the API key lacks `access_control:read`.'],
  ['listMembers', 403, 'since the API key lacks `organization_member:read`.'],
  ['getProject', 403, 'since the API key lacks `project:read`.'],
  ['listAccessOfRole', 404, 'since the service does not list it by role (404).'],
] as const)('where %s answers %i, one note says what that costs', async (operation, status, why) => {
  const ids = Array.from({ length: FLAGS }, (_, index) => index + 1);
  const world = await openWorld(
    'posthog',
    {
      flags: ids.map((id) => ({ id, key: `f${id}`, active: true, filters: { groups: [{ rollout_percentage: 10 }] } })),
      role_access: ids.map((flag) => ({ flag, role: ROLE })),
    },
    { faults: { faults: [{ match: { operation }, count: 1000, answer: { status } }] } },
  );
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: ${world.url}, project_id: "1", roles: { eng: ${ROLE} } }\n`,
    'flags/all.yaml': JSON.stringify({
      flags: Object.fromEntries(
        ids.map((id) => [`f${id}`, { active: true, rollout_percentage: 10, role_access: ['eng'] }]),
      ),
    }),
  });
  const { stdout, stderr } = await runCli(['plan'], { cwd: root, env: { POSTHOG_API_KEY: 'phx_test' } });
  expect(stdout).toContain(`In sync: ${FLAGS} flags`);
  const remedy = '  → Give the key access_control:read, organization:read, project:read and organization_member:read.';
  expect(stderr.split('\n').filter((line) => /^(?:note| {2}→) /.test(line))).toEqual([
    `note  Reading the access to ${FLAGS} flags took ${FLAGS} requests, ${why} Otherwise one for everyone, one for each role and one for each member would be enough.`,
    ...(status === 403 ? [remedy] : []),
  ]);
});
