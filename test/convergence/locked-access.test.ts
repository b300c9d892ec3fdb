/** Rules of access that Terraform manages, in a project that lets nobody else change them: over HTTP, in plan, apply and drift. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type Ran } from '../helpers/run.ts';
import { ROLE_IDS, startWorld, type World } from '../helpers/world.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const [ROLE = '', OTHER = ''] = ROLE_IDS;
const SETTING = 'lock_terraform_managed_rules';

let world: World;
let sent: string[];

async function start(settings: { readonly lock: boolean }): Promise<void> {
  sent = [];
  world = await startWorld(
    'posthog',
    {
      flags: [{ id: 1, key: 'checkout', name: '', active: true }],
      role_access: [
        { flag: 'checkout', role: ROLE, level: 'editor', managed_by: 'terraform' },
        { flag: 'checkout', role: OTHER, level: 'viewer' },
      ],
      [SETTING]: settings.lock,
    },
    { onRequest: ({ method, path, status }) => sent.push(`${method} ${path} ${status}`) },
  );
}

const setLock = async (lock: boolean): Promise<void> => {
  const response = await fetch(`${world.url}/api/projects/1/access_control_management_settings/`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
    body: JSON.stringify({ [SETTING]: lock }),
  });
  expect(response.status).toBe(200);
};

function openWorkspace(levels: Readonly<Record<string, string>>) {
  const { root, write } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: ${world.url}, project_id: "1", roles: { a: ${ROLE}, b: ${OTHER} } }\n`,
  });
  write('flags/all.yaml', JSON.stringify({ flags: { checkout: { access: { roles: levels } } } }));
  return (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_test' } });
}

const puts = (): string[] => sent.filter((line) => line.startsWith('PUT'));

describe('with the lock', () => {
  beforeEach(() => start({ lock: true }));
  afterEach(() => world.close());

  it('the plan leaves the rule out and names the setting; another rule of the flag is changed', async () => {
    const run = openWorkspace({ a: 'viewer', b: 'editor' });
    const plan = JSON.parse((await run('plan', '-f', 'json')).stdout) as {
      changes: { ref: string }[];
      warnings: { code: string }[];
    };
    expect(plan.changes.map(({ ref }) => ref)).toEqual([`role_access:checkout:${OTHER}`]);
    expect(plan.warnings).toEqual([{ code: 'access_locked', key: 'checkout', subjects: ['a'], setting: SETTING }]);
    expect((await run('apply', '--yes')).code).toBe(0);
    expect(puts()).toEqual(['PUT /api/projects/1/feature_flags/1/access_controls/ 200']);
  });

  it('drift does not call the flag in sync, and apply sends nothing', async () => {
    const run = openWorkspace({ a: 'viewer', b: 'viewer' });
    const drift = await run('drift');
    expect(drift.stdout + drift.stderr).toContain(`(${SETTING})`);
    expect(drift.stdout).not.toContain('In sync');
    await run('apply', '--yes');
    expect(puts()).toEqual([]);
  });

  it("a rule that is as declared is nobody's concern", async () => {
    const run = openWorkspace({ a: 'editor', b: 'viewer' });
    expect((await run('drift')).stdout).toContain('In sync');
  });

  it('the service refuses the change and the removal of the rule, and allows a new one', async () => {
    const put = (role: string | null, level: string | null) => world.client.setAccess(1, { role, level });
    for (const level of ['viewer', null])
      await expect(put(ROLE, level)).rejects.toMatchObject({ failure: { kind: 'forbidden' } });
    await put(null, 'viewer');
  });
});

describe('without the lock', () => {
  beforeEach(() => start({ lock: false }));
  afterEach(() => world.close());

  it('the rule is changed like any other', async () => {
    const run = openWorkspace({ a: 'viewer', b: 'viewer' });
    expect((await run('apply', '--yes')).code).toBe(0);
    expect(puts()).toHaveLength(1);
  });

  it('a lock that comes after the plan ends in failed, without a request', async () => {
    const run = openWorkspace({ a: 'viewer', b: 'viewer' });
    await run('plan', '--out', 'plan.json');
    await setLock(true);
    const { code, stdout } = await run('apply', '--yes', 'plan.json');
    expect(code).toBe(1);
    expect(stdout).toContain(SETTING);
    expect(puts()).toEqual([]);
  });
});
