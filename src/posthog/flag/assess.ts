/** What changes of flags lead to: harm to experiments and dependents, and refusals to expect. The service decides in the end. */

import { reach } from '../../base/graph.ts';
import { isPartial } from '../../engine/change.ts';
import type { Left } from '../../engine/left.ts';
import type { Change } from '../plan.ts';
import type { FlagChange, FlagRisk, FlagWarning } from './change.ts';
import type { DependencyGraph } from './dependencies.ts';
import type { Flag } from './flag.ts';
import { foresee, remainingDependents, type Outlook } from './outlook.ts';
import type { FlagSnapshot } from './snapshot.ts';

export interface FlagAssessment {
  readonly risks: readonly FlagRisk[];
  readonly warnings: readonly FlagWarning[];
}

/** `left`: what the run leaves as it is live. */
export function assessFlags(
  changes: readonly Change[],
  flags: FlagSnapshot,
  left: readonly Left[] = [],
): FlagAssessment {
  const outlook = foresee(changes, flags);
  const judged = changes.flatMap((change) => (change.resource === 'flag' ? [judge(change, flags, outlook)] : []));
  return {
    risks: [...judged.flatMap(({ risks }) => risks), ...riskLeft(changes, outlook, left)],
    warnings: judged.flatMap(({ warnings }) => warnings),
  };
}

function judge(change: FlagChange, flags: FlagSnapshot, outlook: Outlook): FlagAssessment {
  const live = change.action === 'create' ? undefined : flags.byId(change.id);
  const dependents = remainingDependents(change, outlook);
  const refusals = [
    ...warnOfDependents(change, dependents),
    ...warnOfDependencies(change, outlook.flags, flags.graph()),
  ];
  return {
    risks: [...riskExperiments(change, live), ...riskDependents(change, dependents), ...riskSwitch(change)],
    warnings: isPartial(change) ? refusals : [...warnOfLive(change, live), ...refusals],
  };
}

function riskExperiments({ action, ref, key }: FlagChange, live: Flag | undefined): FlagRisk[] {
  const experiments = action === 'delete' ? (live?.experiment_set ?? []) : [];
  return experiments.length === 0
    ? []
    : [{ code: 'experiments', ref, key, experiments, permit: { kind: 'risky', value: key } }];
}

function riskDependents({ action, ref, key }: FlagChange, dependents: readonly string[]): FlagRisk[] {
  if (dependents.length === 0) return [];
  const harm = action === 'delete' ? 'delete' : 'disable';
  return [{ code: 'dependents', ref, key, action: harm, dependents, permit: { kind: 'risky', value: key } }];
}

/** Somebody disabled it, perhaps in an emergency. */
function riskSwitch(change: FlagChange): FlagRisk[] {
  const { ref, key, fields } = change;
  const isDrifted = (pointer: string): boolean =>
    fields.some(({ path, divergence }) => path === pointer && divergence === 'drifted');
  const isRestored = change.action === 'restore' && isDrifted('/deleted');
  const isOn = change.action !== 'create' && (change.body['active'] ?? change.base.flag['active']) === true;
  if (!isOn || !(isRestored || isDrifted('/active'))) return [];
  const permit = { kind: 'override', value: key } as const;
  return [{ code: 'switched_off', ref, key, ...(isRestored ? { deleted: true } : {}), permit }];
}

/** Changes that need a flag of which people's edit is left. */
function riskLeft(changes: readonly Change[], { flags }: Outlook, left: readonly Left[]): FlagRisk[] {
  const kept = new Set(left.flatMap(({ resource, key }) => (resource === 'flag' ? key : [])));
  if (kept.size === 0) return [];
  return changes.flatMap((change): FlagRisk[] => {
    if (change.resource !== 'flag' || !needsDependencies(change)) return [];
    return (flags.get(change.key)?.dependsOn ?? []).flatMap((dependency) => {
      const found = findLeft({ dependent: change.key, dependency }, flags, kept);
      if (found === undefined) return [];
      const permit = { kind: 'override', value: found.key } as const;
      return [{ code: 'dependency_left', ref: change.ref, dependent: change.key, ...found, permit }];
    });
  });
}

function findLeft(
  { dependent, dependency }: { readonly dependent: string; readonly dependency: string },
  flags: DependencyGraph,
  kept: ReadonlySet<string>,
): Pick<Extract<FlagRisk, { code: 'dependency_left' }>, 'key' | 'why'> | undefined {
  const other = flags.get(dependency);
  if (kept.has(dependency) && other?.active !== true)
    return { key: dependency, why: other === undefined ? 'deleted' : 'disabled' };
  const next = (key: string): readonly string[] => flags.get(key)?.dependsOn ?? [];
  const leadsBack = (key: string): boolean => reach([key], next).has(dependent);
  if (!leadsBack(dependency)) return undefined;
  const key = [...reach([dependency], next)].find((one) => kept.has(one) && leadsBack(one));
  return key === undefined ? undefined : { key, why: 'cycle' };
}

/** The service looks at what a flag depends on when its conditions are written and when it is enabled. */
function needsDependencies({ action, body }: FlagChange): boolean {
  return action !== 'delete' && (body['filters'] !== undefined || body['active'] === true);
}

function warnOfLive(change: FlagChange, live: Flag | undefined): FlagWarning[] {
  if (live === undefined) return [];
  const warnings: FlagWarning[] = [];
  if (live.can_edit === false) warnings.push({ code: 'cannot_edit', key: change.key, id: live.id });
  const experiments = live.experiment_set ?? [];
  if (change.action === 'delete' && experiments.length > 0) {
    warnings.push({ code: 'experiments_linked', key: change.key, id: live.id, experiments });
  }
  return warnings;
}

/** The service refuses to disable or delete a flag that active flags depend on. */
function warnOfDependents({ key }: FlagChange, dependents: readonly string[]): FlagWarning[] {
  return dependents.length > 0 ? [{ code: 'dependents_remain', key, dependents }] : [];
}

/**
 * The service refuses conditions on a flag that does not exist, or that is disabled when they are written. A flag that the
 * plan disables is disabled after them.
 */
function warnOfDependencies(change: FlagChange, flags: DependencyGraph, live: DependencyGraph): FlagWarning[] {
  const flag = flags.get(change.key);
  if (flag === undefined || !needsDependencies(change)) return [];
  return flag.dependsOn.flatMap((dependency): FlagWarning[] => {
    const other = flags.get(dependency);
    if (other === undefined) return [{ code: 'dependency_missing', key: change.key, dependency }];
    const isEverOn = other.active || (!flag.active && live.get(dependency)?.active === true);
    return isEverOn ? [] : [{ code: 'dependency_disabled', key: change.key, dependency }];
  });
}
