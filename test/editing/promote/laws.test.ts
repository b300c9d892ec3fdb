/** What `promote` promises of any manifests with overlays. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptLive } from '../../../src/editing/actions/accept.ts';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import { PARTS, type EditedPart, type Promoted, type ManifestText } from '../../../src/editing/edit.ts';
import { flagSources } from '../../../src/editing/flag/facet.ts';
import { EDITED } from '../../../src/editing/kinds.ts';
import { readTexts, type ReadTexts } from '../../../src/editing/texts.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { compareProjects } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { arbitraryFlags } from '../../loop/export/arbitrary-flags.ts';
import { holds } from '../../helpers/runs.ts';

const NAMES = { roles: {}, cohorts: { beta: 42, other: 43, third: 57 } };
const STAGING: Project = { name: 'staging', ...NAMES };
const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: { beta: 7, other: 8, third: 9 } };
const PROJECTS = [STAGING, PRODUCTION];

/** Manifests in which staging has overlays. */
function layered(shared: readonly Flag[], ofStaging: readonly Flag[]): readonly ManifestText[] {
  const exported = writeManifests({ flags: shared, roleAccess: undefined, names: STAGING });
  const manifests = exported.files.map(({ path, text }) => ({ file: `flags/${path}`, text }));
  const live = { flags: ofStaging, roleAccess: {} };
  const plan = buildPlan(read(manifests).resolve(STAGING).desired, live);
  const selection = { pending: false };
  const accepted = acceptLive({
    live,
    project: STAGING,
    projects: PROJECTS,
    manifests,
    plan,
    selection,
    layer: 'project',
  });
  return withEdits(manifests, accepted.edited);
}

function read(texts: readonly ManifestText[]): ReadTexts {
  return readTexts(
    texts,
    PROJECTS.map(({ name }) => name),
  );
}

function withEdits(before: readonly ManifestText[], edited: readonly ManifestText[]): readonly ManifestText[] {
  const texts = new Map(edited.map(({ file, text }) => [file, text]));
  return before.map(({ file, text }) => ({ file, text: texts.get(file) ?? text }));
}

function promote(manifests: readonly ManifestText[], parts: readonly EditedPart[] | undefined): Promoted {
  const source = flagSources(read(manifests).resolve(STAGING).desired, undefined);
  return promoteFlags({
    from: STAGING,
    to: PRODUCTION,
    projects: PROJECTS,
    manifests,
    source,
    keys: [...source.keys()],
    ...(parts === undefined ? {} : { parts }),
  });
}

/** The paths of what a part is. */
const PATHS: Readonly<Record<EditedPart, RegExp>> = {
  conditions: /^\/filters\/(groups|aggregation_group_type_index)/,
  variants: /^\/filters\/multivariate/,
  payloads: /^\/filters\/payloads/,
  active: /^\/active/,
  rollout: /^\/filters\/groups\/\d+\/rollout_percentage/,
  description: /^\/name/,
  tags: /^\/tags/,
  role_access: /^\/role_access/,
};

const overlaid = fc.tuple(arbitraryFlags, arbitraryFlags).map(([shared, others]) =>
  layered(
    shared,
    shared.map((flag, index) => ({ ...flag, ...others[index], id: flag.id, key: flag.key })),
  ),
);
const parts = fc.option(fc.uniqueArray(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 3 }), { nil: undefined });

test('promote, then parity of the promoted parts: empty; the source and other parts are as before; again: nothing', () => {
  let promotedFlags = 0;
  holds(40, [overlaid, parts], (manifests, chosen) => {
    const promoted = promote(manifests, chosen);
    const texts = withEdits(manifests, promoted.edited);
    const [former, after] = [read(manifests), read(texts)];
    expect(after.resolve(STAGING).desired.flags.map((flag) => EDITED.flags.meaningOf(flag))).toEqual(
      former.resolve(STAGING).desired.flags.map((flag) => EDITED.flags.meaningOf(flag)),
    );
    const left = new Set(promoted.left.map(({ key }) => key));
    promotedFlags += promoted.promoted.length;
    const isPromoted = (path: string): boolean => chosen === undefined || chosen.some((part) => PATHS[part].test(path));
    const sides = PROJECTS.map((project) => ({ project, desired: after.resolve(project).desired }));
    const { rows } = compareProjects(sides, { scope: { include: ['*'], exclude: [] } });
    expect(rows.filter(({ key, path }) => !left.has(key) && isPromoted(path))).toEqual([]);
    const changes = promoted.promoted.flatMap((flag) => flag.changes);
    expect(changes.filter(({ path }) => !isPromoted(path))).toEqual([]);
    expect(promote(texts, chosen).edited).toEqual([]);
  });
  // Nothing promoted would keep the law.
  expect(promotedFlags).toBeGreaterThan(0);
});
