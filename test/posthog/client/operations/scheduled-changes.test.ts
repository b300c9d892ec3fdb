/** The list of scheduled changes: what is asked for, and what is kept. */

import { expect, test } from 'vitest';
import { clientFor } from '../support/client.ts';
import { serve } from '../support/server.ts';

const CHANGE = { id: 12, record_id: '7', scheduled_at: '2026-12-01T09:00:00Z', later: [1] };

function pageOf(results: readonly object[]): { body: { results: readonly object[] } } {
  return { body: { count: results.length, next: null, previous: null, results } as { results: readonly object[] } };
}

test('listScheduledChanges asks for those of flags, and keeps what it does not know', async () => {
  const { host, seen } = await serve(() => pageOf([CHANGE]) as never);
  expect(await clientFor(host).listScheduledChanges()).toEqual([CHANGE]);
  expect(seen.map(({ url }) => url)).toEqual(['/api/projects/1/scheduled_changes/?model_name=FeatureFlag&limit=500']);
});

test.each(['id', 'record_id', 'scheduled_at'])('a change without %s is no answer', async (member) => {
  const { host } = await serve(() => pageOf([{ ...CHANGE, [member]: null }]) as never);
  await expect(clientFor(host).listScheduledChanges()).rejects.toMatchObject({
    failure: { kind: 'invalid_answer', at: `/results/0/${member}` },
  });
});
