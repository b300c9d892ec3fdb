/** The list of change requests: what is asked for, and what printing one shows. */

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { clientFor } from '../support/client.ts';
import { serve } from '../support/server.ts';

const INTENT = { flag_key: 'a', preconditions: { version: 3 }, full_request_data: { active: true } };
const REJECTED = {
  id: 'cr-1',
  state: 'rejected',
  action_key: 'feature_flag.enable',
  resource_id: '7',
  created_by: { email: '', first_name: 'Bob' },
  approvals: [
    { decision: 'approved', created_by: { email: 'eve@example.org' }, reason: 'fine' },
    { decision: 'rejected', created_by: { email: 'ann@example.org', first_name: 'Ann' }, reason: 'not now' },
  ],
  apply_error: '',
  intent: INTENT,
};
const FAILED = { id: 'cr-2', state: 'failed', resource_id: null, created_by: null, apply_error: 'moved', later: [1] };

function pageOf(results: readonly object[]): never {
  return { body: { count: 900, next: 'https://x/?limit=100&offset=100', previous: null, results } } as never;
}

test('listChangeRequests asks for one page of requests of flags that were not applied', async () => {
  const { host, seen } = await serve(() => pageOf([REJECTED, FAILED]));
  const [rejected, failed] = await clientFor(host).listChangeRequests();
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/change_requests/?resource_type=feature_flag&state=pending%2Capproved%2Crejected%2Cfailed%2Cexpired&limit=100',
  ]);
  const { asked, ...described } = rejected ?? { id: '' };
  expect(described).toEqual({
    id: 'cr-1',
    state: 'rejected',
    action: 'feature_flag.enable',
    key: 'a',
    version: 3,
    resourceId: 7,
    openedBy: 'Bob',
    rejection: { by: 'ann@example.org', reason: 'not now' },
  });
  expect(asked?.()).toEqual({ active: true });
  expect(failed).toEqual({ id: 'cr-2', state: 'failed', failure: 'moved' });
});

test('printing a request shows no requested value', async () => {
  const intent = { full_request_data: { filters: { payloads: { true: 'secret-payload' } } } };
  const { host } = await serve(() => pageOf([{ ...REJECTED, intent }]));
  const requests = await clientFor(host).listChangeRequests();
  expect(inspect(requests, { depth: 9 }) + JSON.stringify(requests)).not.toContain('secret-payload');
});

test.each(['id', 'state'])('a request without %s is no answer', async (member) => {
  const { host } = await serve(() => pageOf([{ ...REJECTED, [member]: null }]));
  await expect(clientFor(host).listChangeRequests()).rejects.toMatchObject({
    failure: { kind: 'invalid_answer', at: `/results/0/${member}` },
  });
});
