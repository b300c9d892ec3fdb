/** The status of a flag: whether it is still in use, by its calls or by its configuration. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import { groupsOf, findFullRollout } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';

export interface FlagStaleness {
  readonly status: 'active' | 'stale' | 'archived' | 'deleted';
  readonly reason: string;
  /** Whether the reason already describes the rollout. */
  readonly isByRollout: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A flag that was not called for this time is stale. So is a fully rolled out flag of this age that was never called. */
const STALE_AFTER_DAYS = 30;

export function flagStatus(flag: StoredFlag, now: Date): FlagStaleness {
  if (flag.deleted) return named('deleted', 'The flag is deleted.');
  if (flag.archived) return named('archived', 'The flag is archived.');
  if (!flag.active) return named('active', 'The flag is disabled; staleness is not determined.');
  const { last_called_at: called } = flag.fields;
  if (typeof called === 'string') {
    const idleDays = daysSince(called, flag, now);
    const reason = `The flag was last called ${Math.floor(idleDays)} days ago.`;
    return named(idleDays > STALE_AFTER_DAYS ? 'stale' : 'active', reason);
  }
  const rollout = daysSince(flag.createdAt, flag, now) > STALE_AFTER_DAYS ? findFullRollout(flag.filters) : undefined;
  if (rollout === undefined) return named('active', 'The flag has not been called yet.');
  const value = rollout.variant === null ? 'on' : `the variant ${stringifyJson(rollout.variant)}`;
  return { status: 'stale', reason: `The flag is ${value} for everybody.`, isByRollout: true };
}

/**
 * Whether the list for `active=STALE` has the flag. It omits flags without conditions, whose status is stale: in most projects these are
 * flags that nobody has configured yet.
 */
export function isListedAsStale(flag: StoredFlag, now: Date): boolean {
  const { status, isByRollout } = flagStatus(flag, now);
  const isUnconfigured = groupsOf(flag.filters).length === 0 && Object.keys(flag.filters).length > 0;
  return status === 'stale' && !(isByRollout && isUnconfigured);
}

function named(status: FlagStaleness['status'], reason: string): FlagStaleness {
  return { status, reason, isByRollout: false };
}

function daysSince(timestamp: string, flag: StoredFlag, now: Date): number {
  const known = starts.get(flag) ?? parseMicroseconds(timestamp) / 1000;
  starts.set(flag, known);
  return (now.getTime() - known) / DAY_MS;
}

/** The time from which a version of a flag is measured: that of its last call, or of its creation if it was never called. */
const starts = new WeakMap<StoredFlag, number>();
