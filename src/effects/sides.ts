/** A flag before and after the changes of a plan, in the form in which flags are compared. */

import { definedKeys, type JsonObject } from '../base/json.ts';
import { canonicalFlag } from '../posthog/flag/canonical.ts';
import { defined } from '../base/optional.ts';
import type { FlagChange } from '../posthog/flag/change.ts';
import type { FieldChange } from '../posthog/plan.ts';

/** `before` is absent if the flag did not exist, `after` where it is deleted. Payloads may be digests on one side only. */
export interface FlagStates {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** `changes`: all those of one flag, in the order of the plan. */
export function sidesOf(changes: readonly FlagChange[]): FlagStates {
  const [first] = changes;
  const before = first === undefined || first.action === 'create' ? undefined : first.base.flag;
  const after = changes.reduce<JsonObject | undefined>(
    (flag, change) => (change.action === 'delete' ? undefined : written(flag ?? {}, change.body)),
    before,
  );
  return defined({ before, after });
}

/** One flag's difference in the direction in which it is read. */
export interface FlagStateChange {
  readonly sides: FlagStates;
  readonly fields: readonly FieldChange[];
  /** The flag was deleted before and is not afterwards. */
  readonly restores: boolean;
}

/** The change from the live flag to the declared one. `changes` as above. */
export function differenceOf(changes: readonly FlagChange[]): FlagStateChange {
  return { sides: sidesOf(changes), fields: changes.flatMap(({ fields }) => fields), restores: isRestored(changes) };
}

/** The change from the declared flag to the live one: a flag that a plan restores is deleted. */
export function driftOf(changes: readonly FlagChange[]): FlagStateChange {
  const { before: live, after: wanted } = sidesOf(changes);
  return {
    sides: defined({ before: wanted, after: isRestored(changes) ? undefined : live }),
    fields: changes.flatMap(({ fields }) => fields).map(reversedField),
    restores: false,
  };
}

/** The same difference the other way. */
export function reversedField({ before, after, ...field }: FieldChange): FieldChange {
  return { ...field, ...defined({ before: after, after: before }) };
}

function isRestored(changes: readonly FlagChange[]): boolean {
  return changes.some(({ action }) => action === 'restore');
}

/** Whether nobody gets a value of the flag, before and after. */
export function isDormant({ before, after }: FlagStates): boolean {
  return [before, after].every((flag) => flag === undefined || flag['active'] === false || flag['deleted'] === true);
}

function written(flag: JsonObject, body: JsonObject): JsonObject {
  const sent = new Set(definedKeys(body));
  const kept = Object.fromEntries(Object.entries(flag).filter(([field]) => !sent.has(field)));
  return { ...kept, ...canonicalFlag(body) };
}
