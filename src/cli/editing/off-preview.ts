/** Shows the lines that `accept` would write for flags that were turned off. Loaded after they are off, so that it delays nothing. */

import { unifiedDiff } from '../../base/unified-diff.ts';
import { acceptLive } from '../../editing/actions/accept.ts';
import { parseFieldPath } from '../../posthog/flag/model/fields.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { cohortValues, flagReferences } from '../../posthog/flag/model/references.ts';
import { loadDesired } from '../../posthog/manifests/load.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { readManifestTexts } from './manifest-texts.ts';

/** `flags`: as they are live now. `onlyActive`: `accept` would write the switch and no other edit of the flags. @throws {FlagwrightError} where the manifests cannot be read. */
export async function previewAccept(
  { config, project }: LoadedProject,
  flags: readonly Flag[],
  { onlyActive }: { readonly onlyActive: boolean },
): Promise<readonly string[]> {
  const active = parseFieldPath('active');
  if ('problem' in active) return [];
  // Only `accept` reads what ids of cohorts and of other flags stand for.
  if (!onlyActive && flags.some(({ filters }) => [...flagReferences(filters), ...cohortValues(filters)].length > 0))
    return [];
  const { root, manifests: patterns } = config;
  const projects = Object.values(config.projects);
  const { desired } = await loadDesired({ root, patterns, project, allProjects: projects.map(({ name }) => name) });
  const { texts: manifests } = await readManifestTexts(config);
  const live = { flags, roleAccess: {} };
  const keys = flags.map(({ key }) => key);
  const plan = buildPlan({ flags: desired.flags.filter(({ key }) => keys.includes(key)) }, live);
  const selection = { pending: true, keys, ...(onlyActive ? { only: { flags: [active] } } : {}) };
  const { edited } = acceptLive({ live, project, projects, manifests, plan, selection, layer: 'auto' });
  const before = new Map(manifests.map(({ file, text }) => [file, text]));
  const patch = unifiedDiff(edited.map(({ file, text }) => ({ file, before: before.get(file), after: text })));
  return patch.split('\n').filter((line) => /^[-+@]/.test(line));
}
