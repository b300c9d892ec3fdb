/** After a run that broke off: what is known to be done, and whether a write without an answer happened. */

import { comparableFlag } from '../posthog/flag/comparison.ts';
import { missingEffect } from '../posthog/flag/effect.ts';
import type { Change, RoleChange } from '../posthog/plan.ts';
import type { FlagDirectory } from './flag-directory.ts';
import type { Outcome } from './result.ts';
import type { LiveIndex } from './staleness.ts';

/** What the record of an earlier run says of its changes, by ref. */
export interface EarlierRun {
  /** Changes with the outcome `applied`: they are not looked at again. */
  readonly applied: ReadonlyMap<string, Outcome>;
  /** Changes that were sent at least once and of which nobody knows the outcome. */
  readonly sent: ReadonlySet<string>;
}

export const NO_EARLIER_RUN: EarlierRun = { applied: new Map(), sent: new Set() };

/** The outcome that the earlier run already brought about, or `undefined` where the change is still to be made. */
export function earlierOutcome(
  change: Change,
  earlier: EarlierRun,
  { live, directory }: { readonly live: LiveIndex; readonly directory: FlagDirectory },
): Outcome | undefined {
  const known = earlier.applied.get(change.ref);
  if (known !== undefined) return known;
  return earlier.sent.has(change.ref) ? happened(change, live, directory) : undefined;
}

/**
 * The outcome of a change that is in effect already, as far as live state shows; `undefined` where it is not, or where
 * what it is about was not read: that is never taken for absent.
 */
export function happened(change: Change, live: LiveIndex, directory: FlagDirectory): Outcome | undefined {
  if (change.resource === 'role_access') return happenedToRole(change, live, directory);
  const id = change.action === 'create' ? directory.idOf(change.key) : change.id;
  const flag = id === undefined ? undefined : live.flagsById.get(id);
  if (id === undefined || flag === undefined) return undefined;
  const missing = missingEffect(change, comparableFlag(flag, directory.keyOf), directory.keyOf);
  return missing.length === 0 ? { outcome: 'applied', id } : undefined;
}

function happenedToRole(change: RoleChange, live: LiveIndex, directory: FlagDirectory): Outcome | undefined {
  const flagId = change.id ?? directory.idOf(change.key);
  const entries = live.roleAccess[String(flagId)];
  const entry = entries?.find(({ role }) => role.id === change.role.id);
  if (change.action === 'grant') return entry === undefined ? undefined : { outcome: 'applied', id: entry.id };
  return entries !== undefined && entry === undefined ? { outcome: 'applied', id: change.entry_id } : undefined;
}
