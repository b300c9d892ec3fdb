/** The results of building a document: a value with its places, and a mapping that grows by members. */

import { setMember, type JsonValue } from '../json.ts';
import type { PlaceTree } from '../place.ts';

export interface Built {
  readonly value: JsonValue;
  readonly children?: Readonly<Record<string, PlaceTree>>;
  /** Number of values in it, counting aliased ones each time. */
  readonly weight: number;
}

/** The members of a mapping while it is built; `__proto__` is an ordinary name. */
export class Members {
  readonly value: Record<string, JsonValue> = {};
  readonly children: Record<string, PlaceTree> = {};
  weight = 1;

  has(key: string): boolean {
    return Object.hasOwn(this.value, key);
  }

  add(key: string, { built, place }: { readonly built: Built; readonly place: PlaceTree }): void {
    setMember(this.value, key, built.value);
    setMember(this.children, key, place);
    this.weight += built.weight;
  }
}
