/** Who decides about a resource, and about each value of a declared one. Only values that git decides are compared and written. */

import type { JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';

/** Who decides whether a resource exists. */
export type Owner =
  /** A manifest of this project declares it. */
  | 'manifest'
  /** Manifests name it for other projects only: it is neither unmanaged nor pruned. */
  | 'other-project'
  /** No manifest names it: it is reported, and changed only on request. */
  | 'unmanaged';

/** Who decides about a value. A declared value is managed, unless an `ownership` says otherwise. */
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

/** The bounds and the declared value of a live value outside them, which is brought to the nearest bound. */
export interface OutsideBounds extends Between {
  readonly declared: JsonValue;
}

/** A value that others decide, where it differs from the declared one. */
export interface ObservedValue {
  readonly key: string;
  /** JSON pointer in the API's field names. */
  readonly path: string;
  readonly ownership: Exclude<Ownership, 'managed' | 'initial'>;
  /** Absent if there is no value. */
  readonly declared?: JsonValue;
  readonly live?: JsonValue;
  /** The place of the declared value. */
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
