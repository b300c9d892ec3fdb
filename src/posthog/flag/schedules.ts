/**
 * Changes of flags that the service will make later (docs/service/scheduled-changes.md): which are still to come, and what each does to
 * its flag.
 */

import { comparing } from '../../base/compare-strings.ts';
import { groupBy } from '../../base/group.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { plainText } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import type { FlagPart, FlagWarning } from './change.ts';
import { comparableFields, keyOnWire } from './comparison.ts';
import { type Flag, type FlagNames, viewFilters } from './model/flag.ts';
import { mapReferences } from './model/references.ts';

export interface ScheduledChange extends JsonObject {
  readonly id: number;
  /** The flag's id. */
  readonly record_id: string;
  /** ISO 8601, UTC. */
  readonly scheduled_at: string;
}

/** Why they are unknown: the API key may not read them, or the request failed. There may be some. */
export type UnknownSchedules = 'forbidden' | 'failed';

/** Changes still to come, by the flag's id. */
export type Schedules = ReadonlyMap<number, readonly ScheduledChange[]>;

export function pendingByFlag(schedules: readonly ScheduledChange[]): Schedules {
  const pending = schedules.filter(isPending).toSorted(comparing(({ scheduled_at: at }) => at));
  return groupBy(pending, ({ record_id: id }) => Number(id));
}

/** A scheduled change of a flag, as warnings name it. */
export type ScheduleFacts = Omit<Extract<FlagWarning, { readonly code: 'scheduled' }>, 'code'>;

export function toFacts(key: string, schedule: ScheduledChange): ScheduleFacts {
  const { operation, value } = objectOrEmpty(schedule['payload']);
  return {
    key,
    id: schedule.id,
    at: schedule.scheduled_at,
    operation: typeof operation === 'string' ? operation : 'unknown',
    ...(typeof value === 'boolean' ? { value } : {}),
    ...defined({ repeats: repetition(schedule) }),
  };
}

/** Scheduled changes that turn on a flag that is off, or whose effect this release does not know, in the order of their times. */
export function schedulesAgainstOff(
  flags: readonly Flag[],
  schedules: readonly ScheduledChange[],
): readonly ScheduleFacts[] {
  const byFlag = pendingByFlag(schedules);
  return flags.flatMap(({ id, key, archived }) => {
    const facts = (byFlag.get(id) ?? []).filter(isMade).map((schedule) => toFacts(key, schedule));
    const turnsOn = ({ operation, value }: ScheduleFacts): boolean =>
      operation === 'update_status' ? value !== false && archived !== true : !OPERATIONS.has(operation);
    return facts.filter(turnsOn);
  });
}

/** A repeated change stays pending. A paused one keeps its repetition but no longer recurs, and is not made. */
function isPending(schedule: ScheduledChange): boolean {
  if (typeof schedule['executed_at'] === 'string') return false;
  return schedule['is_recurring'] === true || repetition({ ...schedule, is_recurring: true }) === undefined;
}

function repetition({
  is_recurring: recurs,
  recurrence_interval: interval,
  cron_expression: cron,
}: JsonObject): string | undefined {
  if (recurs !== true) return undefined;
  return [interval, cron].find((text): text is string => typeof text === 'string' && text !== '');
}

/** The change request that was bound to it, by its state; absent if none was, or if the service does not say. */
export function approvalOf({ change_request: bound }: ScheduledChange): { id: string; state: string } | undefined {
  const { id, state } = objectOrEmpty(bound);
  return typeof id === 'string' && typeof state === 'string' ? { id, state } : undefined;
}

/**
 * Whether the service will make the change: it skips one whose approval was refused. The later times of a repeated change are not skipped.
 */
function isMade(schedule: ScheduledChange): boolean {
  const { state = 'approved' } = approvalOf(schedule) ?? {};
  return ['pending', 'approved'].includes(state) || repetition(schedule) !== undefined;
}

/** One scheduled change, as far as it can be predicted. */
export interface PredictedChange {
  readonly schedule: ScheduledChange;
  /** The flag right before the change, in comparable form: with the changes scheduled before it. */
  readonly before: JsonObject;
  readonly outcome: PredictedOutcome;
}

