/** The effect of a flag's change, and which of it is missing: for staleness, resume, undo and verification. */

import type { JsonObject } from '../../base/json.ts';
import { compareFields } from './comparison.ts';
import { withFound } from './values-of-others.ts';
import type { FlagNames } from './names.ts';
import type { Difference } from '../../engine/diff.ts';
import type { FlagChange } from '../plan.ts';

/**
 * The parts of the change that `live`, in comparable form, lacks; empty once the change is in effect. Excludes what others decide: they may
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
