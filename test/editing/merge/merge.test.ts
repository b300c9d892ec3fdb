/** The edits of manifests that merge live state into them. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeManifests, type Merge } from '../../../src/editing/actions/merge.ts';
import { EDITED } from '../../../src/editing/kinds.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { holds } from '../../helpers/runs.ts';
import { arbitraryFlags } from '../../loop/export/arbitrary-flags.ts';
import type { ManifestText } from '../../../src/editing/edit.ts';

const PROJECTS = [
  { name: 'production', roles: {}, cohorts: { beta: 42, other: 43, third: 57 } },
  { name: 'staging', roles: {}, cohorts: { beta: 42, other: 43, third: 57 } },
  { name: 'local', roles: {}, cohorts: { beta: 42 } },
] as const;
const [PRODUCTION, STAGING] = PROJECTS;
const NAMES = PROJECTS.map(({ name }) => name);

function merge(manifests: readonly ManifestText[], flags: readonly Flag[]): Merge {
  const live = { flags, roleAccess: {} };
  return mergeManifests({ live, withRoleAccess: false, project: STAGING, projects: PROJECTS, manifests }, {});
}

function textsAfter(manifests: readonly ManifestText[], { edited, files }: Merge): ManifestText[] {
  const changed = new Map(edited.map(({ file, text }) => [file, text]));
  return [
    ...manifests.map(({ file, text }) => ({ file, text: changed.get(file) ?? text })),
    ...files.map(({ path, text }) => ({ file: path, text })),
  ];
}

/** Flags of a second project: some have keys of the first. */
const pairs = fc.tuple(arbitraryFlags, arbitraryFlags).chain(([first, second]) =>
  fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }).map((shared): [readonly Flag[], readonly Flag[]] => {
    const own = second.filter(({ key }) => first.every((flag) => flag.key !== key));
    return [
      first,
      own.map((flag, index) => (shared[index] === true ? { ...flag, key: first[index]?.key ?? flag.key } : flag)),
    ];
  }),
);

test('any second project: nothing to do in it, nothing changed for the others, and nothing more to merge', () => {
  const counts = { written: 0, left: 0 };
  holds(40, [pairs], ([first, second]) => {
    const exported = writeManifests({ flags: first, roleAccess: undefined, names: PRODUCTION });
    const manifests = exported.files.map(({ path, text }) => ({ file: `flags/${path}`, text }));
    const merged = merge(manifests, second);
    const before = readTexts(manifests, NAMES);
    const texts = textsAfter(manifests, merged);
    const after = readTexts(texts, NAMES);
    for (const project of [PRODUCTION, PROJECTS[2]]) {
      expect(after.resolve(project).desired.flags.map((flag) => EDITED.flags.meaningOf(flag))).toEqual(
        before.resolve(project).desired.flags.map((flag) => EDITED.flags.meaningOf(flag)),
      );
    }
    const left = new Set([...merged.notMerged, ...merged.notExported].map(({ key }) => key));
    counts.left += left.size;
    counts.written += merged.overlaid.length + merged.limited.length;
    const plan = buildPlan(after.resolve(STAGING).desired, { flags: second, roleAccess: {} });
    expect(plan.changes.map(({ key }) => key).filter((key) => !left.has(key))).toEqual([]);
    expect(merge(texts, second)).toMatchObject({ edited: [], files: [] });
  });
  // A merge that left everything as it is would keep these laws.
  expect(counts.written).toBeGreaterThan(counts.left);
});
