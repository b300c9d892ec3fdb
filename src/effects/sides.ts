/** A flag before and after the changes of a plan, in the form in which flags are compared. */

import { definedKeys, type JsonObject } from '../base/json.ts';
import { canonicalFlag } from '../posthog/flag/canonical.ts';
import type { FlagChange } from '../posthog/flag/change.ts';

/** `before` is absent where the flag did not exist, `after` where it is deleted. Payloads may be digests on one side only. */
export interface Sides {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** `changes`: all those of one flag, in the order of the plan. */
export function sidesOf(changes: readonly FlagChange[]): Sides {
  const [first] = changes;
  const before = first === undefined || first.action === 'create' ? undefined : first.base.flag;
  const after = changes.reduce<JsonObject | undefined>(
    (flag, change) => (change.action === 'delete' ? undefined : written(flag ?? {}, change.body)),
    before,
  );
  return {
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Whether nobody has a value of the flag, before and after. */
export function isDormant({ before, after }: Sides): boolean {
  return [before, after].every((flag) => flag === undefined || flag['active'] === false || flag['deleted'] === true);
}

function written(flag: JsonObject, body: JsonObject): JsonObject {
  const sent = new Set(definedKeys(body));
  const kept = Object.fromEntries(Object.entries(flag).filter(([field]) => !sent.has(field)));
  return { ...kept, ...canonicalFlag(body) };
}
