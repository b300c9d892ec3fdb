/** Early access features of exported flags are declared if that loads to what is live, and named otherwise. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Export, ExportOptions } from '../../../src/loop/export/export.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import type { DesiredFeature, LiveFeature } from '../../../src/posthog/early-access/feature.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { planFor } from '../../helpers/states.ts';

const FILE = 'early-access.yaml';

function flag(id: number, key: string, more: JsonObject = {}): Flag {
  return { id, key, name: '', active: true, tags: [], filters: { groups: [] }, ...more } as unknown as Flag;
}

function feature(id: number, more: JsonObject = {}): LiveFeature {
  const fields = { name: 'Sharing', stage: 'beta', description: '', documentation_url: '' };
  return { id, feature_id: `f${id}`, ...fields, ...more };
}

/** Exports, and checks that a plan of what was written is empty. */
function exported(
  flags: readonly Flag[],
  features: readonly LiveFeature[],
  { keys, ...options }: ExportOptions & { readonly keys?: ReadonlySet<string> } = {},
): Export & { readonly text: string | undefined } {
  const names = { roles: {}, cohorts: {} };
  const input = { flags, roleAccess: undefined, names, early_access: features, ...(keys && { keys }) };
  const result = writeManifests(input, options);
  const parsed = result.files.map(({ path, text }) => parseManifest(path, text));
  const project = { name: options.onlyIn ?? 'p', ...names };
  const { desired, diagnostics } = resolveManifests(
    parsed.map(({ file }) => file),
    project,
    [project.name],
  );
  expect(
    [...parsed.flatMap((one) => one.diagnostics), ...diagnostics].filter(({ severity }) => severity === 'error'),
  ).toEqual([]);
  const live = { flags, roleAccess: {}, early_access: features };
  expect(planFor(desired, live).changes).toEqual([]);
  return { ...result, text: result.files.find(({ text }) => text.includes('early_access:'))?.text };
}

test('the features of exported flags are declared, sorted by alias, in a file of their own', () => {
  const described = feature(7, { description: 'Share it.', documentation_url: 'https://x.example' });
  const { text, files, notes } = exported([flag(7, 'sharing'), flag(8, 'b')], [described, feature(8), feature(9)]);
  expect(notes).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual([FILE, 'misc.yaml']);
  expect(text).toBe(`early_access:
  b:
    name: Sharing
    description: ""
    documentation_url: ""
    stage: beta

  sharing:
    name: Sharing
    description: Share it.
    documentation_url: https://x.example
    stage: beta
`);
});

test('the short form omits what is empty', () => {
  const { text } = exported([flag(7, 'sharing')], [feature(7)], { minimal: true });
  expect(text).toBe('early_access:\n  sharing:\n    name: Sharing\n    stage: beta\n');
});

/** As manifests declare one for another project. */
const SHARING: DesiredFeature = {
  ...{ kind: 'retired', key: 'sharing', flag: 'sharing', managed: true },
  places: { place: { file: 'a.yaml', line: 1, column: 1 } },
};

test.each<[string, LiveFeature[], ExportOptions & { readonly keys?: ReadonlySet<string> }]>([
  ['of a flag that is not exported', [feature(7)], { keys: new Set(['other']) }],
  ['that is archived', [feature(7, { stage: 'archived' })], {}],
  ['that manifests declare', [feature(7)], { declared: { early_access: { keys: new Set(), resources: [SHARING] } } }],
  ['of no flag that exists', [feature(9)], {}],
])('a feature %s is not declared', (_what, features, options) => {
  const { text, files, notes } = exported([flag(7, 'sharing'), flag(8, 'other')], features, options);
  expect([text, notes]).toEqual([undefined, []]);
  expect(files.map(({ path }) => path)).not.toContain(FILE);
});

test('the alias is one that no manifest has, and two features have two', () => {
  const declared = { early_access: { keys: new Set(['sharing']), resources: [] } };
  const long = 'x'.repeat(199);
  const flags = [flag(7, 'sharing'), flag(8, `${long}ab`), flag(9, `${long}ac`)];
  const { desired } = resolveManifests(
    exported(flags, [feature(7), feature(8), feature(9)], { declared }).files.map(
      ({ path, text }) => parseManifest(path, text).file,
    ),
    { name: 'p', roles: {}, cohorts: {} },
    ['p'],
  );
  expect(desired.early_access?.map((one) => [one.key, one.flag])).toEqual([
    ['sharing-2', 'sharing'],
    [`${'x'.repeat(198)}-2`, `${long}ac`],
    [`${long}a`, `${long}ab`],
  ]);
});

test('a flag whose conditions name a cohort by its alias has its feature declared with it', () => {
  const filters = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 3 }] }], feature_enrollment: true };
  const flags = [flag(7, 'sharing', { filters })];
  const names = { roles: {}, cohorts: { beta: 3 } };
  const input = { flags, roleAccess: undefined, names, early_access: [feature(7)] };
  expect(writeManifests(input).files.map(({ path }) => path)).toEqual([FILE, 'misc.yaml']);
});

test('features of one project are declared for it alone, in a file that does not exist', () => {
  const taken = new Set([FILE, 'early-access-eu.yaml']);
  const { text, files } = exported([flag(7, 'sharing')], [feature(7)], { onlyIn: 'eu', taken });
  expect(text).toContain('only_in: [eu]');
  expect(files.map(({ path }) => path)).toContain('early-access-eu-2.yaml');
});

test('the file of a flag with that name is not overwritten', () => {
  const { files } = exported([flag(7, 'early-access')], [feature(7)], { groupBy: 'flag' });
  expect(files.map(({ path }) => path)).toEqual(['early-access-2.yaml', FILE]);
  expect(files.find(({ path }) => path === FILE)?.text).toContain('flags:');
});

describe('a feature is named and not declared', () => {
  test.each<[string, JsonObject]>([
    ['its stage is one that no manifest may declare', { stage: 'sunset' }],
    ['its name is longer than a manifest may declare', { name: 'x'.repeat(201) }],
  ])('where %s, and the others are declared', (_what, more) => {
    const { text, notes } = exported([flag(7, 'a'), flag(8, 'b')], [feature(7, more), feature(8)]);
    const name = 'Sharing';
    expect(notes).toEqual([{ kind: 'early-access-undeclared', key: 'a', name, ...('name' in more ? more : {}) }]);
    expect([text?.includes('  a:'), text?.includes('  b:')]).toEqual([false, true]);
  });
});
