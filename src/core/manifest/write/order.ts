/** The usual order of members in manifests: where an edit adds one, and how a new mapping is written. */

import { definedKeys, isJsonArray, isJsonObject, objectFrom, type JsonValue } from '../../../base/json.ts';

/** The order of a mapping's members, and of the mappings in it. `each`: of every entry of a list, or of a mapping by name. */
export interface Order {
  readonly names?: readonly string[];
  readonly members?: Readonly<Record<string, Order>>;
  readonly each?: Order;
}

/** The order of the mapping at a path; `undefined` if there is none. */
export function orderAt(path: readonly (string | number)[], order: Order): Order | undefined {
  return path.reduce<Order | undefined>((outer, name) => below(outer, String(name)), order);
}

function below(order: Order | undefined, name: string): Order | undefined {
  if (order?.each !== undefined) return order.each;
  return order?.members !== undefined && Object.hasOwn(order.members, name) ? order.members[name] : undefined;
}

/** Puts members in order. Those that the order does not name follow, unsorted. */
export function inOrder(value: JsonValue, order: Order | undefined): JsonValue {
  if (order === undefined) return value;
  if (isJsonArray(value)) return value.map((element, index) => inOrder(element, below(order, String(index))));
  if (!isJsonObject(value)) return value;
  const { names = [] } = order;
  const rank = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  const sorted = definedKeys(value).toSorted((a, b) => rank(a) - rank(b));
  return objectFrom(sorted.map((name) => [name, inOrder(value[name] as JsonValue, below(order, name))]));
}
