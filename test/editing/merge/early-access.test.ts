/** A further project is merged with all that it has: its flags, its cohorts and its early access features. */

import { expect, test } from 'vitest';
import { FEATURE_FACET } from '../../../src/editing/further/early-access.ts';
import { toEditingContext } from '../../../src/editing/context.ts';
import { findElsewhere, mergeNamed, mergeProject, type Merge } from '../../../src/editing/actions/merge.ts';
import type { LiveFeature } from '../../../src/posthog/early-access/feature.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { cohort } from '../../helpers/cohorts.ts';
import { liveFlag } from '../../helpers/states.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: {} };
const PROJECTS = [PRODUCTION, STAGING];

const ten = { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } };
const feature = (id: number, name: string, stage: string): LiveFeature => ({
  ...{ id, feature_id: `f${id}`, name, stage, description: '', documentation_url: '' },
});

interface Given {
  readonly live: Partial<LiveState> & { readonly keys?: readonly string[] };
  readonly keys?: ReadonlySet<string>;
}

/** Merges staging, whose flags have ids in this order. */
function merge(text: string, { live: { keys: flags = [], ...live }, keys }: Given): Merge & { readonly text: string } {
  const manifests = [{ file: 'flags/a.yaml', text }];
  const state = { flags: flags.map((key, index) => liveFlag(index + 1, key, ten)), roleAccess: {}, ...live };
  const selected = keys === undefined ? {} : { keys };
  const input = { live: state, manifests, project: STAGING, projects: PROJECTS, ...selected };
  const merged = mergeProject({ ...input, named: mergeNamed(input), folder: 'flags', withRoleAccess: false }, {});
  return { ...merged, text: merged.edited[0]?.text ?? text };
}

const FLAGS = `flags:
  changed: { rollout_percentage: 10 }
  gone: { rollout_percentage: 10 }
  over: { rollout_percentage: 10 }
`;
const KEYS = ['changed', 'gone', 'over'];
const features = (...lines: readonly string[]): string =>
  `${FLAGS}early_access:\n${lines.map((line) => `  ${line}\n`).join('')}`;

test.each<[what: string, before: string, live: readonly LiveFeature[], after: string, counts: Partial<Merge>]>([
  [
    'that differs gets an overlay',
    'share: { flag: changed, name: Changed, stage: beta } # not yet',
    [feature(1, 'Here', 'beta')],
    'share: { flag: changed, name: Changed, stage: beta, projects: { staging: { name: Here } } } # not yet',
    { overlaid: ['early_access:share'], limited: [] },
  ],
  [
    'that is the same stays',
    'changed: { stage: beta }',
    [feature(1, 'changed', 'beta')],
    'changed: { stage: beta }',
    { overlaid: [], limited: [] },
  ],
  [
    'that the project lacks is limited to the others',
    'changed: { stage: beta }',
    [],
    'changed: { stage: beta, only_in: [production] }',
    { overlaid: [], limited: ['early_access:changed'] },
  ],
  [
    'that is archived in the project is limited to the others',
    'over: { stage: beta }',
    [feature(3, 'over', 'archived')],
    'over: { stage: beta, only_in: [production] }',
    { overlaid: [], limited: ['early_access:over'] },
  ],
  [
    'that is declared as archived, and is, stays',
    'over: { stage: archived }',
    [feature(3, 'over', 'archived')],
    'over: { stage: archived }',
    { overlaid: [], limited: [] },
  ],
  [
    'that is declared as archived, and is not, gets an overlay',
    'over: { stage: archived }',
    [feature(3, 'over', 'beta')],
    'over: { stage: archived, projects: { staging: { stage: beta } } }',
    { overlaid: ['early_access:over'], limited: [] },
  ],
  [
    'that is declared as archived, and is not there, is limited to the others',
    'over: { stage: archived }',
    [],
    'over: { stage: archived, only_in: [production] }',
    { overlaid: [], limited: ['early_access:over'] },
  ],
  [
    'of another project is declared for this one too, with what differs',
    'changed: { only_in: [production], stage: draft }',
    [feature(1, 'changed', 'beta')],
    'changed: { only_in: [production, staging], stage: draft, projects: { staging: { stage: beta } } }',
    { overlaid: ['early_access:changed'], limited: [] },
  ],
  [
    'of another project that this one lacks stays',
    'changed: { only_in: [production], stage: draft }',
    [feature(2, 'gone', 'archived')],
    'changed: { only_in: [production], stage: draft }',
    { overlaid: [], limited: [] },
  ],
])('a feature %s', (_what, before, live, after, counts) => {
  const merged = merge(features(before), { live: { keys: KEYS, early_access: live } });
  expect(merged).toMatchObject({ ...counts, notMerged: [], files: [] });
  expect(merged.text).toBe(features(after));
  expect(merge(merged.text, { live: { keys: KEYS, early_access: live } }).edited).toEqual([]);
});

