/** Encrypted payloads through plan, apply and drift: what the service keeps or removes by itself is planned. */

import { expect, test } from 'vitest';
import { stage, type Stage } from '../helpers/stage.ts';

function manifest(encrypted: boolean, payloads: string): string {
  return `flags:
  limits:
    active: true
    filters:
      groups: [{ rollout_percentage: 100 }]
      payloads: ${payloads}
    fields: { is_remote_configuration: true, has_encrypted_payloads: ${encrypted} }
`;
}

async function apply(staged: Stage, text: string): Promise<number> {
  staged.workspace.write('flags/main.yaml', text);
  const { code } = await staged.run('apply', '-y');
  return code;
}

async function payloads({ world }: Stage): Promise<unknown> {
  return (await world.client.listFlags())[0]?.filters?.['payloads'];
}

test('the end of encryption keeps a payload that the manifest declares', async () => {
  const staged = await stage('flags: {}\n');
  expect(await apply(staged, manifest(true, `{ true: '"open"' }`))).toBe(0);
  expect(await apply(staged, manifest(false, `{ true: '"open"' }`))).toBe(0);
  expect(await payloads(staged)).toEqual({ true: '"open"' });
  expect((await staged.run('drift')).code).toBe(0);
});

test('the end of encryption removes a payload that the manifest does not declare', async () => {
  const staged = await stage('flags: {}\n');
  expect(await apply(staged, manifest(true, `{ true: '"open"' }`))).toBe(0);
  expect(await apply(staged, manifest(false, '{}'))).toBe(0);
  expect(await payloads(staged)).toEqual({});
  expect((await staged.run('drift')).code).toBe(0);
});

test('encryption begins with the declared payload', async () => {
  const staged = await stage('flags: {}\n');
  expect(await apply(staged, manifest(false, `{ true: '"open"' }`))).toBe(0);
  expect(await apply(staged, manifest(true, `{ true: '"open"' }`))).toBe(0);
  expect((await staged.run('drift')).code).toBe(0);
});
