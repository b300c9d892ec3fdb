/** What a plan foretells: the changes that the service will refuse, and why. The last word stays with the service. */

import type { Flag } from '../posthog/flag/flag.ts';
import { remainingDependents, type Outlook } from '../posthog/flag/outlook.ts';
import type { Change, FlagChange, PlanWarning } from '../posthog/plan.ts';
import { isFirstOfTwo } from '../posthog/flag/split-change.ts';

export function foretellRefusals(
  changes: readonly Change[],
  liveById: ReadonlyMap<number, Flag>,
  outlook: Outlook,
): readonly PlanWarning[] {
  return changes.flatMap((change): PlanWarning[] => {
    if (change.resource !== 'flag') return [];
    const live = change.action === 'create' ? undefined : liveById.get(change.id);
    const refusals = [...ofDependents(change, outlook), ...ofDependencies(change, outlook)];
    return isFirstOfTwo(change) ? refusals : [...ofLive(change, live), ...refusals];
  });
}

function ofLive(change: FlagChange, live: Flag | undefined): PlanWarning[] {
  if (live === undefined) return [];
  const warnings: PlanWarning[] = [];
  if (live.can_edit === false) warnings.push({ code: 'cannot_edit', key: change.key, id: live.id });
  const experiments = live.experiment_set ?? [];
  if (change.action === 'delete' && experiments.length > 0) {
    warnings.push({ code: 'experiments_linked', key: change.key, id: live.id, experiments });
  }
  return warnings;
}

/** The service refuses to disable or delete a flag that active flags depend on. */
function ofDependents(change: FlagChange, outlook: Outlook): PlanWarning[] {
  const dependents = remainingDependents(change, outlook);
  return dependents.length > 0 ? [{ code: 'dependents_remain', key: change.key, dependents }] : [];
}

/** The service refuses conditions on a flag that does not exist, or is disabled. */
function ofDependencies(change: FlagChange, { flags }: Outlook): PlanWarning[] {
  const flag = flags.get(change.key);
  if (change.action === 'delete' || flag === undefined) return [];
  if (change.body['filters'] === undefined && change.body['active'] !== true) return [];
  return flag.dependsOn.flatMap((dependency): PlanWarning[] => {
    const other = flags.get(dependency);
    if (other === undefined) return [{ code: 'dependency_missing', key: change.key, dependency }];
    return flag.active && !other.active ? [{ code: 'dependency_disabled', key: change.key, dependency }] : [];
  });
}
