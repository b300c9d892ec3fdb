/** The cohorts of a further project in manifests: what is written, what is left and why, and what holds for any of them. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { meaningsOf } from '../../../src/editing/kinds.ts';
import { mergeNamed, mergeProject, type Merge } from '../../../src/editing/actions/merge.ts';
import { fileIn, readTexts, withEdited } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { withIds } from '../../../src/posthog/reading/found-names.ts';
import { holds } from '../../helpers/runs.ts';
import { styles } from '../../helpers/styled-yaml.ts';
import { declarations, leaf, text } from '../accept/declared-cohorts.ts';
import { onPlan } from '../../helpers/cohorts.ts';
import type { ManifestText } from '../../../src/editing/edit.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };
const ALL = ['production', 'staging'];

const filters = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const live = (id: number, name: string, value: string, more: JsonObject = {}): Cohort => ({
  id,
  name,
  filters: filters(onPlan(value)),
  ...more,
});
const using = (id: number): Flag => ({
  id: 1,
  key: 'checkout',
  name: '',
  active: true,
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: id }], rollout_percentage: 100 }] },
});
const BETA = 'filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } }';
const USER =
  'flags:\n  checkout: { filters: { groups: [{ properties: [{ type: cohort, value: beta, key: id }] }] } }\n';

interface Given {
  readonly manifest: string;
  readonly cohorts: readonly Cohort[];
  readonly flags?: readonly Flag[];
  readonly project?: Project;
  readonly keys?: ReadonlySet<string>;
  readonly folder?: string;
}

/** What is merged of the cohorts, then the whole project. */
function merge({ manifest, cohorts, flags = [], project = STAGING, keys, folder = 'flags' }: Given): Merge {
  const manifests = [{ file: 'flags/a.yaml', text: manifest }];
  const base = { live: { flags, roleAccess: {}, cohorts }, manifests, ...(keys === undefined ? {} : { keys }) };
  const named = mergeNamed({ ...base, project, projects: [PRODUCTION, project] });
  const own = withIds(project, named.found);
  return mergeProject({ ...base, named, project: own, projects: [PRODUCTION, own], folder, withRoleAccess: false }, {});
}

const textOf = ({ edited }: Merge): string | undefined => edited[0]?.text;

test.each<[what: string, given: Given, after: string]>([
  [
    'only what differs, as an overlay',
    {
      manifest: `cohorts:\n  beta: # asked\n    name: Beta\n    description: Who asked\n    ${BETA}\n`,
      cohorts: [live(7, 'Beta', 'free', { description: 'Who asked' })],
    },
    `cohorts:\n  beta: # asked\n    name: Beta\n    description: Who asked\n    ${BETA}\n    projects:\n      staging: { filters: { properties: { values: [{ key: plan, value: free }] } } }\n`,
  ],
  [
    'the name of a cohort that the configuration identifies',
    {
      manifest: `cohorts:\n  beta: { name: Beta, ${BETA} }\n`,
      cohorts: [live(7, 'Tests', 'pro')],
      project: { ...STAGING, cohorts: { beta: 7 } },
    },
    `cohorts:\n  beta: { name: Beta, ${BETA}, projects: { staging: { name: Tests } } }\n`,
  ],
  [
    'only_in of a cohort that another project has, with what differs',
    {
      manifest: `cohorts:\n  beta: { only_in: [production], description: A, ${BETA} }\n`,
      cohorts: [live(7, 'beta', 'pro', { description: 'B' })],
    },
    `cohorts:\n  beta: { only_in: [production, staging], description: A, ${BETA}, projects: { staging: { description: B } } }\n`,
  ],
  [
    'only_in of a cohort that the project lacks',
    { manifest: `cohorts:\n  beta: { ${BETA} }\n`, cohorts: [live(7, 'Other', 'pro', { deleted: true })] },
    `cohorts:\n  beta: { ${BETA}, only_in: [production] }\n`,
  ],
])('a merge writes %s, and a plan has nothing to do', (_what, given, after) => {
  const merged = merge(given);
  expect([textOf(merged), merged.notMerged]).toEqual([after, []]);
  const { desired, diagnostics } = readTexts([{ file: 'a.yaml', text: after }], ALL).resolve(given.project ?? STAGING);
  expect(diagnostics).toEqual([]);
  expect(buildPlan(desired, { flags: [], roleAccess: {}, cohorts: given.cohorts }).changes).toEqual([]);
  expect(merge({ ...given, manifest: after }).edited).toEqual([]);
});

