/** Finds which side moved a value away from the base: pure functions of three values in canonical form. */

import { isJsonArray, isJsonObject, jsonEquals, type JsonArray, type JsonValue } from '../../base/json.ts';
import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import type { Divergence } from './base.ts';
import { diff, earlierIndex, keyOf, type Difference } from './diff.ts';

/** One value in three states; `undefined` if a state has none. */
export interface ClassifiedStates {
  readonly base: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  readonly wanted: JsonValue | undefined;
}

export interface Classified {
  readonly divergence: Divergence;
  /** The pointer of the values that were compared: the difference's own, or that of the unit that contains it. */
  readonly at: string;
}

const NO_UNITS: ReadonlySet<string> = new Set();

/**
 * The class of a difference between `live` and `wanted` at a pointer. What both sides changed within one unit is a conflict,
 * since the parts of a unit mean something only together: an element of a list without keys, a list whose elements do not
 * correspond in the three states, and each of `units`, by pointer.
 */
export function classify(pointer: string, states: ClassifiedStates, units: ReadonlySet<string> = NO_UNITS): Classified {
  const { at, values } = findUnit(pointer, states, units);
  if (jsonEquals(values.base, values.live)) return { divergence: 'pending', at };
  return { divergence: jsonEquals(values.base, values.wanted) ? 'drifted' : 'conflict', at };
}

/** The base's value at the place of a difference, as `diff` names it; `undefined` if it has none. */
export function baseOf({ path, after }: Difference, states: ClassifiedStates): JsonValue | undefined {
  const segments = fromPointer(path);
  const last = segments.pop();
  if (last === undefined) return states.base;
  const around = segments.reduce<ClassifiedStates>((place, segment) => descend(place, segment, false), states);
  return descend(around, last, after === undefined).base;
}

/** The index of an element is that of the list which has it. */
function descend({ base, live, wanted }: ClassifiedStates, segment: string, isSurplus: boolean): ClassifiedStates {
  const own = isSurplus ? live : wanted;
  if (!isJsonArray(base) || !isJsonArray(own)) {
    return { base: memberOf(base, segment), live: memberOf(live, segment), wanted: memberOf(wanted, segment) };
  }
  const index = Number(segment);
  const former = earlierIndex(base, own, index);
  const other = isJsonArray(live) && !isSurplus ? earlierIndex(live, own, index) : index;
  return {
    base: former === undefined ? undefined : base[former],
    live: isJsonArray(live) && other !== undefined ? live[other] : undefined,
    wanted: isJsonArray(wanted) ? wanted[index] : undefined,
  };
}

/** The number of values that both sides moved away from the base, to the same value. */
export function countConverged(states: ClassifiedStates, units: ReadonlySet<string> = NO_UNITS): number {
  if (jsonEquals(states.base, states.wanted)) return 0;
  return diff(states.base, states.live).filter(({ path }) => {
    const { values } = findUnit(path, states, units);
    return jsonEquals(values.live, values.wanted);
  }).length;
}

/** Follows a pointer through the three states, down to the first unit. */
function findUnit(
  pointer: string,
  states: ClassifiedStates,
  units: ReadonlySet<string>,
): { readonly at: string; readonly values: ClassifiedStates } {
  const path: string[] = [];
  let values = states;
  for (const segment of fromPointer(pointer)) {
    const within = units.has(toPointer(path)) ? undefined : step(values, segment);
    if (within === undefined) break;
    path.push(segment);
    const isElement = isJsonArray(values.wanted);
    values = within;
    if (isElement && keyOf(within.wanted) === undefined) break;
  }
  return { at: toPointer(path), values };
}

/** The three values of a member or an element; `undefined` if the states do not correspond. */
function step({ base, live, wanted }: ClassifiedStates, segment: string): ClassifiedStates | undefined {
  if ([base, live, wanted].every((value) => value === undefined || isJsonObject(value))) {
    return { base: memberOf(base, segment), live: memberOf(live, segment), wanted: memberOf(wanted, segment) };
  }
  if (!isJsonArray(base) || !isJsonArray(live) || !isJsonArray(wanted)) return undefined;
  if (!haveSameElements(base, wanted) || !haveSameElements(live, wanted)) return undefined;
  const index = Number(segment);
  return { base: base[index], live: live[index], wanted: wanted[index] };
}

/** Elements without keys only need to be as many. */
function haveSameElements(a: JsonArray, b: JsonArray): boolean {
  return a.length === b.length && a.every((element, index) => keyOf(element) === keyOf(b[index]));
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
