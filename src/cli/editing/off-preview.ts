/** Shows the lines that `accept` would write for flags that were turned off. Loaded after they are off, so that it delays nothing. */

import { unifiedDiff } from '../../base/unified-diff.ts';
import { acceptLive } from '../../editing/actions/accept.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import { parseFieldPath } from '../../posthog/flag/model/fields.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { cohortValues, flagReferences } from '../../posthog/flag/model/references.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { readManifestTexts } from './manifest-texts.ts';

/** `flags`: as they are live now. `managed`: their declarations. @throws {FlagwrightError} where the manifests cannot be read. */
export async function previewAccept(
  { config, project }: LoadedProject,
  flags: readonly Flag[],
  managed: readonly DeclaredFlag[],
): Promise<readonly string[]> {
  const active = parseFieldPath('active');
  if ('problem' in active) return [];
  // Otherwise some stay enabled with 0% in every condition, which `accept` would write as well.
  const onlyActive = flags.every((flag) => flag.active === false);
  // Only `accept` reads what ids of cohorts and of other flags stand for.
  if (!onlyActive && flags.some(({ filters }) => [...flagReferences(filters), ...cohortValues(filters)].length > 0))
    return [];
  const projects = Object.values(config.projects);
  const { texts: manifests } = await readManifestTexts(config);
  const live = { flags, roleAccess: {} };
  const keys = managed.map(({ key }) => key);
  // `off` neither reads nor writes access.
  const declared = managed.map(({ roleAccess: _roles, everyone: _level, ...flag }) => flag);
  const plan = buildPlan({ flags: declared }, live);
  const selection = { pending: true, keys, ...(onlyActive ? { only: { flags: [active] } } : {}) };
  const { edited } = acceptLive({ live, project, projects, manifests, plan, selection, layer: 'auto' });
  const before = new Map(manifests.map(({ file, text }) => [file, text]));
  const patch = unifiedDiff(edited.map(({ file, text }) => ({ file, before: before.get(file), after: text })));
  return patch.split('\n').filter((line) => /^[-+@]/.test(line));
}
