/** What the organization says of access, and what counts where the key may not read it. */

import { describe, expect, test } from 'vitest';
import { findRoleIds, isOutOfReach, openOrganization } from '../../../src/posthog/role-access/read.ts';
import { clientFor } from '../client/support/client.ts';
import { serve, type Reply, type TestServer } from '../client/support/server.ts';

const ROLES = [
  { id: 'r1', name: 'growth' },
  { id: 'r2', name: 'sales' },
];

/** Answers by the end of the path; what is not given is an organization with two roles that has paid for them. */
function organization(answers: Readonly<Record<string, Reply>> = {}): Promise<TestServer> {
  const usual: Readonly<Record<string, Reply>> = {
    'projects/1/': { body: { id: 1, organization: 'o-1' } },
    'o-1/': { body: { id: 'o-1', available_product_features: [{ key: 'sso' }, { key: 'role_based_access' }] } },
    'o-1/roles/': { body: { count: 2, next: null, results: ROLES } },
  };
  return serve(({ url }) => {
    const path = url.split('?')[0] ?? '';
    const [, answer] = Object.entries({ ...usual, ...answers }).find(([end]) => path.endsWith(`/${end}`)) ?? [];
    return answer ?? { status: 400, body: { detail: `Unexpected ${url}` } };
  });
}

const FORBIDDEN: Reply = { status: 403, body: { detail: 'No.' } };
const NOT_FOUND: Reply = { status: 404, body: { detail: 'Not found.' } };
const INVALID: Reply = { status: 400, body: { detail: 'Bad.' } };
const PATHS = ['projects/1/', 'o-1/', 'o-1/roles/'];

describe('the organization', () => {
  test.each<[string, unknown, boolean]>([
    ['lists the feature among others', [{ key: 'sso' }, { key: 'role_based_access' }], false],
    ['lists other features', [{ key: 'sso' }, { key: 'audit' }], true],
    ['lists none', [], true],
    ['lists something else', ['role_based_access', null], true],
    ['does not say', undefined, false],
  ])('has the names of its roles, and lacks role access or not where it %s', async (_, features, lacks) => {
    const { host } = await organization({ 'o-1/': { body: { id: 'o-1', available_product_features: features } } });
    expect((await openOrganization(clientFor(host))).organization).toEqual({
      roleNames: { r1: 'growth', r2: 'sales' },
      lacksRoleAccess: lacks,
    });
  });

  test.each(PATHS)(
    'is out of reach where the key may not read %s or the service lacks it, and an error otherwise',
    async (path) => {
      for (const answer of [FORBIDDEN, NOT_FOUND]) {
        const { host } = await organization({ [path]: answer });
        await expect(openOrganization(clientFor(host))).rejects.toSatisfy(isOutOfReach);
      }
      const { host } = await organization({ [path]: INVALID });
      const error: unknown = await openOrganization(clientFor(host)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'ServiceError' });
      expect(isOutOfReach(error)).toBe(false);
    },
  );
});

describe('the ids of roles', () => {
  test('are known by name, also of the organization that the project does not name', async () => {
    expect(await findRoleIds(clientFor((await organization()).host))).toEqual({ growth: 'r1', sales: 'r2' });
    const { host, seen } = await organization({
      'projects/1/': { body: { id: 1 } },
      '@current/roles/': { body: { count: 1, next: null, results: ROLES.slice(1) } },
    });
    expect(await findRoleIds(clientFor(host))).toEqual({ sales: 'r2' });
    expect(seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/api/projects/1/',
      '/api/organizations/@current/roles/',
    ]);
  });

  test.each(['projects/1/', 'o-1/roles/'])(
    'are none where %s is out of reach, and an error otherwise',
    async (path) => {
      for (const answer of [FORBIDDEN, NOT_FOUND]) {
        expect(await findRoleIds(clientFor((await organization({ [path]: answer })).host))).toEqual({});
      }
      const { host } = await organization({ [path]: INVALID });
      await expect(findRoleIds(clientFor(host))).rejects.toMatchObject({ name: 'ServiceError' });
    },
  );
});
