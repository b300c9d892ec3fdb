/** The changes of flags that the service is to make later (docs/service.md, "Scheduled changes"), as a plan warns of them. */

import { comparing } from '../../base/compare-strings.ts';
import { objectOrEmpty, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FlagWarning } from './change.ts';

export interface ScheduledChange extends JsonObject {
  readonly id: number;
  /** The flag's id. */
  readonly record_id: string;
  /** ISO 8601, UTC. */
  readonly scheduled_at: string;
}

/** Changes still to come, by the flag's id. */
export type Schedules = ReadonlyMap<number, readonly ScheduledChange[]>;

export function pendingByFlag(schedules: readonly ScheduledChange[]): Schedules {
  const byFlag = new Map<number, ScheduledChange[]>();
  for (const schedule of schedules.filter(isPending).toSorted(comparing(({ scheduled_at: at }) => at))) {
    const id = Number(schedule.record_id);
    byFlag.set(id, [...(byFlag.get(id) ?? []), schedule]);
  }
  return byFlag;
}

export function warnOfSchedules(
  { key, id }: { readonly key: string; readonly id: number },
  schedules: Schedules,
): readonly FlagWarning[] {
  return (schedules.get(id) ?? []).map((schedule) => {
    const { payload } = schedule;
    const { operation, value } = objectOrEmpty(payload);
    return {
      code: 'scheduled' as const,
      key,
      id: schedule.id,
      at: schedule.scheduled_at,
      operation: typeof operation === 'string' ? operation : 'unknown',
      ...(typeof value === 'boolean' ? { value } : {}),
      ...defined({ repeats: repetition(schedule) }),
    };
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
