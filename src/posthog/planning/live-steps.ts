/** Where a rollout's value is in the live flag, and what it is there. */

import {
  canonicalText,
  arrayOrEmpty,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { once } from '../../base/once.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import type { DesiredState } from '../desired.ts';
import { comparableFields } from '../flag/comparison.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import { snapshotOf } from './build-plan.ts';

export interface LiveStep {
  readonly flag: Flag;
  /** The path in the live flag, whose conditions may be others, or in another order. */
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** Finds the value of a rollout in live state; a percentage is that of the condition for the same people. */
export function findLiveSteps(
  desired: DesiredState,
  live: LiveState,
): (rollout: Pick<PlannedRollout, 'key' | 'path'>) => LiveStep | undefined {
  const byKey = new Map(live.flags.map((flag) => [flag.key, flag]));
  const declared = new Map(
    desired.flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])),
  );
  const named = once(() => snapshotOf(desired, live).flags);
  return ({ key, path }) => {
    const own = declared.get(key);
    const flag = own && [key, ...own.previousKeys].flatMap((name) => byKey.get(name) ?? [])[0];
    if (own === undefined || flag === undefined) return undefined;
    const [field = '', list = '', index = ''] = fromPointer(path);
    if (list === '') return { flag, path, value: memberOf<JsonValue | undefined>(flag, field) };
    const form = named().comparable(flag);
    const wanted = conditionsIn(comparableFields(own.fields, form, named())).map(peopleOf);
    const held = conditionsIn(form);
    const same = held.flatMap((one, at) => (peopleOf(one) === wanted[Number(index)] ? [at] : []));
    const others = wanted.flatMap((people, at) => (people === wanted[Number(index)] ? [at] : []));
    // Of several for the same people, one that somebody added cannot be told from the others.
    const found = same.length === others.length ? same[others.indexOf(Number(index))] : undefined;
    if (found === undefined) return { flag, path, value: undefined };
    return {
      flag,
      path: toPointer([field, list, found, 'rollout_percentage']),
      value: held[found]?.['rollout_percentage'] ?? 100,
    };
  };
}

function conditionsIn({ filters }: JsonObject): readonly JsonObject[] {
  return arrayOrEmpty(objectOrEmpty(filters)['groups']).map(objectOrEmpty);
}

/** What a condition asks of people, in whatever order. */
function peopleOf({ properties, aggregation_group_type_index: group = null }: JsonObject): string {
  return canonicalText([arrayOrEmpty(properties).map(canonicalText).toSorted(), group]);
}
