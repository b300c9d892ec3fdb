/** The proof of edited texts, on texts that an edit must not write. */

import { expect, test } from 'vitest';
import { toEditingContext } from '../../src/editing/context.ts';
import { prove } from '../../src/editing/prove-wishes.ts';
import { readTexts } from '../../src/editing/texts.ts';
import type { FlagWish, LayerChoice, RefusedWish, Wish } from '../../src/editing/wish.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const NAMES = { roles: { Growth: GROWTH }, cohorts: {} };
const PRODUCTION = { name: 'production', ...NAMES };
const STAGING = { name: 'staging', ...NAMES };

const MANIFEST = `flags:
  checkout: { active: true, description: New, role_access: [Growth] }
  search: { active: true }
`;
const SAID = MANIFEST.replace(
  'checkout: { active: true,',
  'checkout: { active: true, projects: { production: { active: false } },',
);
const WISH: FlagWish = { resource: 'flag', key: 'checkout', fields: { active: false } };

function wrong(text: string, layer: LayerChoice = 'auto', wish: FlagWish = WISH): readonly RefusedWish[] {
  const context = toEditingContext({
    live: { flags: [{ id: 1, key: 'checkout', name: 'New', active: false }], roleAccess: {} },
    project: PRODUCTION,
    projects: [PRODUCTION, STAGING],
    manifests: [{ file: 'flags.yaml', text: MANIFEST }],
  });
  return prove(context, readTexts([{ file: 'flags.yaml', text }], context.allProjects), { wishes: [wish], layer });
}

test('what is wished, and nothing else, is proven', () => {
  expect(wrong(SAID)).toEqual([]);
  expect(wrong(MANIFEST.replace('true, desc', 'false, desc'), 'base')).toEqual([]);
  const deleted = SAID.replace('active: false', 'deleted: true');
  expect(wrong(deleted, 'auto', { resource: 'flag', key: 'checkout', deleted: true })).toEqual([]);
});

test.each([
  ['nothing is said', MANIFEST, 'reads-differently'],
  ['another value is said', SAID.replace('active: false', 'active: true'), 'reads-differently'],
  ['a field is changed that nobody wished', SAID.replace('New', 'Newer'), 'reads-differently'],
  ['access is changed that nobody wished', SAID.replace('[Growth]', '[]'), 'reads-differently'],
  ['the flag is deleted', SAID.replace('active: false', 'deleted: true'), 'reads-differently'],
  ['the flag is gone', SAID.replace('  checkout', '  other'), 'reads-differently'],
  ['another flag is changed', SAID.replace('search: { active: true', 'search: { active: false'), 'changes-others'],
  ['a flag is added', `${SAID}  more: { active: true }\n`, 'changes-others'],
  ['another project is changed', MANIFEST.replace('true, desc', 'false, desc'), 'changes-others'],
  ['a manifest is invalid', SAID.replace('search: { active', 'search: { aktive'), 'invalid'],
])('where %s, the wish is left out', (_what, text, code) => {
  expect(wrong(text)).toMatchObject([{ key: 'checkout', reason: { code } }]);
});

test('where another wish is wrong, only that one is left out', () => {
  const other: FlagWish = { resource: 'flag', key: 'search', fields: { name: 'Search' } };
  expect(wrong(SAID, 'auto', other)).toMatchObject([{ key: 'search' }]);
});

test('of a cohort that is deleted and a flag that uses it, the deletion is left out', () => {
  const text = `flags:
  checkout: { active: true, filters: { groups: [{ properties: [{ key: id, type: cohort, operator: in, value: beta }] }] } }
cohorts:
  beta: { filters: { properties: { type: AND, values: [{ key: plan, value: beta }] } } }
`;
  const context = toEditingContext({
    live: { flags: [{ id: 1, key: 'checkout', name: '', active: false }], roleAccess: {} },
    project: PRODUCTION,
    projects: [PRODUCTION],
    manifests: [{ file: 'flags.yaml', text }],
  });
  const after = text
    .replace('beta: { filters', 'beta: { deleted: true, filters')
    .replace('active: true', 'active: false');
  const wishes: readonly Wish[] = [WISH, { resource: 'cohort', key: 'cohort:beta', deleted: true }];
  const read = readTexts([{ file: 'flags.yaml', text: after }], context.allProjects);
  expect(prove(context, read, { wishes, layer: 'auto' })).toMatchObject([
    { key: 'cohort:beta', reason: { code: 'invalid', problem: { code: 'cohort-deleted' } } },
  ]);
});
