/** Levels of access on the command line, on today's service: plan, apply, drift, undo, export, and what cannot be. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { rolesOf } from '../helpers/access.ts';
import { runCli } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { KEY, stage, type Stage } from '../helpers/stage.ts';
import { openWorld, ROLE_IDS } from '../helpers/world.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const [ROLE = '', OTHER = ''] = ROLE_IDS;

const manifest = (access: string): string => `flags:\n  checkout:\n    rollout_percentage: 10\n    ${access}\n`;
const rewrite = ({ workspace }: Stage, access: string): void =>
  writeFileSync(path.join(workspace.root, 'flags/main.yaml'), manifest(access));
const idOf = async ({ world }: Stage): Promise<number> => (await world.client.listFlags())[0]?.id ?? 0;

test('roles by their names in the organization get levels; drift shows others, and undo reverts', async () => {
  const staged = await stage(manifest('access: { default: viewer, roles: { role-0: editor, role-1: manager } }'));
  expect((await staged.run('validate')).code).toBe(0);
  expect((await staged.run('validate')).stdout).toContain('role-unverified');
  const applied = await staged.run('apply', '--yes');
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout).toContain('checkout to role-1 as manager');
  expect(applied.stdout).toContain('checkout for everyone: (inherited) → viewer');
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);

  const id = await idOf(staged);
  await staged.world.client.setAccess(id, { role: ROLE, level: 'none' });
  await staged.world.client.setAccess(id, { role: null, level: null });
  const drift = await staged.run('drift');
  expect(drift.code).toBe(2);
  expect(drift.stdout).toContain('checkout: role role-0 is declared as editor but is none');
  expect(drift.stdout).toContain('checkout: the level of everyone is declared as viewer but is (inherited)');

  const planned = await staged.run('plan', '--out', 'plan.json', '--format', 'json');
  expect(schemaErrors('plan', planned.document())).toEqual([]);
  expect(planned.document()).toMatchObject({ summary: { adjust: 2 } });
  expect((await staged.run('apply', 'plan.json')).code).toBe(0);
  expect(await rolesOf(staged.world.client, id)).toEqual([ROLE, OTHER]);
  expect((await staged.run('undo', '--yes')).code).toBe(0);
  expect(await rolesOf(staged.world.client, id)).toEqual([OTHER]);
  expect((await staged.run('role-access', 'list', 'checkout')).stdout).toContain('manager');
});

test('a saved plan is refused where another user changed a level since', async () => {
  const staged = await stage(manifest('role_access: [role-0]'));
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  rewrite(staged, 'access: { roles: { role-0: manager } }');
  expect((await staged.run('plan', '--out', 'plan.json')).code).toBe(0);
  await staged.world.client.setAccess(await idOf(staged), { role: OTHER, level: 'viewer' });
  const applied = await staged.run('apply', 'plan.json', '--format', 'json');
  expect(applied.document()).toMatchObject({ outcomes: { skipped: 1 }, changes: [{ skipped: { code: 'stale' } }] });
  expect(schemaErrors('result', applied.document())).toEqual([]);
});

test('a plan that leaves nobody who may edit is refused', async () => {
  const staged = await stage(manifest('access: { default: viewer, roles: { role-0: editor } }'));
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  rewrite(staged, 'access: { default: viewer, roles: {} }');
  const refused = await staged.run('apply', '--yes');
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('--allow-risky checkout');
  expect((await staged.run('apply', '--yes', '--allow-risky', 'checkout')).code).toBe(0);
});

test('an export declares every level, with aliases of the roles, and a plan of it is empty', async () => {
  const staged = await stage(manifest('access: { default: none, roles: { role-0: viewer } }'));
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  expect(await staged.run('export', '--role-access', '--dir', 'flags', '--force')).toMatchObject({ code: 0 });
  const files = readdirSync(path.join(staged.workspace.root, 'flags'));
  const texts = files.map((file) => readFileSync(path.join(staged.workspace.root, 'flags', file), 'utf8'));
  expect(texts.join('')).toContain(`access: { default: none, roles: { ${ROLE}: viewer } }`);
});

test('an export reads access by role; where it may not, the same files are written, and that is told once', async () => {
  const flags = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, key: `f${index + 1}` }));
  const role_access = flags.map(({ id }) => ({ flag: id, role: id % 2 === 0 ? ROLE : OTHER, level: 'viewer' }));
  const sent: string[] = [];
  const exportOf = async (faults: readonly JsonObject[]): Promise<{ stderr: string; asked: number; text: string }> => {
    sent.length = 0;
    const staged = await stage('', undefined, {
      seed: { flags, role_access },
      faults: { faults: [...faults] },
      onRequest: ({ path: asked }) => sent.push(asked),
    });
    const { stderr } = await staged.run('export', '--role-access', '--dir', 'out', '--group-by', 'single');
    const text = readFileSync(path.join(staged.workspace.root, 'out/flags.yaml'), 'utf8');
    return { stderr, asked: sent.filter((asked) => /\/\d+\/access_controls\/$/.test(asked)).length, text };
  };
  const listed = await exportOf([]);
  const match = { operation: 'listDefaultAccess' };
  const singly = await exportOf([{ match, count: 1000, answer: { status: 403 } }]);
  expect([listed.asked, singly.asked]).toEqual([0, 30]);
  expect(listed.text).toBe(singly.text);
  expect(listed.text).toContain('viewer');
  expect(listed.stderr).not.toContain('Reading the access');
  expect(singly.stderr).toContain(
    'Reading the access to 30 flags took 30 requests, since the API key lacks `access_control:read`.',
  );
  expect(singly.stderr).toContain(
    'Give the key access_control:read, organization:read, project:read and organization_member:read.',
  );
});

test('without the paid feature the plan says so, and flags are applied', async () => {
  const world = await openWorld('posthog', { missing_features: ['role_based_access'] });
  const workspace = createWorkspace({
    'flags/main.yaml': manifest('access: { default: manager, roles: { role-0: viewer } }'),
  });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
  const run = (...argv: string[]): ReturnType<typeof runCli> => runCli(argv, { cwd: workspace.root, env });
  expect((await run('apply', '--yes')).code).toBe(0);
  const again = await run('plan', '--detailed-exitcode');
  expect(again.stdout).toContain("does not have PostHog's paid feature role-based access");
  expect(again.code).toBe(0);
  const [flag] = await world.client.listFlags();
  expect(await world.client.getAccess(flag?.id ?? 0)).toMatchObject({ access_controls: [{ access_level: 'manager' }] });
});

test('a level that a service of 2023 cannot hold is an error of the plan, with its place', async () => {
  const world = await openWorld('documented', { flags: [{ key: 'other' }] });
  const workspace = createWorkspace({ 'flags/main.yaml': manifest('access: { default: viewer }') });
  const env = { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY };
  const planned = await runCli(['plan'], { cwd: workspace.root, env });
  expect(planned.code).toBe(1);
  expect(planned.stdout + planned.stderr).toContain('flags/main.yaml:4:15');
  expect(planned.stdout + planned.stderr).toContain('access-unsupported');
});
