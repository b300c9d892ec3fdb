/** `undo` with encrypted payloads: only a payload that a run replaced cannot be restored. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { stage, type Stage } from '../helpers/stage.ts';

interface Words {
  readonly description?: string;
  readonly rollout?: number;
  readonly payload?: string;
}

/** What a manifest declares of a flag with a secret payload. */
function manifest({ description = 'Limits', rollout = 100, payload = '"THE-SECRET"' }: Words = {}): string {
  return `flags:
  limits:
    description: ${description}
    active: true
    filters:
      groups: [{ rollout_percentage: ${rollout} }]
      payloads: { true: '${payload}' }
    fields: { is_remote_configuration: true, has_encrypted_payloads: true }
`;
}

const MARK = '"********* (encrypted)"';

async function flagOf({ world }: Stage): Promise<Flag | undefined> {
  return (await world.client.listFlags()).find(({ key }) => key === 'limits');
}

async function applied(staged: Stage, text: string): Promise<void> {
  staged.workspace.write('flags/main.yaml', text);
  expect(await staged.run('apply', '-y')).toMatchObject({ code: 0 });
}

/** Checks that no file and no output contains the secret. */
function expectSecrecy({ workspace }: Stage, ...shown: string[]): void {
  const folder = path.join(workspace.root, '.flagwright', 'journal');
  const journals = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect([...journals, ...shown].join('\n')).not.toMatch(/THE-SECRET|ANOTHER/);
}

describe('undo of a flag with encrypted payloads', () => {
  test('deletes what the run created', async () => {
    const staged = await stage(manifest());
    await applied(staged, manifest());
    const undone = await staged.run('undo', '-y');
    expect(undone.stderr).toContain('Undo does not change git. Revert the commit too');
    expect(undone).toMatchObject({ code: 0 });
    expect(await flagOf(staged)).toBeUndefined();
    expectSecrecy(staged, undone.stdout, undone.stderr);
  });

  test.each<[string, Words]>([
    ['its description', { description: 'Other limits' }],
    ['a condition, with the payload declared', { rollout: 10 }],
    ['a condition, with the mark for the payload', { rollout: 10, payload: MARK }],
    ['both', { description: 'Other limits', rollout: 10, payload: MARK }],
  ])('reverts a change of %s and keeps the secret', async (_, words) => {
    const staged = await stage(manifest());
    await applied(staged, manifest());
    const before = await flagOf(staged);
    await applied(staged, manifest(words));
    const undone = await staged.run('undo', '-y');
    expect(undone).toMatchObject({ code: 0 });
    const after = await flagOf(staged);
    expect([after?.name, after?.filters]).toEqual([before?.name, before?.filters]);
    expectSecrecy(staged, undone.stdout, undone.stderr);
  });

  test('can be saved, and applied from the file', async () => {
    const staged = await stage(manifest());
    await applied(staged, manifest());
    const before = await flagOf(staged);
    await applied(staged, manifest({ rollout: 10 }));
    expect((await staged.run('undo', '--out', 'undo.json')).code).toBe(0);
    expect((await staged.run('apply', 'undo.json', '-y')).code).toBe(0);
    expect((await flagOf(staged))?.filters).toEqual(before?.filters);
    expectSecrecy(staged, staged.workspace.read('undo.json'));
  });

  test('refuses a change of the payload alone, with 4', async () => {
    const staged = await stage(manifest());
    await applied(staged, manifest());
    await applied(staged, manifest({ payload: '"ANOTHER"' }));
    const undone = await staged.run('undo', '-y');
    expect(undone).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('so the journal does not contain them') as string,
    });
    expect((await flagOf(staged))?.filters?.payloads).toEqual({ true: '"ANOTHER"' });
    expectSecrecy(staged, undone.stdout, undone.stderr);
  });

  test('refuses changes made after the run, with 5', async () => {
    const staged = await stage(manifest());
    await applied(staged, manifest());
    await applied(staged, manifest({ rollout: 10 }));
    await staged.world.edit('limits', {
      filters: { groups: [{ rollout_percentage: 10 }], payloads: { true: '"ANOTHER"' } },
    });
    const undone = await staged.run('undo', '-y');
    expect(undone).toMatchObject({ code: 5, stderr: expect.stringContaining('changed after the run') as string });
    expectSecrecy(staged, undone.stdout, undone.stderr);
  });
});
