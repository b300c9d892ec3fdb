/** The report of `explain` for each value, as facts. */

import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { Ownership } from '../engine/ownership.ts';
import type { Attribution } from '../posthog/authors/attribution.ts';

export interface ExplainedValue {
  /** JSON pointer in the API's names; the access of roles is at `/role_access`. */
  readonly path: string;
  /** The manifests' form of the value. */
  readonly value: JsonValue;
  readonly place: Place;
  /** `overlay`: of the project. Absent for access, which may be declared in two sections. */
  readonly layer?: 'base' | 'overlay';
  /** The base layer's value. */
  readonly replaces?: { readonly value: JsonValue; readonly place: Place };
  readonly ownership: Ownership;
  /** The last author of the value's line; absent without a history. */
  readonly line?: LineFacts;
  /** Absent if live state was not read. */
  readonly live?: { readonly value?: JsonValue; readonly differs: boolean };
  readonly attribution?: Attribution;
}

export type LineFacts =
  | {
      readonly kind: 'commit';
      readonly commit: string;
      readonly author: string;
      readonly at: string;
      readonly summary: string;
    }
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'unknown'; readonly detail: string };

/** `missing`: the project has no such flag. `unread`: why, in words. */
export type LiveFacts =
  | { readonly kind: 'read'; readonly id: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unread'; readonly reason: string };

/** Whether there is a history of the manifests. `none`: no checkout of git, or none that git opens. */
export type HistoryFacts = { readonly kind: 'read' } | { readonly kind: 'none'; readonly reason: string };
