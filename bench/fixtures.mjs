// A project of any size: manifests in files, and the seed of a service that matches them.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

/**
 * `flags` flags in `files` files below a new folder, the first `managedRoles` of them with role access, and `drifted` of them live with
 * another name.
 */
export function makeProject({ flags, files, managedRoles = 0, drifted = 0 }) {
  const folder = mkdtempSync(join(tmpdir(), 'flagwright-bench-'));
  mkdirSync(join(folder, 'flags'));
  const keys = Array.from({ length: flags }, (_, index) => `team${index % files}-flag-${index}`);
  for (let file = 0; file < files; file += 1) {
    const own = keys.flatMap((key, index) =>
      index % files === file ? [[key, manifestFlag(index, index < managedRoles)]] : [],
    );
    writeFileSync(join(folder, 'flags', `team${file}.yaml`), stringify({ flags: Object.fromEntries(own) }));
  }
  const seed = {
    roles: [{ id: ROLE, name: 'engineering' }],
    flags: keys.map((key, index) => ({
      ...{ id: index + 1, key, created_at: '2026-01-01T00:00:00Z', ...apiFlag(index) },
      ...(index < drifted ? { name: `What people made of flag ${index}` } : {}),
    })),
    role_access: keys.slice(0, managedRoles).map((flag) => ({ flag, role: ROLE })),
  };
  return { folder, seed };
}

function manifestFlag(index, managedRole) {
  const { name, ...rest } = apiFlag(index);
  return { description: name, ...rest, ...(managedRole ? { role_access: [ROLE] } : {}) };
}

function apiFlag(index) {
  return {
    name: `What flag ${index} is for`,
    active: index % 3 !== 0,
    filters: {
      groups: [
        {
          properties: [
            { key: 'email', type: 'person', operator: 'icontains', value: `@team${index % 7}.example` },
            { key: 'plan', type: 'person', operator: 'exact', value: ['pro', 'enterprise'] },
          ],
          rollout_percentage: index % 101,
        },
        { properties: [], rollout_percentage: 5 },
      ],
      ...(index % 2 === 0
        ? {
            multivariate: {
              variants: [
                { key: 'control', rollout_percentage: 50 },
                { key: 'test', rollout_percentage: 50 },
              ],
            },
            payloads: { test: { color: 'red', size: index % 10 } },
          }
        : {}),
    },
  };
}
