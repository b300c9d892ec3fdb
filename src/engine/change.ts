/** What every change of a plan has, whatever kind of resource it is of. */

import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';

export interface Change {
  readonly action: string;
  /** The name of the change's kind. */
  readonly resource: string;
  /**
   * Names the change within its plan: `flag:KEY`, or `role_access:KEY:ROLE-ID`. Where an update takes two writes, the first
   * is `flag_active:KEY` and switches the flag off, and `flag:KEY` is the rest; its base is what the first one leaves behind.
   */
  readonly ref: string;
  /** The flag's key once the change is made. */
  readonly key: string;
  /** The flag's id in the service; absent while it is still to be created. */
  readonly id?: number;
  /** Refs of the changes that must have been applied before this one. */
  readonly needs: readonly string[];
  /** Where the manifests ask for it; absent when nobody did (`--prune`). */
  readonly source?: Place;
}

/** One differing value. `before` or `after` is absent where there is nothing; neither is ever `undefined` as a value. */
export interface FieldChange {
  /** JSON pointer in the API's field names, `/filters/groups/1/rollout_percentage`. */
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Where the manifests say so. */
  readonly source?: Place;
}

export function refTo(resource: string, key: string): string {
  return `${resource}:${key}`;
}

/** Whether the change is the first of two writes of one update: it counts as no update of its own. */
export function isPartial({ ref, resource }: Pick<Change, 'ref' | 'resource'>): boolean {
  return !ref.startsWith(`${resource}:`);
}
