/** What changes of flags lead to: harm to experiments and dependents, and refusals to expect. The service decides in the end. */

import { isPartial } from '../../engine/change.ts';
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

export function assessFlags(changes: readonly Change[], flags: FlagSnapshot): FlagAssessment {
  const outlook = foresee(changes, flags);
  const judged = changes.flatMap((change) => (change.resource === 'flag' ? [judge(change, flags, outlook)] : []));
  return {
    risks: judged.flatMap(({ risks }) => risks),
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
function riskSwitch({ ref, key, fields }: FlagChange): FlagRisk[] {
  const isSwitchedOff = fields.some(
    ({ path, after, divergence }) => path === '/active' && after === true && divergence === 'drifted',
  );
  return isSwitchedOff ? [{ code: 'switched_off', ref, key, permit: { kind: 'override', value: key } }] : [];
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
  if (change.action === 'delete' || flag === undefined) return [];
  if (change.body['filters'] === undefined && change.body['active'] !== true) return [];
  return flag.dependsOn.flatMap((dependency): FlagWarning[] => {
    const other = flags.get(dependency);
    if (other === undefined) return [{ code: 'dependency_missing', key: change.key, dependency }];
    const isEverOn = other.active || (!flag.active && live.get(dependency)?.active === true);
    return isEverOn ? [] : [{ code: 'dependency_disabled', key: change.key, dependency }];
  });
}
