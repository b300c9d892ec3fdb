import { expect, test } from 'vitest';
import { clientFor } from '../support/client.ts';
import { serve } from '../support/server.ts';

const KEY = { id: 'k', label: 'CI', value: null, mask_value: 'phx_...abcd', scopes: ['feature_flag:read'] };

test('getCurrentKey asks below the path of the host, for no project', async () => {
  const { host, seen } = await serve(
    () => ({ body: { ...KEY, scoped_teams: [1], scoped_organizations: ['o'] } }) as never,
  );
  expect(await clientFor(`${host}/base`).getCurrentKey()).toEqual({
    label: 'CI',
    scopes: ['feature_flag:read'],
    projects: ['1'],
    organizations: ['o'],
  });
  expect(seen.map(({ url }) => url)).toEqual(['/base/api/personal_api_keys/@current/']);
});

test('a key without limits has no projects and no organizations, and an end only where the service says one', async () => {
  const { host } = await serve(
    () => ({ body: { ...KEY, scoped_teams: null, label: '', expires_at: '2026-12-01T00:00:00Z' } }) as never,
  );
  expect(await clientFor(host).getCurrentKey()).toEqual({
    scopes: ['feature_flag:read'],
    projects: [],
    organizations: [],
    expiresAt: '2026-12-01T00:00:00Z',
  });
});

test('an answer without scopes is refused: it would look like a key that may do nothing', async () => {
  const { host } = await serve(() => ({ body: { label: 'CI' } }) as never);
  await expect(clientFor(host).getCurrentKey()).rejects.toMatchObject({
    failure: { kind: 'invalid_answer', why: 'shape' },
  });
});
