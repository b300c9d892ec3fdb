/** Compares live state with the change of a flag: its effect, edits since the plan, and differences after the write. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { BodyKind } from '../../engine/body-kind.ts';
import type { Difference } from '../../engine/diff.ts';
import { remainderOf, type Remainder } from '../../engine/remainder.ts';
import type { FlagChange } from './change.ts';
import { comparableFlag, compareStored } from './comparison.ts';
import { effectOn, missingEffect } from './effect.ts';
import { withDeclaredSecrecy } from './encrypted-payloads.ts';
import type { Flag } from './flag.ts';
import { findMovedFields } from './moved.ts';
import type { FlagRun } from './run.ts';

export const FLAG_BODY: BodyKind<FlagChange, Flag, FlagRun> = {
  // A flag that is created without `active` is enabled: one that is disabled is not what the change makes.
  hasEffect: (change, flag, run) => {
    const isUnstated = change.action === 'create' && change.body['active'] === undefined;
    if (isUnstated && !flag.active && change.body['archived'] !== true) return false;
    return missingEffect(change, comparableFlag(flag, run), run).length === 0;
  },
  // A create collides with a flag that has its key by now.
  findMoved: (change, flag, run) => {
    if (change.action !== 'create') return findMovedFields(change, flag, run);
    return run.isTaken(change.key) ? [{ path: '/key', after: change.key }] : [];
  },
  findRemainder: (change, flag, run) => {
    const stored = change.action === 'create' ? flag : withDeclaredSecrecy(flag, change.base.flag);
    const written = effectOn(change, comparableFlag(stored, run));
    const differences = compareStored({ ...written, key: change.key }, stored, run);
    return differences.map((difference) => describeDifference(change, flag, difference));
  },
};

/** A field that the service never answers does not appear in the next plan, since it cannot be compared. */
function describeDifference(change: FlagChange, flag: Flag, difference: Difference): Remainder {
  const [field = ''] = fromPointer(difference.path);
  const remainder = remainderOf(change, difference);
  return Object.hasOwn(flag, field) ? remainder : { ...remainder, reason: 'service_ignores_field' };
}