export type PredictedOutcome =
  /** `after`: in comparable form. */
  | { readonly kind: 'made'; readonly after: JsonObject; readonly parts: readonly FlagPart[] }
  /** It was not approved. */
  | { readonly kind: 'not_approved' }
  /** The service refuses it when it is due. */
  | { readonly kind: 'refused' }
  /** An operation of a later service, or filters of a format that only the service reads. */
  | { readonly kind: 'unknown' };

/** Predicts the changes one after the other. `flag`: in comparable form. */
export function predictChanges(
  flag: JsonObject,
  schedules: readonly ScheduledChange[] = [],
  names: FlagNames,
): readonly PredictedChange[] {
  let before = flag;
  return schedules.map((schedule) => {
    const outcome: PredictedOutcome = isMade(schedule) ? predict(before, schedule, names) : { kind: 'not_approved' };
    const predicted = { schedule, before, outcome };
    if (outcome.kind === 'made') before = outcome.after;
    return predicted;
  });
}

function predict(before: JsonObject, { payload }: ScheduledChange, names: FlagNames): PredictedOutcome {
  const { operation, value } = objectOrEmpty(payload);
  const written = OPERATIONS.get(plainText(operation ?? null))?.(before, value, names) ?? 'unknown';
  if (typeof written === 'string') return { kind: written };
  const after = { ...before, ...comparableFields(written, before, names) };
  return { kind: 'made', after, parts: changedParts(before, after) };
}

/** The fields that the service writes; `undefined` where they cannot be known. */
type PredictedOperation = (
  before: JsonObject,
  value: JsonValue | undefined,
  names: FlagNames,
) => JsonObject | 'refused' | undefined;

const OPERATIONS: ReadonlyMap<string, PredictedOperation> = new Map<string, PredictedOperation>([
  [
    'update_status',
    ({ archived }, value) => {
      if (typeof value !== 'boolean') return undefined;
      return value && archived === true ? 'refused' : { active: value };
    },
  ],
  [
    'add_release_condition',
    // Conditions are appended, never replaced: several changes add up.
    ({ filters }, value, names) => {
      const { groups: added } = objectOrEmpty(value);
      if (!isReadable(filters) || !isJsonArray(added)) return undefined;
      const keyOf = (reference: string | number): string | number => keyOnWire(reference, names);
      const { groups } = mapReferences({ groups: added }, { flag: keyOf });
      return { filters: { ...filters, groups: [...arrayOrEmpty(filters['groups']), ...arrayOrEmpty(groups)] } };
    },
  ],
  [
    'update_variants',
    // Payloads are replaced with the variants, by none if the change has none.
    ({ filters }, value) => {
      const { variants, payloads = {} } = objectOrEmpty(value);
      if (!isReadable(filters) || !isJsonArray(variants) || !isJsonObject(payloads)) return undefined;
      // The service fails on null, which most flags without variants have, and the comparable form does not tell it from an absent value.
      const { multivariate } = filters;
      if (!isJsonObject(multivariate)) return undefined;
      const all = variants.map(objectOrEmpty);
      const total = all.reduce((sum, { rollout_percentage: share }) => sum + Number(share ?? 0), 0);
      const isKnown = (key: string): boolean => all.some((variant) => variant['key'] === key);
      if (total !== 100 || !Object.keys(payloads).every(isKnown)) return 'refused';
      return { filters: { ...filters, multivariate: { ...multivariate, variants }, payloads } };
    },
  ],
]);

function isReadable(filters: JsonValue | undefined): filters is JsonObject {
  return isJsonObject(filters) && !viewFilters(filters).isOpaque;
}

/** The parts in which two states of a flag differ, both in comparable form. */
export function changedParts(before: JsonObject, after: JsonObject): FlagPart[] {
  const differs = (names: readonly string[], one: JsonObject, other: JsonObject): boolean =>
    names.some((name) => !jsonEquals(memberOf(one, name) ?? null, memberOf(other, name) ?? null));
  const filters = [objectOrEmpty(before['filters']), objectOrEmpty(after['filters'])] as const;
  return [
    ...(differs(['active'], before, after) ? (['active'] as const) : []),
    ...(differs(['groups'], ...filters) ? (['conditions'] as const) : []),
    ...(differs(['multivariate', 'payloads'], ...filters) ? (['variants'] as const) : []),
  ];
}
