import { describe, expect, it } from 'vitest';
import { loadDesired, validateManifests, type LoadOptions } from '../../../src/posthog/manifests/load.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { check, ENGINEERING, PRODUCTION, SUPPORT } from '../../core/manifest/check.ts';

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

const TWICE = `flags:
  a: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: pros }] }] } }
  b: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: pros }] }] } }
`;

it('reports an alias that several projects lack once for each place, with all of them', () => {
  const { files } = check(TWICE);
  const three = [PRODUCTION, STAGING, { ...STAGING, name: 'test' }];
  expect(validateManifests(files, three).map(({ code, path, args }) => [code, path, args])).toEqual([
    [
      'cohort-unknown',
      expect.stringContaining('/flags/a/'),
      { cohort: 'pros', project: 'production', others: ['staging', 'test'] },
    ],
    [
      'cohort-unknown',
      expect.stringContaining('/flags/b/'),
      { cohort: 'pros', project: 'production', others: ['staging', 'test'] },
    ],
  ]);
});

it('takes a role that is nearly one of the configuration for a mistake, and the names of projects from those that are checked', () => {
  const { files } = check('flags: { a: { role_access: [suport] }, b: { only_in: [test] } }');
  const codes = (allProjects?: readonly string[]): unknown =>
    validateManifests(files, [PRODUCTION], allProjects).map(({ code, severity }) => `${severity} ${code}`);
  expect(codes()).toEqual(['error role-unknown', 'error project-unknown']);
  expect(codes(['production', 'test'])).toEqual(['error role-unknown']);
});

describe('manifests of one project', () => {
  const text = 'flags: { a: { active: true, role_access: [growth] }, b: { role_access: [support] } }\n';
  const options = (file: string, more: Partial<LoadOptions> = {}): LoadOptions => {
    const { root } = createWorkspace({ 'flags/a.yaml': file });
    return { root, patterns: ['flags/*.yaml'], project: PRODUCTION, allProjects: ['production'], ...more };
  };

  it('are loaded with the ids of roles that only the service knows; those of the configuration win', async () => {
    let asked = 0;
    const findRoles = async (): Promise<Readonly<Record<string, string>>> => {
      asked += 1;
      return { growth: ENGINEERING, support: ENGINEERING };
    };
    const { desired, files, warnings } = await loadDesired(options(text, { findRoles }));
    const roles = desired.flags.map((flag) => flag.kind === 'declared' && flag.roleAccess?.map(({ id }) => id));
    expect([roles, warnings, files.length, asked]).toEqual([[[ENGINEERING], [SUPPORT]], [], 1, 1]);
    await loadDesired(options('flags: { b: { role_access: [support] } }', { findRoles }));
    expect(asked).toBe(1);
  });

  it.each([
    ['nobody is asked', {}],
    ['the service has none', { findRoles: async () => ({}) }],
    ['the service has others', { findRoles: async () => ({ growht: ENGINEERING }) }],
  ])('are refused with every problem in order: %s', async (_, more) => {
    const wrong = `${text}---\nflags: { c: { filters: { groups: [{ variant: x }] } }, d: 7 }\n`;
    const error: unknown = await loadDesired(options(wrong, more)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'manifest_invalid',
      message: expect.stringContaining('3 errors') as string,
      diagnostics: [
        { code: 'role-unknown', place: { line: 1 } },
        { code: 'variant-unknown', place: { line: 3 } },
        { code: 'type-wrong', place: { line: 3 } },
      ],
    });
  });

  it('are loaded with their warnings', async () => {
    const loaded = await loadDesired(options('flags: { a: { filters: { groups: [] } } }'));
    expect(loaded.desired.flags.map(({ key }) => key)).toEqual(['a']);
    expect(loaded.warnings.map(({ code }) => code)).toEqual(['conditions-none']);
  });
});
