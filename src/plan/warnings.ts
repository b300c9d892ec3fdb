/** What a plan foretells: the changes that the service will refuse, and why. The last word stays with the service. */

import { isJsonObject } from '../base/json.ts';
import { flagReferences } from '../model/references.ts';
import type { Flag } from '../model/flag.ts';
import { comparableFlag, type KeyOfFlag } from './comparison.ts';
import { disables } from './order.ts';
import type { Change, FlagChange, PlanWarning } from './plan.ts';

export function foretellRefusals(
  changes: readonly Change[],
  flags: readonly Flag[],
  keyOfFlag: KeyOfFlag,
): readonly PlanWarning[] {
  if (changes.length === 0) return [];
  const outlook = foresee(changes, flags, keyOfFlag);
  const liveById = new Map(flags.map((flag) => [flag.id, flag]));
  return changes.flatMap((change): PlanWarning[] => {
    if (change.resource !== 'flag') return [];
    const live = change.action === 'create' ? undefined : liveById.get(change.id);
    return [...ofLive(change, live), ...ofDependents(change, outlook), ...ofDependencies(change, outlook)];
  });
}

/** A flag as it will be after the plan, as far as dependencies are concerned. */
interface Foreseen {
  readonly active: boolean;
  readonly dependsOn: readonly string[];
}

type Outlook = ReadonlyMap<string, Foreseen>;

function foresee(changes: readonly Change[], flags: readonly Flag[], keyOfFlag: KeyOfFlag): Outlook {
  const outlook = new Map<string, Foreseen>();
  for (const flag of flags) {
    if (flag.deleted === true) continue;
    const { filters } = comparableFlag(flag, keyOfFlag);
    const key = keyOfFlag(flag.id) ?? flag.key;
    outlook.set(key, { active: flag.active !== false, dependsOn: dependencies(filters) });
  }
  for (const change of changes) {
    if (change.resource !== 'flag') continue;
    const now = outlook.get(change.key);
    if (change.action === 'delete') outlook.delete(change.key);
    else {
      const { active, filters } = change.body;
      outlook.set(change.key, {
        active: typeof active === 'boolean' ? active : (now?.active ?? true),
        dependsOn: filters === undefined ? (now?.dependsOn ?? []) : dependencies(filters),
      });
    }
  }
  return outlook;
}

function dependencies(filters: unknown): string[] {
  return isJsonObject(filters) ? [...new Set(flagReferences(filters).map(String))] : [];
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
  if (change.action !== 'delete' && !disables(change)) return [];
  const dependents = [...outlook].flatMap(([key, flag]) =>
    flag.active && key !== change.key && flag.dependsOn.includes(change.key) ? [key] : [],
  );
  return dependents.length > 0 ? [{ code: 'dependents_remain', key: change.key, dependents: dependents.sort() }] : [];
}

/** The service refuses conditions on a flag that does not exist, or is disabled. */
function ofDependencies(change: FlagChange, outlook: Outlook): PlanWarning[] {
  const flag = outlook.get(change.key);
  if (change.action === 'delete' || flag === undefined) return [];
  if (change.body['filters'] === undefined && change.body['active'] !== true) return [];
  return flag.dependsOn.flatMap((dependency): PlanWarning[] => {
    const other = outlook.get(dependency);
    if (other === undefined) return [{ code: 'dependency_missing', key: change.key, dependency }];
    return flag.active && !other.active ? [{ code: 'dependency_disabled', key: change.key, dependency }] : [];
  });
}
