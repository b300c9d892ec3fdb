/** Which requests find the flag that an argument names. */

import { expect, test } from 'vitest';
import { findFlag, findFlagOrId, flagId } from '../../../src/cli/resources/command.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';

/** A service with the flags `live` (3) and `old` (4), which is archived. */
function watch(): { readonly client: ServiceClient; readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const client = {
    getFlag: async (id: number) => Promise.resolve((calls.push(id), { id, key: 'by-id' })),
    pageFlags: async function* (query: { readonly archived?: boolean }) {
      calls.push(query);
      yield { id: 9, key: 'other' };
      yield query.archived === true ? { id: 4, key: 'old' } : { id: 3, key: 'live' };
    },
  };
  return { client: client as unknown as ServiceClient, calls };
}

test('a key is looked for among the flags, and then among the archived ones', async () => {
  const { client, calls } = watch();
  expect(await findFlag(client, 'live')).toMatchObject({ id: 3 });
  expect(calls).toEqual([{ key: 'live' }]);
  expect(await findFlagOrId(client, 'old')).toMatchObject({ id: 4 });
  expect(calls.slice(1)).toEqual([{ key: 'old' }, { key: 'old', archived: true }]);
  expect(await flagId(client, 'live')).toBe(3);
});

test('a key that no flag has is named', async () => {
  await expect(findFlag(watch().client, 'none')).rejects.toMatchObject({
    code: 'service_refused',
    message: 'The project lists no flag with the key none.',
    remedy: expect.stringContaining('flags list') as string,
  });
});

test('digits are an id, for which no list is read, and which needs no request where it is enough', async () => {
  const { client, calls } = watch();
  expect(await findFlag(client, '123456789012345')).toEqual({ id: 123_456_789_012_345, key: 'by-id' });
  expect(calls).toEqual([123_456_789_012_345]);
  expect([await findFlagOrId(client, '12'), await flagId(client, '12')]).toEqual([{ id: 12 }, 12]);
  expect(calls).toHaveLength(1);
});

test.each(['12x', 'x12', '1234567890123456', ''])('%j is a key', async (flag) => {
  const { client, calls } = watch();
  await expect(findFlag(client, flag)).rejects.toMatchObject({ code: 'service_refused' });
  expect(calls).toEqual([{ key: flag }, { key: flag, archived: true }]);
});
