/** What in the service uses a flag: experiments, surveys, session replay, people who enrolled. What a change of the flag does to them. */

import { arrayOrEmpty, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ChangeOfLive, FlagRisk, FlagUses, FlagWarning, UseAffected } from './change.ts';
import { afterWrite } from './comparison.ts';
import type { ExperimentSummary, Flag } from './model/flag.ts';
import { viewFilters } from './model/view.ts';
import { disables } from './split-change.ts';

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
export function riskUses(change: ChangeOfLive, live: Flag): FlagRisk[] {
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
export function warnOfUses(change: ChangeOfLive, live: Flag): FlagWarning[] {
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
