/** Rules of access that Terraform manages count as locked where the organization says so, and no other request is sent. */

import { expect, test } from 'vitest';
import type { FlagAccess } from '../../../src/posthog/role-access/access.ts';
import { markLocked } from '../../../src/posthog/role-access/read.ts';
import { entry } from '../../helpers/states.ts';
import { clientFor, failureOf } from '../client/support/client.ts';
import { serveInTurn } from '../client/support/server.ts';

const rule = (role: string, managed_by?: string) => ({
  role,
  access_level: 'editor',
  organization_member: null,
  ...(managed_by === undefined ? {} : { managed_by }),
});
const OWN = { access_controls: [rule('r1'), rule('r2', 'flagwright')] };
const MIXED = { access_controls: [rule('r1', 'terraform'), rule('r2')] };
const OTHERS: Readonly<Record<string, FlagAccess>> = {
  '3': [entry(1, 'r1')],
  '4': { refused: 'No.' },
  '5': { listed: 'levels', roles: [], everyone: null, members: [] },
};
const on = (lock: boolean) => ({ body: { lock_terraform_managed_rules: lock } });

test('only rules of Terraform are locked, and nothing else of any flag changes', async () => {
  const { host, seen } = await serveInTurn(on(true));
  const held = { '1': OWN, '2': MIXED, ...OTHERS };
  const [ours, theirs] = [rule('r2'), { ...rule('r1', 'terraform'), locked: true }];
  expect(await markLocked(clientFor(host), held)).toEqual({ ...held, '2': { access_controls: [theirs, ours] } });
  expect(seen).toHaveLength(1);
});

test('the setting is not asked for where Terraform manages no rule', async () => {
  const { host, seen } = await serveInTurn(on(true));
  expect(await markLocked(clientFor(host), { '1': OWN, ...OTHERS })).toEqual({ '1': OWN, ...OTHERS });
  expect(seen).toEqual([]);
});

test.each([
  ['the project has no lock', on(false)],
  ['the key may not read the setting', { status: 403, body: { detail: 'No.' } }],
  ['the service has no such setting', { status: 404, body: { detail: 'No.' } }],
])('nothing is locked where %s', async (_, answer) => {
  const { host } = await serveInTurn(answer);
  expect(await markLocked(clientFor(host), { '2': MIXED })).toEqual({ '2': MIXED });
});

test('any other failure is one of the run', async () => {
  const { host } = await serveInTurn({ status: 400, body: { detail: 'Bad.' } });
  expect(await failureOf(markLocked(clientFor(host), { '2': MIXED }))).toMatchObject({
    operation: 'getAccessSettings',
  });
});
