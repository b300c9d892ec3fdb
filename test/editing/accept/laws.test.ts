/** What `accept` promises of any manifests and any live state. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { acceptLive } from '../../../src/editing/actions/accept.ts';
import type { Accepted, LayerChoice, ManifestText } from '../../../src/editing/edit.ts';
import { EDITED } from '../../../src/editing/kinds.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { layOut } from '../../../src/core/manifest/write/layout.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { arbitraryFlags } from '../../loop/export/arbitrary-flags.ts';
import { holds } from '../../helpers/runs.ts';
import { appliedFlags, declaredFor, editedFlags, manifestValues, PRODUCTION, STAGING, userEdits } from './drifted.ts';

interface Run {
  readonly manifests: readonly ManifestText[];
  readonly flags: readonly Flag[];
  readonly projects: readonly [Project, ...Project[]];
  readonly layer?: LayerChoice;
}

function accept({ manifests, flags, projects, layer = 'auto' }: Run): Accepted {
  const live = { flags, roleAccess: {} };
  const [project] = projects;
  const names = projects.map(({ name }) => name);
  const plan = buildPlan(readTexts(manifests, names).resolve(project).desired, live);
  return acceptLive({ live, project, projects, manifests, plan, selection: { pending: false }, layer });
}

function textsAfter(manifests: readonly ManifestText[], { edited }: Accepted): ManifestText[] {
  const changed = new Map(edited.map(({ file, text }) => [file, text]));
  return manifests.map(({ file, text }) => ({ file, text: changed.get(file) ?? text }));
}

/** Nothing left to plan, nothing changed for other projects, and nothing more to accept. */
function check(run: Run): Accepted {
  const { manifests, flags, projects } = run;
  const [project, ...others] = projects;
  const names = projects.map(({ name }) => name);
  const accepted = accept(run);
  const texts = textsAfter(manifests, accepted);
  const [former, after] = [readTexts(manifests, names), readTexts(texts, names)];
  for (const other of others) {
    const [before, now] = [former, after].map((read) =>
      read.resolve(other).desired.flags.map((flag) => EDITED.flags.meaningOf(flag)),
    );
    expect(now).toEqual(before);
  }
  const left = new Set(accepted.left.map(({ key }) => key));
  const plan = buildPlan(after.resolve(project).desired, { flags, roleAccess: {} });
  expect(plan.changes.map(({ key }) => key).filter((key) => !left.has(key))).toEqual([]);
  expect(accept({ ...run, manifests: texts }).edited).toEqual([]);
  return accepted;
}

test.each([
  ['in one project', [PRODUCTION]],
  ['beside another project', [PRODUCTION, STAGING]],
] as const)('accept of what users changed says all of it %s', (_, projects) => {
  holds(60, [manifestValues, userEdits], (value: JsonObject, edits) => {
    const own = declaredFor(
      value,
      projects.map(({ name }) => name),
    );
    const text = layOut(own, { blocks: { flags: {} } });
    const flags = editedFlags(appliedFlags(text), edits);
    expect(check({ manifests: [{ file: 'flags.yaml', text }], flags, projects }).left).toEqual([]);
  });
});

const rewritten = fc
  .tuple(arbitraryFlags, arbitraryFlags)
  .map(([first, second]): [readonly Flag[], readonly Flag[]] => [
    first,
    first.map((flag, index) => ({ ...flag, ...second[index], id: flag.id, key: flag.key })),
  ]);

test.each([['auto'], ['project']] as const)(
  'accept of any flags with --layer %s leaves nothing else to plan',
  (layer) => {
    const counts = { accepted: 0, left: 0 };
    holds(15, [rewritten], ([before, now]) => {
      const { files } = writeManifests({ flags: before, roleAccess: undefined, names: PRODUCTION });
      const manifests = files.map(({ path, text }) => ({ file: `flags/${path}`, text }));
      const { accepted, left } = check({ manifests, flags: now, projects: [PRODUCTION], layer });
      counts.accepted += accepted.length;
      counts.left += left.length;
      // YAML has no U+0000, and no database of a service either.
      if (layer === 'auto') expect(left.filter(({ reason }) => reason.code !== 'unwritable')).toEqual([]);
    });
    // Nothing accepted would keep the law.
    expect(counts.accepted).toBeGreaterThan(counts.left);
  },
);
