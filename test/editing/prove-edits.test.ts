/** The proof of edited texts, on texts that an edit must not write. */

import { expect, test } from 'vitest';
import { toEditingContext, type EditingContext } from '../../src/editing/context.ts';
import { proofOfEdits, writeEdits } from '../../src/editing/actions/write-edits.ts';
import { solve } from '../../src/editing/solve.ts';
import type { FlagEdit, LayerChoice, UnwrittenEdit, ResourceEdit } from '../../src/editing/edit.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const NAMES = { roles: { Growth: GROWTH }, cohorts: {} };
const PRODUCTION = { name: 'production', ...NAMES };
const STAGING = { name: 'staging', ...NAMES };

const MANIFEST = `flags:
  checkout: { active: true, description: New, role_access: [Growth] }
  search: { active: true }
`;
const WRITTEN = MANIFEST.replace(
  'checkout: { active: true,',
  'checkout: { active: true, projects: { production: { active: false } },',
);
const EDIT: FlagEdit = { resource: 'flag', key: 'checkout', fields: { active: false } };

function wrong(text: string, layer: LayerChoice = 'auto', edit: FlagEdit = EDIT): readonly UnwrittenEdit[] {
  const context = toEditingContext({
    live: { flags: [{ id: 1, key: 'checkout', name: 'New', active: false }], roleAccess: {} },
    project: PRODUCTION,
    projects: [PRODUCTION, STAGING],
    manifests: [{ file: 'flags.yaml', text: MANIFEST }],
  });
  return leftOf(context, text, { requested: [edit], layer });
}

/** What is left where the text is written for all that is requested, and the former one where all of it is left. */
function leftOf(
  context: EditingContext,
  text: string,
  { requested, layer }: { readonly requested: readonly ResourceEdit[]; readonly layer: LayerChoice },
): readonly UnwrittenEdit[] {
  return solve<UnwrittenEdit, Parameters<ReturnType<typeof proofOfEdits>['isAsked']>[2]>(context, {
    write: ({ isLeft }) => {
      const open = requested.filter(({ key }) => !isLeft(key));
      const texts = open.length > 0 ? [{ file: 'flags.yaml', text }] : context.manifests;
      return { requested: open, open: open.map(({ key }) => key), texts, failed: [] };
    },
    ...proofOfEdits(context, requested, layer),
    hasFallback: () => false,
  }).left;
}

test('what is requested, and nothing else, is proved', () => {
  expect(wrong(WRITTEN)).toEqual([]);
  expect(wrong(MANIFEST.replace('true, desc', 'false, desc'), 'base')).toEqual([]);
  const deleted = WRITTEN.replace('active: false', 'deleted: true');
  expect(wrong(deleted, 'auto', { resource: 'flag', key: 'checkout', deleted: true })).toEqual([]);
});

test.each([
  ['nothing is written', MANIFEST, 'reads-differently'],
  ['another value is written', WRITTEN.replace('active: false', 'active: true'), 'reads-differently'],
  ['a field is changed that nobody requested', WRITTEN.replace('New', 'Newer'), 'reads-differently'],
  ['access is changed that nobody requested', WRITTEN.replace('[Growth]', '[]'), 'reads-differently'],
  ['the flag is deleted', WRITTEN.replace('active: false', 'deleted: true'), 'reads-differently'],
  ['the flag is gone', WRITTEN.replace('  checkout', '  other'), 'reads-differently'],
  ['another flag is changed', WRITTEN.replace('search: { active: true', 'search: { active: false'), 'changes-others'],
  ['a flag is added', `${WRITTEN}  more: { active: true }\n`, 'changes-others'],
  ['another project is changed', MANIFEST.replace('true, desc', 'false, desc'), 'changes-others'],
  ['a manifest is invalid', WRITTEN.replace('search: { active', 'search: { aktive'), 'invalid'],
])('where %s, the edit is left out', (_what, text, code) => {
  expect(wrong(text)).toMatchObject([{ key: 'checkout', reason: { code } }]);
});

test('where another edit is wrong, only that one is left out', () => {
  const other: FlagEdit = { resource: 'flag', key: 'search', fields: { name: 'Search' } };
  expect(wrong(WRITTEN, 'auto', other)).toMatchObject([{ key: 'search' }]);
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
  const requested: readonly ResourceEdit[] = [EDIT, { resource: 'cohort', key: 'cohort:beta', deleted: true }];
  const { edited, refused } = writeEdits(context, requested, 'auto');
  expect(refused).toMatchObject([
    { key: 'cohort:beta', reason: { code: 'invalid', problem: { code: 'cohort-deleted' } } },
  ]);
  expect(edited.map((one) => one.text)).toEqual([text.replace('active: true', 'active: false')]);
});
