/** Flags that somebody deleted or renamed in the service, on the command line. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import { keysOf, MANIFEST, stage, type Stage } from '../helpers/stage.ts';

const idOf = async ({ world }: Stage, key: string): Promise<number> =>
  (await world.client.listFlags()).find((flag) => flag.key === key)?.id ?? 0;

const forget = ({ workspace }: Stage): void => rmSync(path.join(workspace.root, '.flagwright'), { recursive: true });

async function applied(config?: string): Promise<Stage> {
  const staged = await stage(MANIFEST, config);
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  return staged;
}

test.each([
  ['with the journal', false],
  ['without it', true],
])('a deleted flag is restored, and undo deletes it again, %s', async (_name, isForgotten) => {
  const staged = await applied();
  const id = await idOf(staged, 'checkout');
  await staged.world.edit('checkout', { deleted: true });
  if (isForgotten) forget(staged);

  const drift = await staged.run('drift');
  expect(drift).toMatchObject({ code: 2 });
  expect(drift.stdout).toContain('deleted checkout is declared but soft-deleted');
  const planned = await staged.run('plan', '--out', 'plan.json', '--format', 'json');
  expect(schemaErrors('plan', planned.document())).toEqual([]);
  expect(planned.document()).toMatchObject({
    summary: { create: 0, restore: 1 },
    changes: [{ action: 'restore', id }],
  });

  expect((await staged.run('apply', 'plan.json')).code).toBe(0);
  expect(await idOf(staged, 'checkout')).toBe(id);
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);

  const undone = await staged.run('undo', '--yes');
  expect(undone.code).toBe(0);
  expect(undone.stderr).toContain('created or restored by the run');
  expect(await keysOf(staged.world)).toEqual(['search']);
  expect((await staged.run('apply', '--yes')).code).toBe(0);
  expect(await idOf(staged, 'checkout')).toBe(id);
});

test('a renamed flag is renamed back, and undo gives it the other key again', async () => {
  const staged = await applied();
  const id = await idOf(staged, 'checkout');
  await staged.world.edit('checkout', { key: 'check-out' });

  const planned = await staged.run('plan', '--prune', '--out', 'plan.json');
  expect(planned.stdout).toContain(
    `checkout: the flag with this key (id ${id}) has the key check-out in the service. The plan renames it back. To keep the new key, declare the flag as check-out with previous_keys: [checkout].`,
  );
  expect(planned.stdout).toContain('Plan: 1 to update · 1 unchanged');
  const drift = await staged.run('drift');
  expect(drift.stdout).toContain('checkout → check-out');
  expect(drift.stdout).not.toContain('unmanaged');

  expect((await staged.run('apply', 'plan.json')).code).toBe(0);
  expect(await idOf(staged, 'checkout')).toBe(id);
  expect((await staged.run('undo', '--yes')).code).toBe(0);
  expect(await idOf(staged, 'check-out')).toBe(id);

  staged.workspace.write(
    'flags/main.yaml',
    MANIFEST.replace('checkout:\n', 'check-out:\n    previous_keys: [checkout]\n'),
  );
  expect((await staged.run('plan', '--detailed-exitcode')).code).toBe(0);
});

test('the log says since when a flag has another key', async () => {
  const staged = await applied();
  await staged.world.edit('checkout', { key: 'check-out' });
  forget(staged);
  const { warnings } = (await staged.run('plan', '--format', 'json')).document() as { warnings: readonly object[] };
  expect(warnings).toMatchObject([
    { code: 'renamed_back', since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string },
  ]);
});

test('a protected flag is not renamed back without permission', async () => {
  const staged = await applied('projects:\n  main: { host: $HOST, project_id: "1" }\nprotected: [check-out]\n');
  await staged.world.edit('checkout', { key: 'check-out' });
  const refused = await staged.run('apply', '--yes');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('--allow-protected check-out');
  expect(await keysOf(staged.world)).toContain('check-out');
  expect((await staged.run('apply', '--yes', '--allow-protected', 'check-out')).code).toBe(0);
});

test('a restore is stale once somebody else edited the deleted flag', async () => {
  const staged = await applied();
  const id = await idOf(staged, 'checkout');
  await staged.world.edit('checkout', { deleted: true });
  expect((await staged.run('plan', '--out', 'plan.json')).code).toBe(0);
  await staged.world.client.updateFlag(id, { name: 'theirs' });
  const { code, stdout } = await staged.run('apply', 'plan.json', '--format', 'json');
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({ changes: [{ action: 'restore', skipped: { code: 'stale' } }] });
});

test('a restore is already made once somebody else restored the flag', async () => {
  const staged = await applied();
  const id = await idOf(staged, 'checkout');
  await staged.world.edit('checkout', { deleted: true });
  expect((await staged.run('plan', '--out', 'plan.json')).code).toBe(0);
  await staged.world.client.updateFlag(id, { deleted: false });
  const { code, stdout } = await staged.run('apply', 'plan.json', '--format', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ changes: [{ action: 'restore', outcome: 'applied', already: true }] });
});
