/** The flags of a project as a plan leaves them, for what happens to them later. */

import { groupBy } from '../../base/group.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nameChange } from '../../core/engine/body-kind.ts';
import type { FlagChange, UpdateFlag } from './change.ts';
import { afterWrite, differencesIn, pairFields } from './comparison.ts';
import type { Flag } from './model/flag.ts';
import { mapReferencesIn } from './model/references.ts';
import type { FlagSnapshot } from './snapshot.ts';
import type { Plan } from '../plan.ts';

/** `before` is absent if the flag did not exist, `after` where it is deleted. Payloads may be digests on one side only. */
export interface FlagStates {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** `changes`: all changes of one flag, in the order of the plan. */
export function sidesOf(changes: readonly FlagChange[]): FlagStates {
  const [first] = changes;
  const before = first === undefined || first.action === 'create' ? undefined : first.base.flag;
  const after = changes.reduce<JsonObject | undefined>(
    (flag, change) => (change.action === 'delete' ? undefined : afterWrite(flag ?? {}, change.body)),
    before,
  );
  return defined({ before, after });
}

/** Live flags as the plan leaves them, with the ids of the service; a new flag gets a free one. */
export function afterPlan(flags: FlagSnapshot, changes: Plan['changes']): readonly Flag[] {
  const planned = changesById(changes);
  const free = Math.max(0, ...flags.all.map(({ id }) => id)) + 1;
  const created = changes
    .filter((change) => change.resource === 'flag' && change.action === 'create')
    .map((change, index): Flag => ({ ...sidesOf([change]).after, id: free + index, key: change.key }));
  const left = flags.all.flatMap((flag): Flag[] => {
    const own = planned.get(flag.id);
    if (own === undefined) return [flag];
    const { after } = sidesOf(own);
    return after === undefined ? [] : [{ ...flag, ...after }];
  });
  const ids = new Map([...left, ...created].map(({ key, id }) => [key, String(id)]));
  const idOf = (reference: string | number): string | number =>
    (typeof reference === 'string' ? ids.get(reference) : undefined) ?? reference;
  const isWritten = ({ id }: Flag): boolean => id >= free || planned.has(id);
  return [...left, ...created].map((flag) => (isWritten(flag) ? mapReferencesIn(flag, { flag: idOf }) : flag));
}

/** The changes of flags that exist. */
export function changesById(changes: Plan['changes']): ReadonlyMap<number, readonly FlagChange[]> {
  const own = changes.filter((change) => change.resource === 'flag' && change.action !== 'create');
  return groupBy(own, ({ id }) => id);
}

/** The change of a plan that would lead from one state to the other; both are in comparable form. */
export function asUpdate(
  { key, id }: Pick<Flag, 'key' | 'id'>,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  flags: FlagSnapshot,
): UpdateFlag {
  const written = ['active', 'filters'].filter((field) => !jsonEquals(memberOf(before, field), memberOf(after, field)));
  const body = Object.fromEntries(written.map((field) => [field, memberOf(after, field) ?? null]));
  const pairs = pairFields({ wanted: after, live: before }, body, flags);
  return {
    action: 'update',
    ...nameChange('flag', key),
    id,
    fields: differencesIn(pairs),
    body,
    base: { version: null, flag: before, former: {} },
    needs: [],
  };
}

/** Whether the flag has the value of a rollout at the path. A condition without a percentage has all of its people. */
export function isAt(flag: JsonObject, path: string, value: JsonValue | undefined): boolean {
  const absent = path === '/active' ? true : 100;
  return jsonEquals(valueAt(flag, path) ?? absent, value ?? absent);
}
