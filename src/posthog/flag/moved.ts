/** Finds the changes in a flag since the plan saw it, field by field. */

import type { JsonObject } from '../../base/json.ts';
import { diff } from '../../engine/diff.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { FlagBase, ValueOfOthers } from './change.ts';
import { canonicalFlag } from './canonical.ts';
import { comparableFlag } from './comparison.ts';
import type { FlagNames } from './names.ts';
import { withDeclaredSecrecy } from './encrypted-payloads.ts';
import { KNOWN_FIELDS } from './fields.ts';
import type { Flag } from './flag.ts';
import { withoutMoves } from './values-of-others.ts';

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
