/** What `accept` promises of any manifests and any live state. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptLive } from '../../../src/editing/accept/accept.ts';
import type { Accepted } from '../../../src/editing/accept/accepted.ts';
import { meaningOf, readTexts, type ManifestText } from '../../../src/editing/texts.ts';
import { writeManifests } from '../../../src/export/write-manifests.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
import { runs } from '../../helpers/runs.ts';
import { arbitraryFlags } from '../../export/arbitrary-flags.ts';

const PROJECTS = [
  { name: 'production', roles: {}, cohorts: { beta: 42, other: 43, third: 57 } },
  { name: 'staging', roles: {}, cohorts: { beta: 42, other: 43, third: 57 } },
] as const;
const [PRODUCTION] = PROJECTS;

function accept(
  manifests: readonly ManifestText[],
  flags: readonly Flag[],
  projects: typeof PROJECTS | readonly [typeof PRODUCTION],
): Accepted {
  const live = { flags, roleAccess: {} };
  const plan = buildPlan(
    readTexts(
      manifests,
      projects.map(({ name }) => name),
    ).resolve(PRODUCTION).desired,
    live,
  );
  return acceptLive({
    live,
    project: PRODUCTION,
    projects,
    manifests,
    plan,
    selection: { pending: false },
    layer: 'auto',
  });
}

function textsAfter(manifests: readonly ManifestText[], { edited }: Accepted): ManifestText[] {
  const changed = new Map(edited.map(({ file, text }) => [file, text]));
  return manifests.map(({ file, text }) => ({ file, text: changed.get(file) ?? text }));
}

const edited = fc
  .tuple(arbitraryFlags, arbitraryFlags)
  .map(([first, second]): [readonly Flag[], readonly Flag[]] => [
    first,
    first.map((flag, index) => ({ ...flag, ...second[index], id: flag.id, key: flag.key })),
  ]);

test.each([[PROJECTS], [[PRODUCTION] as const]])(
  'accept of everything: nothing left to plan, nothing changed elsewhere, and nothing more to accept',
  (projects) => {
    const names = projects.map(({ name }) => name);
    fc.assert(
      fc.property(edited, ([before, now]) => {
        const exported = writeManifests({ flags: before, roleAccess: undefined, names: PRODUCTION });
        const manifests = exported.files.map(({ path, text }) => ({ file: `flags/${path}`, text }));
        const accepted = accept(manifests, now, projects);
        const texts = textsAfter(manifests, accepted);
        const [former, after] = [readTexts(manifests, names), readTexts(texts, names)];
        for (const project of projects.slice(1)) {
          expect(after.resolve(project).desired.flags.map(meaningOf)).toEqual(
            former.resolve(project).desired.flags.map(meaningOf),
          );
        }
        const left = new Set(accepted.left.map(({ key }) => key));
        const plan = buildPlan(after.resolve(PRODUCTION).desired, { flags: now, roleAccess: {} });
        expect(plan.changes.map(({ key }) => key).filter((key) => !left.has(key))).toEqual([]);
        expect(accept(texts, now, projects).edited).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  },
);
