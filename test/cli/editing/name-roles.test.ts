import { expect, test } from 'vitest';
import { nameRoles } from '../../../src/cli/editing/manifest-texts.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';

const [OWN, LIVE, OTHER] = ['1', '2', '3'].map((digit) => `0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c1${digit}`);
const project = { name: 'main', roles: { eng: OWN }, cohorts: {} };
const loaded = { config: { projects: { main: project } }, project } as unknown as LoadedProject;

/** The roles after asking the service, and whether it was asked. */
async function name(
  manifest: string,
): Promise<{ readonly roles: object; readonly asked: boolean; readonly same: boolean }> {
  let asked = false;
  const client = {
    getProject: async () => Promise.resolve({ organization: 'o' }),
    listRoles: async () => {
      asked = true;
      return Promise.resolve([
        { id: LIVE, name: 'eng' },
        { id: OTHER, name: 'sales' },
      ]);
    },
  } as unknown as ServiceClient;
  const named = await nameRoles(loaded, [{ file: 'flags/a.yaml', text: manifest }] as never, client);
  return { roles: named.roles, asked, same: named === loaded.project };
}

test('a role that the configuration lacks is named by the service, and the configuration precedes it', async () => {
  expect(await name('flags: { a: { role_access: [sales, eng] } }\n')).toEqual({
    roles: { eng: OWN, sales: OTHER },
    asked: true,
    same: false,
  });
});

test.each([
  ['all roles are configured', 'flags: { a: { role_access: [eng] } }\n'],
  ['something else is wrong', 'flags: { a: { role_access: [eng], only_in: [nowhere] } }\n'],
  ['none is named', 'flags: { a: {} }\n'],
])('the service is not asked where %s', async (_, manifest) => {
  expect(await name(manifest)).toEqual({ roles: { eng: OWN }, asked: false, same: true });
});
