/** The declarations of live resources that no manifest names. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../../src/editing/actions/declare-unmanaged.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const PRODUCTION = { name: 'production', roles: { Growth: GROWTH }, cohorts: {} };
const STAGING = { ...PRODUCTION, name: 'staging' };

const CHECKOUT = 'flags:\n  checkout-new: { active: true } # new\n  checkout-old: { active: true }\n';

function live(key: string, fields: JsonObject = {}): Flag {
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: null, payloads: {} };
  return { id: key.length, key, name: '', active: true, deleted: false, tags: [], filters, ...fields };
}

interface Given {
  readonly flags: readonly Flag[];
  readonly organization?: LiveState['organization'];
  readonly access?: LiveState['roleAccess'];
}

/** Declares flags of production beside what these files declare. */
function declare(files: Readonly<Record<string, string>>, { flags, access, organization }: Given): DeclaredUnmanaged {
  return declareUnmanaged({
    resource: 'flag',
    live: { flags, roleAccess: access ?? {}, ...defined({ organization }) },
    project: PRODUCTION,
    projects: [PRODUCTION, STAGING],
    manifests: Object.entries(files).map(([file, text]) => ({ file, text })),
    keys: new Set(flags.map(({ key }) => key)),
    withRoleAccess: access !== undefined,
    writing: { onlyIn: 'production', taken: new Set(Object.keys(files).map((file) => file.replace('flags/', ''))) },
    folder: 'flags',
  });
}

test('a flag comes into the file with its prefix, and into a new file where there is none', () => {
  const flags = [live('checkout-next', { active: false }), live('search')];
  const { edited, files, added, left } = declare({ 'flags/shop.yaml': CHECKOUT }, { flags });
  expect(left).toEqual([]);
  expect(edited).toHaveLength(1);
  expect(edited[0]?.text.startsWith(CHECKOUT)).toBe(true);
  expect(files.map(({ file }) => file)).toEqual(['flags/misc.yaml']);
  expect(added).toMatchObject([
    { key: 'checkout-next', place: { file: 'flags/shop.yaml', line: 4 } },
    { key: 'search', place: { file: 'flags/misc.yaml' } },
  ]);
});

test('a flag comes into the document of a file that has its prefix', () => {
  const several = 'flags:\n  search: { active: true }\n---\nflags:\n  checkout-new: { active: true }\n';
  const { edited } = declare({ 'flags/shop.yaml': several }, { flags: [live('checkout-next')] });
  expect(edited[0]?.text.startsWith(several)).toBe(true);
});

test('a flag without kin is not put among others without kin, except in the file that an export makes of them', () => {
  const mixed = 'flags:\n  banner: { active: true }\n  search: { active: true }\n';
  const alone = declare({ 'flags/shop.yaml': mixed }, { flags: [live('survey-banner')] });
  expect(alone.added).toMatchObject([{ key: 'survey-banner', place: { file: 'flags/misc.yaml' } }]);
  expect(alone.edited).toEqual([]);
  const exported = declare({ 'flags/misc.yaml': mixed }, { flags: [live('survey-banner')] });
  expect(exported.added).toMatchObject([{ place: { file: 'flags/misc.yaml', line: 4 } }]);
  expect(exported.files).toEqual([]);
});

test('where the file cannot take it, a new file does', () => {
  const shared = 'flags: &all\n  checkout-new: { active: true }\nx-copy: *all\n';
  const { edited, added } = declare({ 'flags/shop.yaml': shared }, { flags: [live('checkout-next')] });
  expect(edited).toEqual([]);
  expect(added).toMatchObject([
    { key: 'checkout-next', place: { file: expect.not.stringContaining('shop') as string } },
  ]);
});

test('a flag that manifests give access to, which it does not have, is left, and the others are declared', () => {
  const files = { 'flags/shop.yaml': `${CHECKOUT}role_access:\n  Growth: ['checkout-ne*t']\n` };
  const flags = [live('checkout-next'), live('checkout-last')];
  const { added, left } = declare(files, { flags, access: { 13: [] } });
  expect(added.map(({ key }) => key)).toEqual(['checkout-last']);
  expect(left).toEqual([{ key: 'checkout-next', reason: { code: 'reads-differently' } }]);
});

test('of several files with flags of the prefix, the one with most of them takes it, else the first by name', () => {
  const files = {
    'flags/z.yaml': 'flags:\n  shop-a: {}\n  shop-b: {}\n',
    'flags/b.yaml': 'flags:\n  shop-c: {}\n',
    'flags/a.yaml': 'flags:\n  shop-d: {}\n',
  };
  const placed = (given: Readonly<Record<string, string>>): unknown =>
    declare(given, { flags: [live('shop-new')] }).added.map(({ place }) => place.file);
  expect(placed(files)).toEqual(['flags/z.yaml']);
  const { 'flags/z.yaml': _, ...tied } = files;
  expect(placed(tied)).toEqual(['flags/a.yaml']);
  expect(placed({ 'flags/a.yaml': tied['flags/a.yaml'], 'flags/b.yaml': tied['flags/b.yaml'] })).toEqual([
    'flags/a.yaml',
  ]);
});

test('roles have the names of the organization; mistakes that manifests have already are no reason to refuse', () => {
  const access = { 12: [{ id: 1, role: { id: GROWTH.replaceAll('1', '2'), name: 'Sales' } }] };
  const organization = { roleNames: { [GROWTH.replaceAll('1', '2')]: 'Sales' }, lacksRoleAccess: false };
  const files = { 'flags/shop.yaml': `${CHECKOUT}  checkout-bad: { aktive: true }\n` };
  const { edited, left } = declare(files, { flags: [live('checkout-new2')], access, organization });
  expect(left).toEqual([]);
  expect(edited[0]?.text).toContain('checkout-new2:');
});

test('a flag whose level a list of roles contradicts is left, with those that nothing tells apart from it', () => {
  const files = { 'flags/shop.yaml': `${CHECKOUT}role_access:\n  Growth: ['checkout-ne*']\n` };
  const rule = { access_level: 'viewer', role: GROWTH, organization_member: null };
  const flag = live('checkout-next', { user_access_level: 'manager' });
  const { edited, added, left } = declare(files, { flags: [flag], access: { 13: { access_controls: [rule] } } });
  expect({ edited, added }).toEqual({ edited: [], added: [] });
  expect(left).toMatchObject([{ key: 'checkout-next' }]);
});
