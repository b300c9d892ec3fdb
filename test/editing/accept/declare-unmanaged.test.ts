import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../../src/editing/accept/declare-unmanaged.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
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
  readonly access?: LiveState['roleAccess'];
}

/** Declares flags of production beside what these files declare. */
function declare(files: Readonly<Record<string, string>>, { flags, access }: Given): DeclaredUnmanaged {
  return declareUnmanaged({
    live: { flags, roleAccess: access ?? {} },
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
