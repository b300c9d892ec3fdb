/** The members of every change of a plan, whatever its kind of resource. */

import type { ResourceId } from './snapshot.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { Divergence } from './base.ts';
import type { OutsideBounds } from './ownership.ts';

export interface Change {
  readonly action: string;
  /** The name of the change's kind. */
  readonly resource: string;
  /**
   * Names the change within its plan: the kind's name, a colon and the key, `flag:KEY`. If an update takes two writes, the one that only
   * switches the flag has another prefix, `flag_active:KEY`: it comes first to disable the flag, and last to enable it. The base of the
   * second write is what the first one leaves.
   */
  readonly ref: string;
  /** The resource's key once the change is applied. */
  readonly key: string;
  /** The resource's id in the service; absent until it is created. */
  readonly id?: ResourceId;
  /** Refs of the changes that must have been applied before this one. */
  readonly needs: readonly string[];
  /** The place of the declaration; absent if there is none (`--prune`). */
  readonly source?: Place;
  /** Present on a change without fields, such as a grant; any other has one for each field. Absent without a base. */
  readonly divergence?: Divergence;
}

/** One differing value. `before` or `after` is absent if there is no value; neither is ever `undefined`. */
export interface FieldChange {
  /** JSON pointer in the API's field names, `/filters/groups/1/rollout_percentage`. */
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** The place of the declaration. */
  readonly source?: Place;
  /** Absent without a base. */
  readonly divergence?: Divergence;
  /** The declared value in the base of a conflict; absent if it had none. */
  readonly base?: JsonValue;
  /** Present if `after` is the nearest bound instead of the declared value. */
  readonly bounds?: OutsideBounds;
}

export function refTo(resource: string, key: string): string {
  return `${resource}:${key}`;
}

/** Whether the change only switches the resource, as one of two writes of an update: it does not count as a separate update. */
export function isPartial({ ref, resource }: Pick<Change, 'ref' | 'resource'>): boolean {
  return !ref.startsWith(`${resource}:`);
}

/** Who edited a live resource last, and when, if the service knows. */
export interface LastEdit {
  /** E-mail address or name. */
  readonly by?: string;
  /** ISO 8601, as the service wrote it. */
  readonly at?: string;
}
