/** The consequences of flag changes: harm to experiments and dependents, and refusals to expect. The service decides in the end. */

import { reach } from '../../base/graph.ts';
import { defined } from '../../base/optional.ts';
import { isPartial } from '../../engine/change.ts';
import type { Left } from '../../engine/matched.ts';
import type { Permit } from '../../engine/safety.ts';
import type { Change } from '../plan.ts';
import type { FlagChange, FlagRisk, FlagWarning } from './change.ts';
import type { Flag } from './model/flag.ts';
import {
  decidingConditions,
  dependenciesFirst,
  dependentsFirst,
  disabledDependencies,
  protectsUsed,
  refusesDisabledDependencies,
} from './certain-refusals.ts';
import { afterWrite } from './comparison.ts';
import { warnOfOpaqueDelete } from './opaque.ts';
import { changedParts, predictChanges, type Schedules } from './schedules.ts';
import {
  type DependencyGraph,
  flagsAfterPlan,
  type FlagsAfterPlan,
  type FlagSnapshot,
  remainingDependents,
} from './snapshot.ts';
import { revertedValues } from './turned-off.ts';
import { riskUses, runningExperiments, warnOfUses } from './uses.ts';

export interface FlagAssessment {
  readonly risks: readonly FlagRisk[];
  readonly warnings: readonly FlagWarning[];
}

interface FlagsToAssess {
  readonly flags: FlagSnapshot;
  readonly schedules: Schedules;
}

/** `left`: what the run leaves as it is live. */
export function assessFlags(
  changes: readonly Change[],
  { flags, schedules }: FlagsToAssess,
  left: readonly Left[],
): FlagAssessment {
  const after = flagsAfterPlan(changes, flags);
  const kept = new Set(left.flatMap(({ resource, key }) => (resource === 'flag' ? key : [])));
  const around: FlagsAround = { flags, after, kept };
  const judged = changes.flatMap((change) => (change.resource === 'flag' ? [judge(change, around)] : []));
  return {
    risks: [
      ...judged.flatMap(({ risks }) => risks),
      ...riskLeft(changes, around),
      ...riskScheduled(changes, { flags, schedules }),
    ],
    warnings: judged.flatMap(({ warnings }) => warnings),
  };
}

interface FlagsAround {
  readonly flags: FlagSnapshot;
  readonly after: FlagsAfterPlan;
  /** Keys of flags whose live edits the plan leaves. */
  readonly kept: ReadonlySet<string>;
}

function judge(change: FlagChange, around: FlagsAround): FlagAssessment {
  const { flags, after } = around;
  const live = change.action === 'create' ? undefined : flags.byId(change.id);
  const used = riskDependents(change, live, around);
  const enabled = riskEnabled(change, around);
  // Warnings do not repeat a refusal that a risk states and that cannot be lifted.
  const refusals = [
    ...used.flatMap(({ permit, key, dependents }): FlagWarning[] =>
      permit === undefined ? [] : [{ code: 'dependents_remain', key, dependents }],
    ),
    ...(enabled.length > 0 ? [] : warnOfDependencies(change, after.flags, flags.graph())),
  ];
  return {
    risks: [
      ...riskExperiments(change, live),
      ...(change.action === 'create' || live === undefined ? [] : riskUses(change, live)),
      ...used,
      ...enabled,
      ...riskSwitch(change, flags),
    ],
    warnings: [
      ...(isPartial(change) ? [] : warnOfLive(change, live)),
      ...(change.action === 'create' || live === undefined ? [] : warnOfUses(change, live)),
      ...refusals,
    ],
  };
}

function riskExperiments({ action, ref, key }: FlagChange, live: Flag | undefined): FlagRisk[] {
  const experiments = action === 'delete' ? (live?.experiment_set ?? []) : [];
  if (live === undefined || experiments.length === 0) return [];
  return [{ code: 'experiments', ref, key, experiments, ...permitUnless(runningExperiments(live).length > 0, key) }];
}

