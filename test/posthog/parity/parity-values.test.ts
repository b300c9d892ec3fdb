import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { isManaged } from '../../../src/posthog/parity/parity.ts';

const ACCESS = { role_access: { roles: { growth: 'editor' } } };

test.each<[path: string, fields: JsonObject, managed: boolean]>([
  ['/tags', { tags: ['x'] }, true],
  ['/tags', { tags: null }, true],
  ['/tags', {}, false],
  ['/filters/groups/0', { filters: { multivariate: null } }, true],
  ['/role_access/roles/growth', ACCESS, true],
  ['/role_access/roles/support', ACCESS, true],
  ['/role_access/default', ACCESS, false],
  ['/role_access/default', { role_access: { default: 'viewer' } }, true],
  ['/role_access/default', {}, false],
])('the manifests manage %s of %j: %s', (path, fields, managed) => {
  expect(isManaged(fields, path)).toBe(managed);
});
