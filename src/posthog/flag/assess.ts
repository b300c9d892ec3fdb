/**
 * The consequences of flag changes: harm to experiments, dependents and whatever else uses a flag, and refusals to expect. The service
 * decides in the end.
 */

import { reach, targetsFirst } from '../../base/graph.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { isPartial } from '../../core/engine/change.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import type { Permit } from '../../core/engine/exceptions.ts';
import type { Change } from '../plan.ts';
import {
  disables,
  type ChangeOfLive,
  type FlagChange,
  type FlagRisk,
  type FlagUses,
  type FlagWarning,
  type UseAffected,
} from './change.ts';
import { afterWrite } from './comparison.ts';
import { type ExperimentSummary, type Flag, viewFilters } from './model/flag.ts';
import { changedParts, predictChanges, type Schedules } from './schedules.ts';
import {
  type DependencyGraph,
  type Disabling,
  flagsAfterPlan,
  type FlagsAfterPlan,
  type FlagSnapshot,
  remainingDependents,
  revertedValues,
} from './snapshot.ts';

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
  live: FlagsToAssess,
  left: readonly LeftChange[],
): FlagAssessment {
  const own = changes.filter((change) => change.resource === 'flag');
  const after = flagsAfterPlan(changes, live.flags);
  const kept = new Set(left.flatMap(({ resource, key }) => (resource === 'flag' ? key : [])));
  const judged = own.map((change) => judge(change, { flags: live.flags, after, kept }));
  return {
    risks: [
      ...judged.flatMap(({ risks }) => risks),
      ...(kept.size === 0 ? [] : own.flatMap((change) => riskLeft(change, after.flags, kept))),
      ...riskScheduled(own, live),
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
  const { key } = change;
  const live = change.action === 'create' ? undefined : flags.byId(change.id);
  const used = riskDependents(change, live, around);
  const enabled = riskEnabled(change, around);
  return {
    risks: [
      ...(change.action === 'create' || live === undefined ? [] : riskUses(change, live)),
      ...used,
      ...enabled,
      ...riskSwitch(change, flags),
    ],
    warnings: [
      ...(change.action === 'create' || live === undefined ? [] : warnOfUses(change, live)),
      ...warnOfSwitch(change, flags),
      // Warnings do not repeat a refusal that a risk states and that cannot be lifted.
      ...used.flatMap(({ permit, dependents }): FlagWarning[] =>
        permit === undefined ? [] : [{ code: 'dependents_remain', key, dependents }],
      ),
      ...(enabled.length > 0 ? [] : warnOfDependencies(change, after.flags, flags.graph())),
    ],
  };
}

/** Running experiments and session replay: the service refuses it since 2026, when it began to say what uses a flag. */
function riskUses(change: ChangeOfLive, live: Flag): FlagRisk[] {
  const { ref, key } = change;
  const isDeleted = change.action === 'delete';
  const experiments = isDeleted ? (live.experiment_set ?? []) : [];
  const running = runningExperiments(live);
  const variants = running.length === 0 ? [] : removedVariants(sharesOf(change));
  const risks: FlagRisk[] = [];
  if (experiments.length > 0)
    risks.push({ code: 'experiments', ref, key, experiments, ...permitUnless(running.length > 0, key) });
  if (isDeleted && usesOf(live).replay === true) risks.push({ code: 'replay_linked', ref, key });
  if (variants.length > 0) {
    const named = running.map(({ id, name }) => ({
      id,
      ...defined({ name: name === '' || name === null ? undefined : name }),
    }));
    risks.push({ code: 'experiment_variants', ref, key, variants, experiments: named });
  }
  return risks;
}

function riskDependents(
  change: FlagChange,
  live: Flag | undefined,
  { flags, after }: FlagsAround,
): Extract<FlagRisk, { code: 'dependents' }>[] {
  const dependents = remainingDependents(change, after);
  if (dependents.length === 0) return [];
  const { ref, key } = change;
  const action = change.action === 'delete' ? 'delete' : 'disable';
  const conditions = action === 'delete' ? undefined : decidingConditions(live?.filters);
  const first = inOrder(key, (other) => after.dependents.get(other) ?? []);
  const permit = permitUnless(protectsUsed(flags.all), key);
  return [{ code: 'dependents', ref, key, action, dependents, first, ...defined({ conditions }), ...permit }];
}

function permitUnless(isRefused: boolean, key: string): { readonly permit?: Permit } {
  return isRefused ? {} : { permit: { kind: 'risky', value: key } };
}

/** Whether the service refuses to disable or delete what active flags use. Since 2025, like the counter of updates. */
export function protectsUsed(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.version !== undefined);
}

/** `dependency_left` covers flags that are left. */
function riskEnabled(change: FlagChange, { flags, after, kept }: FlagsAround): FlagRisk[] {
  const { action, ref, key, body } = change;
  const enables = action === 'create' || action === 'restore' || (action === 'update' && body['active'] === true);
  // The service refuses to enable a flag that depends on a disabled one since 2026, like the archive.
  const isRefused = flags.all.some((flag) => flag.archived !== undefined);
  if (!enables || !isRefused || after.flags.get(key)?.active !== true) return [];
  const disabled = (dependent: string): readonly string[] =>
    (after.flags.get(dependent)?.dependsOn ?? []).filter((other) => after.flags.get(other)?.active === false);
  const dependencies = disabled(key).filter((other) => !kept.has(other));
  if (dependencies.length === 0) return [];
  return [{ code: 'dependencies_disabled', ref, key, dependencies, first: inOrder(key, disabled) }];
}

/** What leads to the flag, directly or not, without the flag: each after those that it leads to. */
function inOrder(key: string, next: (key: string) => readonly string[]): readonly string[] {
  const reached = [...reach(next(key), next)].filter((other) => other !== key).toSorted();
  return targetsFirst(new Map(reached.map((other) => [other, next(other)])));
}

/** Somebody disabled it, perhaps in an emergency. */
function riskSwitch(change: FlagChange, flags: FlagSnapshot): FlagRisk[] {
  const { ref, key, fields } = change;
  const { turnedOff } = flags;
  const off = change.id === undefined ? undefined : turnedOff?.get(change.id);
  const isRestored = change.action === 'restore';
  const permit = { kind: 'override', value: key } as const;
  const risk = (isDeleted: boolean, run: typeof off): FlagRisk[] => [
    {
      code: 'switched_off',
      ref,
      key,
      ...(isDeleted ? { deleted: true as const } : {}),
      ...defined({ off: run }),
      permit,
    },
  ];
  if (off !== undefined && change.action !== 'delete' && revertedValues(fields, off).length > 0)
    return risk(isRestored, off);
  const edit = disablingOf(change, flags);
  if (edit?.afterCommit === true) {
    const { at, by } = edit;
    return [{ code: 'switched_off', ref, key, edit: { at, ...defined({ by }) }, permit }];
  }
  const isDrifted = (pointer: string): boolean =>
    fields.some(({ path, divergence }) => path === pointer && divergence === 'drifted');
  const isUndeleted = isRestored && isDrifted('/deleted');
  const isOn = change.action !== 'create' && (change.body['active'] ?? change.base.flag['active']) === true;
  return isOn && (isUndeleted || isDrifted('/active')) ? risk(isUndeleted, undefined) : [];
}

/** Who disabled the flag that the change enables. */
function disablingOf(change: FlagChange, { disablings }: FlagSnapshot): Disabling | undefined {
  return change.action === 'update' && change.body['active'] === true ? disablings?.get(change.id) : undefined;
}

/** Without a commit that is known to be older, git may have decided to turn it on since. */
function warnOfSwitch(change: FlagChange, flags: FlagSnapshot): FlagWarning[] {
  const edit = disablingOf(change, flags);
  if (edit === undefined || edit.afterCommit) return [];
  return [{ code: 'turned_off', key: change.key, at: edit.at, ...defined({ by: edit.by }) }];
}

/** A change that needs a flag whose live edit the plan leaves. */
function riskLeft(change: FlagChange, flags: DependencyGraph, kept: ReadonlySet<string>): FlagRisk[] {
  if (!needsDependencies(change)) return [];
  const { ref, key: dependent } = change;
  const next = (key: string): readonly string[] => flags.get(key)?.dependsOn ?? [];
  const leadsBack = (key: string): boolean => reach([key], next).has(dependent);
  type Why = Extract<FlagRisk, { code: 'dependency_left' }>['why'];
  const risk = (key: string, why: Why): FlagRisk => ({
    ...{ code: 'dependency_left', ref, key, dependent, why },
    permit: { kind: 'override', value: key },
  });
  return next(dependent).flatMap((dependency): FlagRisk[] => {
    const other = flags.get(dependency);
    if (kept.has(dependency) && other?.active !== true)
      return [risk(dependency, other === undefined ? 'deleted' : 'disabled')];
    if (!leadsBack(dependency)) return [];
    const key = [...reach([dependency], next)].find((one) => kept.has(one) && leadsBack(one));
    return key === undefined ? [] : [risk(key, 'cycle')];
  });
}

/**
 * Scheduled changes of parts that the plan changes too: the service would soon overwrite them, or combine both in a way that nobody
 * reviewed. A scheduled change that changes nothing after the plan is no conflict, and one of an unknown operation may touch anything.
 */
function riskScheduled(changes: readonly FlagChange[], { flags, schedules }: FlagsToAssess): FlagRisk[] {
  return [...schedules].flatMap(([id, scheduled]): FlagRisk[] => {
    const own = changes.flatMap((change) => (change.action === 'update' && change.id === id ? [change] : []));
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

/**
 * The service refuses conditions on a flag that does not exist, or that is disabled when they are written. A flag that the
 * plan disables is disabled after them.
 */
function warnOfDependencies(change: FlagChange, flags: DependencyGraph, live: DependencyGraph): FlagWarning[] {
  const { key } = change;
  const flag = flags.get(key);
  if (flag === undefined || !needsDependencies(change)) return [];
  return flag.dependsOn.flatMap((dependency): FlagWarning[] => {
    const other = flags.get(dependency);
    if (other === undefined) return [{ code: 'dependency_missing', key, dependency }];
    const isEverOn = other.active || (!flag.active && live.get(dependency)?.active === true);
    return isEverOn ? [] : [{ code: 'dependency_disabled', key, dependency }];
  });
}

/** What goes through and harms somebody. A hazard names what the service refuses, and other harm of a delete. */
function warnOfUses(change: ChangeOfLive, live: Flag): FlagWarning[] {
  const { action, fields, key } = change;
  const flag = { key, id: live.id };
  const { experiments, linked, surveys, replay, enrollment } = usesOf(live);
  const { experiment_set: set } = live;
  const { opaqueVersion: format } = viewFilters(live.filters);
  const warnings: FlagWarning[] = [];
  if (!isPartial(change)) {
    if (live.can_edit === false) warnings.push({ code: 'cannot_edit', ...flag });
    if (action === 'delete' && set && set.length > 0)
      warnings.push({ code: 'experiments_linked', ...flag, experiments: set });
    if (action === 'delete' && format !== undefined)
      warnings.push({ code: 'filters_opaque', key, format, omitted: [], uncertain: [], gated: ['deleted'] });
  }
  if (action === 'restore') return warnings;
  const [before, after] = experiments === undefined && linked === undefined ? [{}, {}] : sharesOf(change);
  // A hazard names variants that are removed.
  const isShifted = removedVariants([before, after]).length === 0 && Object.keys(before).length > 0;
  return [
    ...warnings,
    ...(action === 'delete' ? affected(flag, 'delete', { surveys }) : []),
    ...(disables(change) ? warnOfOff(live, key) : []),
    ...(fields.some(({ path }) => path === '/key')
      ? affected(flag, 'rename', { experiments, linked, replay, enrollment })
      : []),
    ...(isShifted && !jsonEquals(before, after) ? affected(flag, 'shares', { experiments, linked }) : []),
  ];
}

/** The uses of a flag that nobody gets any more. */
export function warnOfOff(live: Flag, key: string = live.key): FlagWarning[] {
  const { experiments, linked, surveys, replay } = usesOf(live);
  return affected({ key, id: live.id }, 'disable', { experiments, linked, surveys, replay });
}

function affected(
  flag: Pick<UseAffected, 'key' | 'id'>,
  action: UseAffected['action'],
  uses: { readonly [Use in keyof FlagUses]: FlagUses[Use] | undefined },
): UseAffected[] {
  const found: FlagUses = defined(uses);
  return Object.keys(found).length === 0 ? [] : [{ code: 'use_affected', ...flag, action, ...found }];
}

type VariantShares = readonly [before: JsonObject, after: JsonObject];

function removedVariants([before, after]: VariantShares): readonly string[] {
  return Object.keys(before).filter((key) => !Object.hasOwn(after, key));
}

/** The shares of variants, which only an update changes. */
function sharesOf({ action, base, body }: ChangeOfLive): VariantShares {
  if (action !== 'update' || body['filters'] === undefined) return [{}, {}];
  const shares = ({ filters }: JsonObject): JsonObject =>
    Object.fromEntries(viewFilters(filters).variants.map(({ part }) => [part.key, part.rollout_percentage]));
  return [shares(base.flag), shares(afterWrite(base.flag, body))];
}

/** What in the service uses a flag. Absent members: nothing, or the service does not say it. */
export function usesOf(flag: Flag): FlagUses {
  const { experiment_set: set, experiment_set_metadata: metadata } = flag;
  const known = listOf(metadata).filter((one) => typeof one.is_running === 'boolean');
  const { feature_enrollment: enrols = null, super_groups: groups } = { ...flag.filters };
  return defined({
    experiments: unlessEmpty(runningExperiments(flag).map(({ id }) => id)),
    linked: unlessEmpty(listOf(set).filter((id) => known.every((one) => one.id !== id))),
    surveys: unlessEmpty(
      arrayOrEmpty(flag['surveys']).map((one) => {
        const name = isJsonObject(one) ? (one['name'] ?? one['id']) : one;
        return typeof name === 'string' || typeof name === 'number' ? String(name) : '?';
      }),
    ),
    replay: flag['is_used_in_replay_settings'] === true ? (true as const) : undefined,
    enrollment: enrols === true || arrayOrEmpty(groups).length > 0 ? (true as const) : undefined,
  });
}

/** Services say which experiments run since 2026. */
export function runningExperiments({ experiment_set_metadata: experiments }: Flag): readonly ExperimentSummary[] {
  return listOf(experiments).filter((one) => one.is_running === true);
}

/** Old flags may hold anything where the service computes a list. */
function listOf<Item>(value: readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Parts of filters that decide before the conditions do. */
const EARLIER = ['holdout', 'holdout_groups', 'super_groups', 'feature_enrollment'] as const;

/** The number of conditions that decide about the flag; `undefined` if it has none, or if something else decides before them. */
export function decidingConditions(filters: Flag['filters']): number | undefined {
  const isSet = (value: JsonValue): boolean =>
    isJsonArray(value) ? value.length > 0 : value !== null && value !== false;
  if (filters === undefined || viewFilters(filters).isOpaque) return undefined;
  if (EARLIER.some((part) => isSet(memberOf(filters, part) ?? null))) return undefined;
  // An element that is not a condition counts: what the service makes of it is unknown.
  const count = filters.groups?.length ?? 0;
  return count === 0 ? undefined : count;
}

/** Fields that the service lets a flag with opaque filters change in some projects. (docs/service/rules.md) */
const UNCERTAIN: readonly string[] = ['key', 'name', 'tags', 'active'];
/** Fields that it lets such a flag change to one value in every project. */
const SAFE: Readonly<Record<string, JsonValue>> = { active: false, deleted: true };

/**
 * Decides which differing fields are sent if the live or the declared filters have another format than conditions, such as rules (format
 * version 2), which is compared as it is and never written; and the warnings. `format`: of the live filters, or of the declared ones if those are
 * not opaque.
 */
export function splitByFormat(
  differing: readonly string[],
  {
    key,
    wanted,
    live,
    format,
  }: { readonly key: string; readonly wanted: JsonObject; readonly live: Flag; readonly format: string },
): { readonly writable: readonly string[]; readonly warnings: readonly FlagWarning[] } {
  const { isOpaque } = viewFilters(live.filters);
  const isSafe = (field: string): boolean => Object.hasOwn(SAFE, field) && SAFE[field] === memberOf(wanted, field);
  const isClosed = (field: string): boolean =>
    isOpaque ? !isSafe(field) && !UNCERTAIN.includes(field) : field === 'filters';
  const omitted = differing.filter(isClosed);
  const writable = differing.filter((field) => !isClosed(field));
  const gated = isOpaque ? writable : [];
  if (omitted.length + gated.length === 0) return { writable, warnings: [] };
  const uncertain = gated.filter((field) => !isSafe(field));
  const facts = { format, omitted, uncertain, ...(gated.length === 0 ? {} : { gated }) };
  return { writable, warnings: [{ code: 'filters_opaque', key, ...facts }] };
}