function riskDependents(
  change: FlagChange,
  live: Flag | undefined,
  { flags, after }: FlagsAround,
): Extract<FlagRisk, { code: 'dependents' }>[] {
  const dependents = remainingDependents(change, after);
  if (dependents.length === 0) return [];
  const { action, ref, key } = change;
  const conditions = action === 'delete' ? undefined : decidingConditions(live?.filters);
  return [
    {
      code: 'dependents',
      ref,
      key,
      action: action === 'delete' ? 'delete' : 'disable',
      dependents,
      first: dependentsFirst(key, after),
      ...defined({ conditions }),
      ...permitUnless(protectsUsed(flags.all), key),
    },
  ];
}

function permitUnless(isRefused: boolean, key: string): { readonly permit?: Permit } {
  return isRefused ? {} : { permit: { kind: 'risky', value: key } };
}

/** `dependency_left` covers flags that are left. */
function riskEnabled(change: FlagChange, { flags, after, kept }: FlagsAround): FlagRisk[] {
  const { action, ref, key, body } = change;
  const enables = action === 'create' || action === 'restore' || (action === 'update' && body['active'] === true);
  if (!enables || after.flags.get(key)?.active !== true || !refusesDisabledDependencies(flags.all)) return [];
  const dependencies = disabledDependencies(key, after.flags).filter((other) => !kept.has(other));
  if (dependencies.length === 0) return [];
  return [{ code: 'dependencies_disabled', ref, key, dependencies, first: dependenciesFirst(key, after) }];
}

/** Somebody disabled it, perhaps in an emergency. */
function riskSwitch(change: FlagChange, { turnedOff }: FlagSnapshot): FlagRisk[] {
  const { ref, key, fields } = change;
  const off = change.id === undefined ? undefined : turnedOff?.get(change.id);
  const deleted = change.action === 'restore' ? { deleted: true as const } : {};
  if (off !== undefined && change.action !== 'delete' && revertedValues(fields, off).length > 0) {
    return [{ code: 'switched_off', ref, key, ...deleted, off, permit: { kind: 'override', value: key } }];
  }
  const isDrifted = (pointer: string): boolean =>
    fields.some(({ path, divergence }) => path === pointer && divergence === 'drifted');
  const isRestored = change.action === 'restore' && isDrifted('/deleted');
  const isOn = change.action !== 'create' && (change.body['active'] ?? change.base.flag['active']) === true;
  if (!isOn || !(isRestored || isDrifted('/active'))) return [];
  const permit = { kind: 'override', value: key } as const;
  return [{ code: 'switched_off', ref, key, ...(isRestored ? { deleted: true as const } : {}), permit }];
}

/** Changes that need a flag whose live edit the plan leaves. */
function riskLeft(changes: readonly Change[], { after: { flags }, kept }: FlagsAround): FlagRisk[] {
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

/**
 * Scheduled changes of parts that the plan changes too: the service would soon overwrite them, or combine both in a way that nobody
 * reviewed. A scheduled change that changes nothing after the plan is no conflict, and one of an unknown operation may touch anything.
 */
function riskScheduled(changes: readonly Change[], { flags, schedules }: FlagsToAssess): FlagRisk[] {
  if (schedules.size === 0) return [];
  const updates = changes.filter((change) => change.resource === 'flag' && change.action === 'update');
  return [...schedules].flatMap(([id, scheduled]): FlagRisk[] => {
    const own = updates.filter((change) => change.id === id);
    const [first] = own;
    if (first === undefined) return [];
    const { flag: before } = first.base;
    const after = own.reduce((flag, { body }) => afterWrite(flag, body), before);
    const planned = changedParts(before, after);
    const met = predictChanges(after, scheduled, flags).flatMap(({ schedule, outcome }) => {
      const touched = outcome.kind === 'made' ? outcome.parts : outcome.kind === 'unknown' ? planned : [];
      return planned.filter((part) => touched.includes(part)).map((part) => ({ schedule, part }));
    });
    const [next] = met;
    if (next === undefined) return [];
    const { ref, key } = first;
    return [
      {
        code: 'schedule_conflict',
        ref,
        key,
        parts: planned.filter((part) => met.some((one) => one.part === part)),
        schedules: [...new Set(met.map(({ schedule }) => schedule.id))],
        at: next.schedule.scheduled_at,
        permit: { kind: 'risky', value: key },
      },
    ];
  });
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
  return change.action === 'delete' ? [...warnings, ...warnOfOpaqueDelete(change.key, live)] : warnings;
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
