/** Who decides about a resource, and about each value of one that a manifest declares. Only what git decides is compared and written. */

import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';

/** Who decides whether a resource exists. */
export type Owner =
  /** A manifest of this project declares it. */
  | 'manifest'
  /** Manifests name it for other projects only: neither unmanaged nor pruned. */
  | 'other-project'
  /** No manifest names it: reported, and changed only on request. */
  | 'unmanaged';

/** Who decides about a value. What a manifest declares is managed, unless an `ownership` says otherwise. */
export type Ownership =
  /** The manifest: compared and written. */
  | 'managed'
  /** The manifest when the resource is created, others afterwards. */
  | 'initial'
  /** Others: a difference is shown, and is neither drift nor written. */
  | 'observed'
  | Between;

/** Others, inside the bounds. A value outside them is drift, and is brought to the nearest bound. */
export interface Between {
  readonly between: readonly [low: number, high: number];
}

/** Of a live value outside its bounds, which is brought to the nearest one: the bounds, and the value that the manifests declare. */
export interface OutsideBounds extends Between {
  readonly declared: JsonValue;
}

/** A value that others decide, where it differs from the declared one. */
export interface ObservedValue {
  readonly key: string;
  /** JSON pointer in the API's field names. */
  readonly path: string;
  readonly ownership: Exclude<Ownership, 'managed' | 'initial'>;
  /** Absent where there is no value. */
  readonly declared?: JsonValue;
  readonly live?: JsonValue;
  /** Where the manifests declare the value. */
  readonly source?: Place;
}

/** The keys that manifests name. */
export interface NamedKeys {
  readonly here: ReadonlySet<string>;
  readonly elsewhere: ReadonlySet<string>;
}

export function findResourceOwner(key: string, { here, elsewhere }: NamedKeys): Owner {
  if (here.has(key)) return 'manifest';
  return elsewhere.has(key) ? 'other-project' : 'unmanaged';
}