test.each<[reason: string, given: Given]>([
  ['static', { manifest: `cohorts:\n  beta: { ${BETA} }\n`, cohorts: [live(7, 'beta', 'x', { is_static: true })] }],
  ['declared-deleted', { manifest: 'cohorts:\n  beta: { deleted: true }\n', cohorts: [live(7, 'beta', 'pro')] }],
  [
    'renamed',
    {
      manifest: `cohorts:\n  beta: { name: New, previous_names: [Old], ${BETA} }\n`,
      cohorts: [live(7, 'Old', 'free')],
    },
  ],
  ['declared-only-here', { manifest: `cohorts:\n  beta: { only_in: [staging], ${BETA} }\n`, cohorts: [] }],
  [
    'behavioral',
    {
      manifest: `${USER}cohorts:\n  beta: { ${BETA} }\n`,
      cohorts: [
        { id: 7, name: 'beta', filters: filters({ type: 'behavioral', key: '$pageview', value: 'performed_event' }) },
      ],
      flags: [using(7)],
    },
  ],
  [
    'not-editable',
    {
      manifest: `cohorts:\n  beta: &a { name: beta, ${BETA} }\n  other: { <<: *a, name: other }\n`,
      cohorts: [live(7, 'beta', 'free'), live(8, 'other', 'pro')],
    },
  ],
  [
    'not-editable',
    {
      manifest: `cohorts:\n  beta: &a { name: beta, ${BETA} }\n  other: { <<: *a, name: other }\n`,
      cohorts: [live(8, 'other', 'pro')],
    },
  ],
])('%s: the cohort is left as it is', (reason, given) => {
  const merged = merge(given);
  expect(merged.notMerged).toMatchObject([{ key: 'cohort:beta', reason, file: 'flags/a.yaml' }]);
  expect(merged.edited).toEqual([]);
});

test('a cohort that the project lacks stays declared for it while a flag that could not be merged uses it', () => {
  const flags = [{ ...using(9), filters: { groups: [] } }];
  const manifest = `${USER.replace('checkout: {', 'checkout: &a {')}  user: *a\ncohorts:\n  beta: { ${BETA} }\n`;
  const { notMerged, limited, edited } = merge({
    manifest,
    cohorts: [],
    flags: [...flags, { ...flags[0], id: 2, key: 'user' } as Flag],
  });
  expect([notMerged.map(({ key, reason }) => `${key} ${reason}`), limited, edited]).toEqual([
    ['cohort:beta still-used', 'checkout not-editable', 'user not-editable'],
    [],
    [],
  ]);
});

test('of two declarations for other projects that one live cohort fits, one is declared for the project', () => {
  const declared = (alias: string, names: string): string =>
    `  ${alias}: { only_in: [production], ${names}, ${BETA} }\n`;
  const manifest = `cohorts:\n${declared('a', 'name: Beta')}${declared('b', 'name: New, previous_names: [Beta]')}`;
  const merged = merge({ manifest, cohorts: [live(7, 'Beta', 'pro')] });
  expect([textOf(merged), merged.notMerged]).toEqual([
    manifest.replace('a: { only_in: [production]', 'a: { only_in: [production, staging]'),
    [],
  ]);
});

test('a selection of flags merges the cohorts that these use unless they are deleted, and limits none', () => {
  const manifest = `${USER}cohorts:\n  beta: { ${BETA} }\n  other: { ${BETA} }\n  absent: { ${BETA} }\n`;
  const cohorts = [live(7, 'beta', 'free'), live(8, 'other', 'free')];
  const manifests = [{ file: 'flags/a.yaml', text: manifest }];
  const { merged } = mergeNamed({
    live: { flags: [using(7), { ...using(8), id: 2, deleted: true }], roleAccess: {}, cohorts },
    manifests,
    project: STAGING,
    projects: [PRODUCTION, STAGING],
    keys: new Set(['checkout']),
  });
  expect(merged.cohorts).toMatchObject({ overlaid: ['cohort:beta'], notMerged: [] });
  expect(merge({ manifest, cohorts, flags: [using(7)], keys: new Set(['checkout']) }).limited).toEqual([]);
});

