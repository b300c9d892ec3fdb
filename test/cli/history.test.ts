/** What `history` says that each run did. */

import { expect, test } from 'vitest';
import { stage } from '../helpers/stage.ts';

const CONFIG = 'projects: { main: { host: $HOST, project_id: "1" } }\nlimits: { deletes: 9, updates_percent: 100 }\n';
const flags = (keys: readonly string[], value: string): string => keys.map((key) => `  ${key}: ${value}\n`).join('');
const KEYS = Array.from({ length: 12 }, (_, index) => `flag-${index}`);

test('each run names what it did, or counts it', async () => {
  const { workspace, run } = await stage('flags: { checkout: { active: true }, search: {} }\n', CONFIG);
  const made: string[] = [];
  const did = async (...argv: string[]): Promise<void> => {
    expect(await run(...argv, '--yes')).toMatchObject({ stderr: expect.not.stringContaining('error') as string });
    const [first = ''] = (await run('history', '--limit', '1')).stdout.split('\n');
    made.push(first.split('  main  ')[1] ?? '');
  };
  const apply = async (manifest: string): Promise<void> => {
    workspace.write('flags/main.yaml', `flags:\n${manifest}`);
    await did('apply', '--allow-deletes', '9', '--allow-disables', '9');
  };
  await did('apply');
  await did('off', 'checkout', '--reason', 'incident');
  await did('undo');
  await apply('  checkout: { active: true, rollout_percentage: 5 }\n  search: { deleted: true }\n');
  await apply(flags(KEYS, '{ active: true }'));
  await apply(flags(KEYS.slice(0, 4), '{ active: true, description: new }'));
  await apply(flags(KEYS.slice(0, 4), '{ active: false }'));
  await apply(flags(['a', 'b', 'c'], '{}') + flags(KEYS.slice(0, 2), '{ deleted: true }'));
  expect(made).toEqual([
    'checkout, search created',
    'checkout off',
    'checkout on',
    'checkout updated, search deleted',
    '12 flags created',
    '4 flags updated',
    '4 flags off',
    '3 created, 2 deleted',
  ]);
});

test('a run that applied nothing names what it was to do', async () => {
  const faults = { faults: [{ match: { access: 'write' }, count: 99, answer: { status: 400 } }] };
  const seed = [{ id: 1, key: 'checkout', active: true }];
  const { run } = await stage('flags: { checkout: { active: true } }\n', CONFIG, { seed, faults });
  expect(await run('off', 'checkout', '--yes')).toMatchObject({ code: 1 });
  expect((await run('history', '--limit', '1')).stdout).toMatch(
    / {2}main {2}not done: checkout off\n {2}incomplete · 1 failed/,
  );
});
