import { expect, it } from 'vitest';
import { validateManifests } from '../../../src/posthog/manifests/load.ts';
import { check, PRODUCTION } from '../../manifest/check.ts';

const STAGING = { name: 'staging', roles: {}, cohorts: { 'beta-testers': 7 } };

it('reports a problem of all projects once, and a problem of one project for that one', () => {
  const { files } = check(`flags:
  a: { filters: { groups: [{ variant: x }] } }
  b: { role_access: [support] }
  c: { projects: { staging: { filters: { groups: [{ variant: y }] } } } }
`);
  expect(validateManifests(files, [PRODUCTION, STAGING]).map(({ code, path, args }) => [code, path, args])).toEqual([
    ['variant-unknown', '/flags/a/filters/groups/0/variant', { variant: 'x' }],
    ['role-unverified', '/flags/b/role_access/0', { role: 'support', project: 'staging' }],
    ['variant-unknown', '/flags/c/projects/staging/filters/groups/0/variant', { variant: 'y' }],
  ]);
});
