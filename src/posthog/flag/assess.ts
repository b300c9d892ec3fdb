/** The consequences of flag changes: harm to experiments and dependents, and refusals to expect. The service decides in the end. */

import { reach, targetsFirst } from '../../base/graph.ts';
import { defined } from '../../base/optional.ts';
import { isPartial } from '../../engine/change.ts';
import type { Skipped } from '../../engine/matched.ts';
import type { Permit } from '../../engine/safety.ts';
import type { Change } from '../plan.ts';
import {
  disables,
  type FlagChange,
  type FlagRisk,
  type FlagWarning,
  type ChangeOfLive,
  type FlagUses,
  type UseAffected,
} from './change.ts';
import type { Flag, ExperimentSummary } from './model/flag.ts';
import { afterWrite } from './comparison.ts';
import { changedParts, predictChanges, type Schedules } from './schedules.ts';
import {
  type DependencyGraph,
  flagsAfterPlan,
  type FlagsAfterPlan,
  type FlagSnapshot,
  remainingDependents,
  revertedValues,
} from './snapshot.ts';
import {
  arrayOrEmpty,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  isJsonArray,
  memberOf,
} from '../../base/json.ts';
import { viewFilters } from './model/view.ts';

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
  left: readonly Skipped[],
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

/** Absent members: nothing, or the service does not say it. */
export function usesOf(flag: Flag): FlagUses {
  const { experiment_set: set, experiment_set_metadata: metadata } = flag;
  const known = listOf(metadata).filter((one) => typeof one.is_running === 'boolean');
  const { feature_enrollment: enrols = null, super_groups: groups } = { ...flag.filters };
  return defined({
    experiments: unlessEmpty(runningExperiments(flag).map(({ id }) => id)),
    linked: unlessEmpty(listOf(set).filter((id) => known.every((one) => one.id !== id))),
    surveys: unlessEmpty(arrayOrEmpty(flag['surveys']).map(nameOf)),
    replay: flag['is_used_in_replay_settings'] === true ? (true as const) : undefined,
    enrolment: enrols === true || arrayOrEmpty(groups).length > 0 ? (true as const) : undefined,
  });
}

/** Services say which experiments run since 2026. */
export function runningExperiments({ experiment_set_metadata: experiments }: Flag): readonly ExperimentSummary[] {
  return listOf(experiments).filter((one) => one.is_running === true);
}

/** What the service refuses since 2026, when it began to say what uses a flag. */
function riskUses(change: ChangeOfLive, live: Flag): FlagRisk[] {
  const { ref, key } = change;
  const isReplay = change.action === 'delete' && usesOf(live).replay === true;
  const running = runningExperiments(live);
  const variants = running.length === 0 ? [] : removedVariants(sharesOf(change));
  return [
    ...(isReplay ? [{ code: 'replay_linked', ref, key } as const] : []),
    ...(variants.length === 0
      ? []
      : [{ code: 'experiment_variants', ref, key, variants, experiments: named(running) } as const]),
  ];
}

/** What goes through and harms somebody. A hazard names what the service refuses, and other harm of a delete. */
function warnOfUses(change: ChangeOfLive, live: Flag): FlagWarning[] {
  if (change.action === 'restore') return [];
  const { experiments, linked, surveys, replay, enrolment } = usesOf(live);
  const flag = { key: change.key, id: live.id };
  const isRenamed = change.fields.some(({ path }) => path === '/key');
  return [
    ...(change.action === 'delete' ? affected(flag, 'delete', { surveys }) : []),
    ...(disables(change) ? warnOfOff(live, change.key) : []),
    ...(isRenamed ? affected(flag, 'rename', { experiments, linked, replay, enrolment }) : []),
    ...affected(flag, 'shares', { experiments, linked }).filter(() => sharesChange(change)),
  ];
}

/** The uses of a flag that nobody gets any more. */
export function warnOfOff(live: Flag, key: string = live.key): FlagWarning[] {
  const { experiments, linked, surveys, replay } = usesOf(live);
  return affected({ key, id: live.id }, 'disable', { experiments, linked, surveys, replay });
}

function affected(
  { key, id }: Pick<UseAffected, 'key' | 'id'>,
  action: UseAffected['action'],
  uses: { readonly [Use in keyof FlagUses]: FlagUses[Use] | undefined },
): UseAffected[] {
  const found: FlagUses = defined(uses);
  return Object.keys(found).length === 0 ? [] : [{ code: 'use_affected', key, id, action, ...found }];
}

function removedVariants([before, after]: VariantShares): readonly string[] {
  return Object.keys(before).filter((key) => !Object.hasOwn(after, key));
}

/** Whether variants get other shares; a hazard names those that are removed. */
function sharesChange(change: ChangeOfLive): boolean {
  const shares = sharesOf(change);
  const [before, after] = shares;
  return removedVariants(shares).length === 0 && Object.keys(before).length > 0 && !jsonEquals(before, after);
}

type VariantShares = readonly [before: JsonObject, after: JsonObject];

function sharesOf({ action, base, body }: ChangeOfLive): VariantShares {
  if (action !== 'update' || body['filters'] === undefined) return [{}, {}];
  const sides = [base.flag, afterWrite(base.flag, body)].map(({ filters }) =>
    Object.fromEntries(viewFilters(filters).variants.map(({ part }) => [part.key, part.rollout_percentage])),
  );
  return [sides[0] ?? {}, sides[1] ?? {}];
}

