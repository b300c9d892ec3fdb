import { expect, test } from 'vitest';
import { readMatchingVersion } from '../../../../src/posthog/reading/live-state.ts';
import { clientFor } from '../support/client.ts';
import { serve, type Reply } from '../support/server.ts';

test('getDefinitions asks below the path of the host, with the token of the project', async () => {
  const { host, seen } = await serve(() => ({ body: { flags: [], property_matching_version: 2 } }));
  expect(await clientFor(`${host}/base`).getDefinitions('phc_7')).toMatchObject({ property_matching_version: 2 });
  expect(seen.map(({ url }) => url)).toEqual(['/base/flags/definitions?token=phc_7']);
});

const PROJECT: Reply = { body: { id: 1, api_token: 'phc_7' } };

test.each<[string, Reply, Reply, 1 | 2 | undefined]>([
  ['the definitions say', PROJECT, { body: { property_matching_version: 2 } }, 2],
  ['older definitions say', PROJECT, { body: { flags: [] } }, 1],
  ['a key may not read the definitions', PROJECT, { status: 403, body: {} }, undefined],
  ['a key may not read the project', { status: 403, body: {} }, { body: { property_matching_version: 2 } }, undefined],
  ['a project without a token', { body: { id: 1 } }, { body: { property_matching_version: 2 } }, undefined],
  ['a service without definitions', PROJECT, { status: 404, body: {} }, undefined],
])('the property_matching_version that %s', async (_name, project, definitions, version) => {
  const { host } = await serve(({ url }) => (url.startsWith('/flags/definitions') ? definitions : project));
  expect(await readMatchingVersion(clientFor(host))).toBe(version);
});
