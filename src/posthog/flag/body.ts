/** Compares live state with the change of a flag: its effect, edits since the plan, and differences after the write. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { JsonObject } from '../../base/json.ts';
import type { BodyKind } from '../../engine/body-kind.ts';
import type { FieldChange } from '../../engine/change.ts';
import { diff, type Difference } from '../../engine/diff.ts';
import { type Remainder, remainderOf } from '../../engine/remainder.ts';
import { canonicalFlag } from './canonical.ts';
import type { FlagBase, FlagChange, ValueOfOthers } from './change.ts';
import { comparableFlag, compareFields, compareStored } from './comparison.ts';
import { withDeclaredSecrecy } from './encrypted-payloads.ts';
import { KNOWN_FIELDS } from './fields.ts';
import type { Flag } from './flag.ts';
import type { FlagNames } from './names.ts';
import type { FlagRun } from './run.ts';
import { withFound, withoutMoves } from './values-of-others.ts';

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

/** `flag` is absent when the service does not list it: it was deleted, or this key may not see it. */
export function findMovedFields(change: PlannedBase, flag: Flag | undefined, names: FlagNames): readonly FieldChange[] {
  const { base } = change;
  if (flag === undefined) return [{ path: '', before: base.flag }];
  const seen = comparableFlag(withDeclaredSecrecy(flag, base.flag), names);
  // An earlier release may have saved the base in its own canonical form.
  return diff(...withoutMoves(change, canonicalFlag(base.flag), withoutNewFields(seen, base.flag)));
}

/** The flag as a plan saw it, and the values that others may move. */
interface PlannedBase {
  readonly base: FlagBase;
  readonly keeps?: readonly ValueOfOthers[];
}

/** A field unknown to us and absent from the plan's base changes with traffic or is new in the service: no edit. */
function withoutNewFields(flag: JsonObject, seen: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(flag).filter(([field]) => KNOWN_FIELDS.has(field) || Object.hasOwn(seen, field)),
  );
}

/**
 * The effect of a flag's change, and which of it is missing: for staleness, resume, undo and verification.
 *
 * * The parts of the change that `live`, in comparable form, lacks; empty once the change is in effect. Excludes what others decide: they may
 * have moved it since, and the service may drop what other products added. (docs/service.md, "Filters")
 */
export function missingEffect(change: FlagChange, live: JsonObject, names: FlagNames): Difference[] {
  const effect = effectOn(change, live);
  // A new flag is not deleted, which no request says.
  return compareFields(change.action === 'create' ? { ...effect, deleted: false } : effect, live, names);
}

/** The written values, with live ones for what others decide. */
export function effectOn(change: FlagChange, live: JsonObject): JsonObject {
  return withFound(change.body, live, change);
}