function named(experiments: readonly ExperimentSummary[]): readonly { readonly id: number; readonly name?: string }[] {
  return experiments.map(({ id, name }) => ({
    id,
    ...defined({ name: name === '' ? undefined : (name ?? undefined) }),
  }));
}

/** The name of a survey, else its id. */
function nameOf(one: JsonValue): string {
  const name = isJsonObject(one) ? (one['name'] ?? one['id']) : one;
  return typeof name === 'string' || typeof name === 'number' ? String(name) : '?';
}

/** Old flags may hold anything where the service computes a list. */
function listOf<Item>(value: readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Whether the service refuses to disable or delete what active flags use. Since 2025, like the counter of updates. */
export function protectsUsed(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.version !== undefined);
}

/** Whether the service refuses to enable a flag that depends on a disabled one. Since 2026, like the archive. */
function refusesDisabledDependencies(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.archived !== undefined);
}

/** Whether the service has actions that switch the flag without a body. Since 2026, like the archive; not of a flag with rules. */
export function hasActions(flag: Flag | undefined): boolean {
  return flag?.archived !== undefined && !viewFilters(flag.filters).isOpaque;
}

/** The active flags that depend on the flag, directly or not: each before those that it depends on. */
function dependentsFirst(key: string, { dependents }: FlagsAfterPlan): readonly string[] {
  return inOrder(key, (other) => dependents.get(other) ?? []);
}

/** The disabled flags on which the flag depends, directly or not: each after those that it depends on. */
function dependenciesFirst(key: string, { flags }: FlagsAfterPlan): readonly string[] {
  return inOrder(key, (other) => disabledDependencies(other, flags));
}

/** Dependencies that exist. */
function disabledDependencies(key: string, flags: FlagsAfterPlan['flags']): readonly string[] {
  return (flags.get(key)?.dependsOn ?? []).filter((other) => flags.get(other)?.active === false);
}

function inOrder(key: string, next: (key: string) => readonly string[]): readonly string[] {
  const reached = [...reach(next(key), next)].filter((other) => other !== key).toSorted();
  return targetsFirst(new Map(reached.map((other) => [other, next(other)])));
}

/** Parts of filters that decide before the conditions do. */
const EARLIER = ['holdout', 'holdout_groups', 'super_groups', 'feature_enrollment'] as const;

/** The number of conditions that decide about the flag; `undefined` if it has none, or if something else decides before them. */
export function decidingConditions(filters: Flag['filters']): number | undefined {
  if (filters === undefined || viewFilters(filters).isOpaque || EARLIER.some((part) => isSet(memberOf(filters, part))))
    return undefined;
  // An element that is not a condition counts: what the service makes of it is unknown.
  const count = filters.groups?.length ?? 0;
  return count === 0 ? undefined : count;
}

function isSet(value: JsonValue | undefined): boolean {
  return isJsonArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
}

/** Fields that the service lets a flag with opaque filters change in some projects. */
const UNCERTAIN: readonly string[] = ['key', 'name', 'tags'];
/** Fields that it lets such a flag change to one value in every project. */
const SAFE: Readonly<Record<string, JsonValue>> = { active: false, deleted: true };

interface OpaqueOutcome {
  /** The differing fields that can be sent. */
  readonly writable: readonly string[];
  readonly warnings: readonly FlagWarning[];
}

interface OpaqueComparison {
  readonly key: string;
  readonly wanted: JsonObject;
  readonly live: Flag;
  /** The format of the live filters, or of the declared ones if those are not opaque. */
  readonly format: string;
}

/** Decides which differing fields are sent if the live or the declared filters are opaque, and the warnings. */
export function splitByFormat(
  differing: readonly string[],
  { key, wanted, live, format }: OpaqueComparison,
): OpaqueOutcome {
  const own = viewFilters(live.filters).opaqueVersion;
  const isSafe = (field: string): boolean => Object.hasOwn(SAFE, field) && SAFE[field] === memberOf(wanted, field);
  const isUncertain = (field: string): boolean => UNCERTAIN.includes(field) || field === 'active';
  const isClosed = (field: string): boolean =>
    own === undefined ? field === 'filters' : !isSafe(field) && !isUncertain(field);
  const omitted = differing.filter(isClosed);
  const uncertain = own === undefined ? [] : differing.filter((field) => !isSafe(field) && isUncertain(field));
  const writable = differing.filter((field) => !isClosed(field));
  const gated = own === undefined ? [] : writable;
  const isNotable = omitted.length + gated.length > 0;
  return {
    writable,
    warnings: isNotable ? [{ code: 'filters_opaque', key, format, omitted, uncertain, ...gatedOf(gated) }] : [],
  };
}

/** What to warn about where a flag is deleted. */
function warnOfOpaqueDelete(key: string, { filters }: Flag): FlagWarning[] {
  const format = viewFilters(filters).opaqueVersion;
  if (format === undefined) return [];
  return [{ code: 'filters_opaque', key, format, omitted: [], uncertain: [], gated: ['deleted'] }];
}

function gatedOf(gated: readonly string[]): { readonly gated?: readonly string[] } {
  return gated.length === 0 ? {} : { gated };
}

/** A flag that cannot be created, since its declared filters are opaque; `undefined` for any other. */
export function warnOfOpaqueCreate(key: string, filters: JsonValue | undefined): FlagWarning | undefined {
  const format = viewFilters(filters).opaqueVersion;
  return format === undefined ? undefined : { code: 'create_opaque', key, format };
}
