import { expect, test } from 'vitest';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { KindName } from '../../src/posthog/kind-types.ts';
import { hasScope, neededScopes } from '../../src/posthog/key-scopes.ts';

const PLACES = { place: { file: 'a.yaml', line: 1, column: 1 } };
const FLAG = { kind: 'declared', key: 'a', previousKeys: [], fields: {}, places: PLACES } as const;
const ALWAYS = ['feature_flag:read', 'feature_flag:write', 'activity_log:read'];
const ACCESS = [
  'access_control:read',
  'access_control:write',
  'organization:read',
  'project:read',
  'organization_member:read',
];

test.each<[string, DesiredState | undefined, readonly KindName[], readonly string[]]>([
  ['manifests that cannot be read', undefined, [], []],
  ['flags', { flags: [FLAG] }, [], []],
  ['no role with access', { flags: [{ ...FLAG, roleAccess: [] }] }, [], ACCESS],
  ['the level of everyone', { flags: [{ ...FLAG, everyone: { level: null, place: PLACES.place } }] }, [], ACCESS],
  ['a cohort', { flags: [], cohorts: [{}] } as unknown as DesiredState, [], ['cohort:read', 'cohort:write']],
  ['no cohort', { flags: [], cohorts: [] }, [], []],
  ['what a run changed', { flags: [] }, ['early_access'], ['early_access_feature:read', 'early_access_feature:write']],
])('%s', (_, desired, changed, expected) => {
  const scopes = neededScopes(desired, changed).map(({ scope }) => scope);
  expect(new Set(scopes)).toEqual(new Set([...ALWAYS, ...expected]));
  expect(scopes).toHaveLength(ALWAYS.length + expected.length);
});

test.each([
  [['*'], 'cohort:write', true],
  [['cohort:write'], 'cohort:read', true],
  [['cohort:read'], 'cohort:write', false],
  [['cohorts:read'], 'cohort:read', false],
  [[], 'cohort:read', false],
])('a key with %j has %s: %s', (scopes, wanted, expected) => {
  expect(hasScope(scopes, wanted)).toBe(expected);
});
