/** Who set the values of live resources that differ, and the recorded writes of flagwright to recognize among the edits of users. These facts are not part of the plan's fingerprint. */

import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { Change } from '../plan.ts';

/** Keys are the ref of the change, then the path of the field; the path of a change without fields is empty. */
export type Attributions = ReadonlyMap<string, ReadonlyMap<string, Attribution>>;

export type Attribution = KnownAttribution | UnknownAttribution;

export interface KnownAttribution {
  readonly kind: 'known';
  /** E-mail address or name; absent if the service names nobody. */
  readonly by?: string;
  /** ISO 8601, as the service wrote it. */
  readonly at: string;
  readonly via: Via;
  /** The API client's own name. */
  readonly client?: string;
  /** The recorded run of flagwright. */
  readonly run?: string;
  /** The run was one of `off`. */
  readonly off?: { readonly reason?: string };
  /** The resource has had the value since this creation. */
  readonly created?: true;
}

/**
 * `web_or_key`: the web interface, or an API client that does not name itself: the log does not distinguish them. `api_client`: one that
 * does. `apply`: flagwright, here or elsewhere. `staff`: PostHog's staff, in the name of the user. `system`: no user.
 */
export type Via =
  'web_or_key' | 'api_client' | 'apply' | 'schedule' | 'experiment' | 'early_access' | 'staff' | 'system';

export interface UnknownAttribution {
  readonly kind: 'unknown';
  readonly reason: UnknownAuthor;
  /** The authors of overlapping edits, the newest first. */
  readonly people?: readonly string[];
}

/**
 * `forbidden`: this API key may not read the log. `unreadable`: the log could not be read. `too_old`: older than the log.
 * `too_long`: not in the part of the log that is read. `overlapping`: several edits made the value. `not_logged`: the log does
 * not have such changes.
 */
export type UnknownAuthor = 'forbidden' | 'unreadable' | 'too_old' | 'too_long' | 'overlapping' | 'not_logged';

export interface OwnWrite {
  readonly run: string;
  readonly change: Change;
  /** The id of the resource. */
  readonly id: ResourceId;
  /** When the request was sent and answered, ISO 8601, by the clock of this machine. */
  readonly from: string;
  readonly until: string;
}

/** The clocks of the service and of this machine may differ by so much. */
const CLOCK_DIFFERENCE_MS = 60_000;

type Times = Pick<OwnWrite, 'from' | 'until'>;

export function wasWrittenAt(write: Times, at: string): boolean {
  return distanceTo(write, at) <= CLOCK_DIFFERENCE_MS;
}

/** The milliseconds between a time and the write; 0 while it took place. */
export function distanceTo({ from, until }: Times, at: string): number {
  const time = Date.parse(at);
  return Math.max(0, Date.parse(from) - time, time - Date.parse(until));
}
