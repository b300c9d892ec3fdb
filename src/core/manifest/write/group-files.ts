/** Chooses the file of each key, a bare, portable name derived from the key; and the order of members in it. */

import { comparing } from '../../../base/compare-strings.ts';
import { groupBy } from '../../../base/group.ts';
import { definedKeys, isJsonArray, isJsonObject, objectFrom, type JsonValue } from '../../../base/json.ts';

/** How many keys must share a prefix to get a file of their own; the others go to `MIXED_FILE`. */
const FLAGS_FOR_A_FILE = 2;
export const MIXED_FILE = 'misc.yaml';

const MAX_NAME_LENGTH = 100;

/** Device names on Windows, and the name of the configuration. */
const TAKEN_NAMES = /^(con|prn|aux|nul|com\d|lpt\d|flagwright)$/;

/** The keys of each file, both sorted. Keys must be valid in manifests. */
export function groupFiles(
  keys: readonly string[],
  groupBy: 'prefix' | 'flag' | 'single',
): ReadonlyMap<string, readonly string[]> {
  const sorted = keys.toSorted();
  switch (groupBy) {
    case 'single':
      return new Map(sorted.length === 0 ? [] : [['flags.yaml', sorted]]);
    case 'flag':
      return collect(sorted, fileName);
    case 'prefix': {
      const byPrefix = collect(sorted, prefixFile);
      return collect(sorted, (key) => {
        const own = prefixFile(key);
        return (byPrefix.get(own)?.length ?? 0) >= FLAGS_FOR_A_FILE ? own : MIXED_FILE;
      });
    }
  }
}

function prefixFile(key: string): string {
  return fileName(key.split(/[-_.]/, 1)[0] || 'misc');
}

/** Ignores case: on some file systems, files that differ only in case would overwrite each other, so such keys share a file. */
function fileName(name: string): string {
  const portable =
    name
      .toLowerCase()
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, MAX_NAME_LENGTH) || 'misc';
  return `${TAKEN_NAMES.test(portable) ? `${portable}-flags` : portable}.yaml`;
}

function collect(keys: readonly string[], fileOf: (key: string) => string): ReadonlyMap<string, readonly string[]> {
  return new Map([...groupBy(keys, fileOf)].toSorted(comparing(([file]) => file)));
}

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
