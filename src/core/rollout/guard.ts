/** Guards of rollouts: what each looks at, and what a reading of it says about a step. A guard only delays: it turns nothing off. */

import type { JsonValue } from '../../base/json.ts';
import { MOST_OFF_MS } from '../../base/times.ts';

/** What a guard looks at: an alert of the service, by name, or a verdict of the file that the run was given. */
export type GuardSource = { readonly alert: string } | { readonly verdict: string };

export interface Guard {
  readonly name: string;
  readonly source: GuardSource;
  /** A reading that is older says nothing, in ms. */
  readonly maxAge: number;
  /** A step that waits for longer is overdue, in ms. */
  readonly patience: number;
  /** The projects whose rollouts it guards; absent: all. */
  readonly projects?: readonly string[];
}

export const DEFAULT_MAX_AGE_MS = 86_400_000;
export const DEFAULT_PATIENCE_MS = 86_400_000;

/** Why it is not known whether something is wrong. */
export const UNKNOWN_REASONS = [
  // Nothing that was read declares the guard.
  'undeclared',
  // The run was given no verdicts, or it reads nothing of the service.
  'not_given',
  'not_read',
  'file_unread',
  'not_in_file',
  // The key lacks `alert:read`, the service has no alerts, or it failed.
  'no_scope',
  'not_supported',
  'failed',
  // Of alerts: none has the name, or several have; somebody disabled or snoozed it; its check failed, or there was none.
  'missing',
  'ambiguous',
  'disabled',
  'snoozed',
  'errored',
  'never_checked',
  // Somebody edited the alert, which sets it to not firing without a check.
  'reset',
  'state_unknown',
  // Of the time: not after the last step, older than `max_age`, or still to come.
  'before_step',
  'too_old',
  'in_future',
] as const;

export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** What the source of a guard says, before its time is looked at. */
export type Sighting =
  | { readonly says: 'pass'; readonly at: string; readonly reason?: string }
  /** `at`: absent if the service does not tell. */
  | { readonly says: 'hold'; readonly at?: string; readonly reason?: string }
  | { readonly says: 'unknown'; readonly why: UnknownReason; readonly at?: string; readonly detail?: string };

/** What a guard says about a step. `reason`, `detail`: untrusted text of who gave the verdict, and of the service. */
export type GuardReading = Sighting & { readonly guard: string; readonly source?: GuardSource };

interface Asked {
  /** When the step before was made; absent: none was. */
  readonly since?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A source that fires or holds is not asked for its age: who waits for too long is overdue. */
export function readGuard({ name, source, maxAge }: Guard, sighting: Sighting, { since, now }: Asked): GuardReading {
  const { says, at } = sighting;
  const time = at === undefined ? undefined : Date.parse(at);
  const why = says === 'unknown' || time === undefined ? undefined : doubtOf(time, { says, since, maxAge, now });
  const seen: Sighting = why === undefined ? sighting : { says: 'unknown', why, ...(at === undefined ? {} : { at }) };
  return { guard: name, source, ...seen };
}

function doubtOf(
  time: number,
  { says, since, maxAge, now }: Asked & Pick<Guard, 'maxAge'> & Pick<Sighting, 'says'>,
): UnknownReason | undefined {
  if (time > now + MOST_OFF_MS) return 'in_future';
  if (says === 'hold') return undefined;
  if (since !== undefined && time <= Date.parse(since)) return 'before_step';
  return now - time > maxAge ? 'too_old' : undefined;
}

/** Readings that failed: a run that could not look is no success. */
const FAILED: ReadonlySet<UnknownReason> = new Set([
  'undeclared',
  'file_unread',
  'no_scope',
  'not_supported',
  'failed',
]);

export function isFailedReading(reading: GuardReading): boolean {
  return reading.says === 'unknown' && FAILED.has(reading.why);
}

/** Whether a step gives the flag to more people: a step that narrows, or turns off, is never guarded. */
export function isWidening(before: JsonValue, after: JsonValue): boolean {
  return Number(after) > Number(before);
}