test('of the cohorts that flags of the project use, those that no manifest declares are declared, for it alone', () => {
  const manifest = `${USER}cohorts:\n  beta: { ${BETA} }\n`;
  const cohorts = [live(7, 'beta', 'pro'), live(8, 'gamma', 'free'), live(9, 'unused', 'free')];
  const named = { ...STAGING, cohorts: { beta: 7, gamma: 8, unused: 9 } };
  const flags = [{ ...using(7) }, { ...using(8), id: 2, key: 'search' }];
  const { files, edited, notes } = merge({ manifest, cohorts, flags, project: named });
  const after = readTexts([...edited, ...files.map(({ path, text }) => ({ file: path, text }))], ALL);
  const keys = [STAGING, PRODUCTION].map((one) => after.resolve(one).desired.cohorts?.map(({ key }) => key));
  expect([keys, notes]).toEqual([[['beta', 'gamma'], ['beta']], []]);
});

/** What a second project has of each declared cohort: the same, something else, or nothing; and cohorts of its own. */
const second = fc.array(
  fc.oneof(
    fc.constant(undefined),
    fc.constant({}),
    fc.record({ description: text.map((one) => one.trim()) }),
    leaf.map((one) => ({ filters: filters(one) })),
  ),
  { minLength: 3, maxLength: 3 },
);

test('any cohorts of a second project: a plan of it has nothing to do, the first one does not change, and nothing is left to merge', () => {
  const counts = { written: 0, left: 0 };
  holds(20, [declarations, second, styles()], (declared, changes, style) => {
    const manifests: readonly ManifestText[] = [{ file: 'flags/a.yaml', text: style({ cohorts: declared }).text }];
    const { desired } = readTexts(manifests, ALL).resolve(STAGING);
    const cohorts = (desired.cohorts ?? []).flatMap(({ names: [name], ...rest }, index): Cohort[] => {
      const change = changes[index];
      const fields = 'fields' in rest ? rest.fields : {};
      const isNamed = JSON.stringify(fields).includes('"cohort"');
      return change === undefined || isNamed ? [] : [{ ...fields, ...change, id: index + 1, name: name.trim() }];
    });
    const merged = merge({ manifest: manifests[0]?.text ?? '', cohorts });
    const after = withEdited(manifests, merged.edited);
    const [before, now] = [readTexts(manifests, ALL), readTexts(after, ALL)];
    const [former, later] = [before, now].map((read) => meaningsOf(read.resolve(PRODUCTION).desired));
    expect(later).toEqual(former);
    const left = new Set(merged.notMerged.map(({ key }) => key));
    counts.left += left.size;
    counts.written += merged.overlaid.length + merged.limited.length;
    const { changes: open } = buildPlan(now.resolve(STAGING).desired, { flags: [], roleAccess: {}, cohorts });
    expect(open.filter(({ key }) => !left.has(`cohort:${key}`))).toEqual([]);
    expect(merge({ manifest: after[0]?.text ?? '', cohorts }).edited).toEqual([]);
  });
  // A merge that left everything as it is would keep these laws.
  expect(counts.written).toBeGreaterThan(counts.left);
});

test.each(['flags', ''])('new files have bare names, and none that is taken, in the folder %j', (folder) => {
  const cohorts = [live(7, 'Beta', 'pro')];
  const manifest = `cohorts:\n  other: { ${BETA}, only_in: [production] }\n`;
  const { files, notMerged } = merge({ manifest, cohorts, flags: [using(7)], folder });
  expect(files.map(({ path: name }) => name)).toEqual(['misc.yaml']);
  expect(files.map(({ path: name }) => fileIn(folder, name))).toEqual([
    folder === '' ? 'misc.yaml' : 'flags/misc.yaml',
  ]);
  expect(notMerged).toEqual([]);
});
