/** What still has to be done after an export. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkExport } from '../../../src/cli/manifests/save-edits.ts';
import type { Config } from '../../../src/config/config.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const COHORT = '{ filters: { properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } } }';
const IN_COHORT = (alias: string): string =>
  `{ filters: { groups: [{ properties: [{ type: cohort, key: id, value: ${alias} }] }] } }`;

async function check(
  files: Readonly<Record<string, string>>,
  written: readonly string[],
  projects: object = { prod: { name: 'prod', service: 'remote', roles: {}, cohorts: {} } },
): Promise<readonly unknown[]> {
  const { root } = createWorkspace(files);
  const config = { root, manifests: ['flags/**/*.yaml'], projects } as unknown as Config;
  return checkExport({ config, written: written.map((file) => path.join(root, file)) });
}

describe('an export', () => {
  test('that the configuration reads, and that repeats nothing, is complete', async () => {
    expect(
      await check({ 'flags/a.yaml': 'flags: { a: {} }', 'flags/b.yaml': 'flags: { b: {} }' }, ['flags/b.yaml']),
    ).toEqual([]);
  });

  test('that the configuration does not read is told alone, as what plans read stays', async () => {
    const files = { 'flags/a.yaml': 'flags: { a: {} }', 'out/a.yaml': 'flags: { a: {} }' };
    expect(await check(files, ['out/a.yaml'])).toEqual([{ code: 'not_read', files: ['out/a.yaml'] }]);
  });

  test('of which a part is not read is told with all else', async () => {
    const files = {
      'flags/a.yaml': 'flags: { a: {} }',
      'flags/b.yaml': 'flags: { a: {} }',
      'out/c.yaml': 'flags: { c: {} }',
    };
    expect(await check(files, ['flags/b.yaml', 'out/c.yaml'])).toEqual([
      { code: 'not_read', files: ['out/c.yaml'] },
      { code: 'declared_twice', file: 'flags/a.yaml', flags: 1, cohorts: 0 },
    ]);
  });

  test('that declares again what other files declare names each of them, with how much', async () => {
    const files = {
      'flags/a.yaml': 'flags: { a: {}, b: {} }',
      'flags/c.yaml': `flags: { c: {} }\ncohorts: { vips: ${COHORT} }\n`,
      'flags/z.yaml': `flags: { a: {}, b: {}, c: {} }\ncohorts: { vips: ${COHORT} }\n`,
    };
    const twice = (file: string, flags: number, cohorts: number) => ({ code: 'declared_twice', file, flags, cohorts });
    const expected = [twice('flags/a.yaml', 2, 0), twice('flags/c.yaml', 1, 1)];
    expect(await check(files, ['flags/z.yaml'])).toEqual(expected);
    expect(await check(files, ['flags/a.yaml', 'flags/c.yaml', 'flags/z.yaml'])).toEqual([]);
  });

  test('names the real projects that lack a name of its files, sorted, and no embedded one', async () => {
    const bare = { roles: {}, cohorts: {} };
    const projects = {
      west: { name: 'west', service: 'remote', ...bare },
      east: { name: 'east', service: 'remote', ...bare },
      local: { name: 'local', service: 'embedded', ...bare },
      full: { name: 'full', service: 'remote', roles: { sales: 'S' }, cohorts: { vips: 1 } },
    };
    const missing = [
      { code: 'aliases_missing', project: 'east' },
      { code: 'aliases_missing', project: 'west' },
    ];
    const cohort = { 'flags/a.yaml': `flags: { a: ${IN_COHORT('vips')} }` };
    // A role of no known name may be one of the service.
    const role = { 'flags/a.yaml': 'flags: { a: { role_access: [sales] } }' };
    const near = { ...projects, west: { ...projects.west, roles: { sale: 'S' } } };
    expect(await check(cohort, ['flags/a.yaml'], projects)).toEqual(missing);
    expect(await check(role, ['flags/a.yaml'], projects)).toEqual([]);
    expect(await check(role, ['flags/a.yaml'], near)).toEqual([{ code: 'aliases_missing', project: 'west' }]);
    const files = { ...cohort, 'flags/b.yaml': 'flags: { b: {} }' };
    expect(await check(files, ['flags/b.yaml'], projects)).toEqual([]);
    const { local, full, west } = projects;
    expect(await check(cohort, ['flags/a.yaml'], { local, full })).toEqual([]);
    expect(await check(cohort, ['flags/a.yaml'], { west })).toEqual([{ code: 'aliases_missing', project: 'west' }]);
  });
});