test.each<[reason: string, declared: string, live: readonly LiveFeature[]]>([
  ['declared-deleted', 'changed: { deleted: true }', [feature(1, 'changed', 'beta')]],
  ['declared-only-here', 'changed: { only_in: [staging], stage: beta }', []],
])('%s: the feature is left as it is', (reason, declared, live) => {
  const merged = merge(features(declared), { live: { keys: KEYS, early_access: live } });
  expect(merged.notMerged).toEqual([{ key: 'early_access:changed', reason, file: 'flags/a.yaml' }]);
  expect(merged.edited).toEqual([]);
});

test('a feature that is declared as deleted, and is not there, is neither limited nor left', () => {
  const merged = merge(features('changed: { deleted: true }'), { live: { keys: KEYS, early_access: [] } });
  expect(merged).toMatchObject({ edited: [], limited: [], notMerged: [] });
});

test('of two declarations for other projects of one flag, one is declared for the project', () => {
  const own = (alias: string): string => `${alias}: { flag: changed, only_in: [production], name: One, stage: beta }`;
  const text = features(own('one')).concat(`  ${own('two').replace('production', 'test')}\n`);
  const other: Project = { ...PRODUCTION, name: 'test' };
  const live = { flags: [liveFlag(1, 'changed', ten)], roleAccess: {}, early_access: [feature(1, 'One', 'beta')] };
  const elsewhere = (declared: string, ids?: ReadonlySet<number>): readonly string[] => {
    const projects = [...PROJECTS, other];
    const context = { live, manifests: [{ file: 'a.yaml', text: declared }], project: STAGING, projects };
    return [...findElsewhere(FEATURE_FACET, toEditingContext(context), (id) => ids?.has(id) !== false).keys()];
  };
  expect(elsewhere(text)).toEqual(['early_access:one']);
  expect([elsewhere(text, new Set([2])), elsewhere(text, new Set([1]))]).toEqual([[], ['early_access:one']]);
  // The flag is offered in the project already.
  expect(elsewhere(`${text}  three: { flag: changed, only_in: [staging], name: One, stage: beta }\n`)).toEqual([]);
});

test('features that no manifest offers are declared for the project alone, but neither archived ones nor those of undeclared flags', () => {
  const text = features('gone: { stage: beta }').replace('  over: { rollout_percentage: 10 }\n', '');
  const early_access = [
    feature(1, 'Added', 'draft'),
    feature(2, 'gone', 'beta'),
    feature(3, 'Of a flag that a new file declares', 'beta'),
  ];
  const merged = merge(text, { live: { keys: KEYS, early_access } });
  const all = [merged.text, ...merged.files.map((file) => file.text)].join('');
  expect(all).toContain('  changed:\n    name: Added\n');
  expect(all.match(/only_in: \[staging\]/g)).toHaveLength(3);
  const archived = merge(text, {
    live: { keys: ['changed', 'gone'], early_access: [feature(1, 'Added', 'archived'), feature(2, 'gone', 'beta')] },
  });
  expect(archived).toMatchObject({ edited: [], files: [] });
  const selected = merge(text, { live: { keys: ['changed', 'gone'], early_access }, keys: new Set(['gone']) });
  expect(selected).toMatchObject({ edited: [], files: [], limited: [] });
});

const BETA = 'filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } }';

test('what is overlaid, limited and left of each family is named: features, then cohorts, then flags', () => {
  const text = `flags:
  a: { rollout_percentage: 10 }
  b: { rollout_percentage: 50 }
  c: { rollout_percentage: 10 }
  d: { only_in: [staging], rollout_percentage: 10 }
cohorts:
  alpha: { description: Old, ${BETA} }
  beta: { ${BETA} }
  gamma: { only_in: [staging], ${BETA} }
early_access:
  a: { stage: beta }
  b: { stage: beta }
  d: { only_in: [staging], stage: beta }
`;
  const definition = {
    properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
  };
  const cohorts = [cohort(7, 'alpha', { description: 'New', filters: definition })];
  const merged = merge(text, { live: { keys: ['a', 'b'], cohorts, early_access: [feature(1, 'a', 'alpha')] } });
  expect(merged.overlaid).toEqual(['early_access:a', 'cohort:alpha', 'b']);
  expect(merged.limited).toEqual(['early_access:b', 'cohort:beta', 'c']);
  expect(merged.notMerged.map(({ key, reason, file }) => [key, reason, file])).toEqual([
    ['early_access:d', 'declared-only-here', 'flags/a.yaml'],
    ['cohort:gamma', 'declared-only-here', 'flags/a.yaml'],
    ['d', 'declared-only-here', 'flags/a.yaml'],
  ]);
});
