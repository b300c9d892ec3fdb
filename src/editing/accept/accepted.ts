/** What became of the differences that `accept` found: taken over, waiting for an apply, or left as they are. */

import type { JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { Divergence } from '../../engine/base.ts';
import type { ExportReason, UndeclaredReason } from '../../export/export.ts';
import type { ManifestText } from '../texts.ts';
import type { RefusalReason } from '../wish.ts';

export interface Accepted {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  readonly accepted: readonly AcceptedFlag[];
  readonly left: readonly LeftFlag[];
  /** Flags and cohorts with differences that git made and no apply has written yet. */
  readonly pending: readonly PendingFlag[];
}

/** Sorted by key, as are the lists below. */
export interface AcceptedFlag {
  /** Of a flag, or the name of a cohort, `cohort:ALIAS`, here and below. */
  readonly key: string;
  readonly changes: readonly AcceptedChange[];
}

/** One value that the manifests take over. */
export interface AcceptedChange {
  /** Of the change of the plan that it makes needless. */
  readonly ref: string;
  /** JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access. */
  readonly path: string;
  /** Declared so far; absent where there was no value. */
  readonly before?: JsonValue;
  /** What is live, and declared now. */
  readonly after?: JsonValue;
  readonly divergence?: Divergence;
  /** Of a conflict: what the base declared; absent where it had no value. */
  readonly base?: JsonValue;
  /** Where it is written now; absent where it is written no more. */
  readonly place?: Place;
  /** `project`: in the project's overlay. */
  readonly layer?: 'base' | 'project';
}

/** A flag or cohort whose differences could not be taken over. */
export interface LeftFlag {
  readonly key: string;
  readonly reason: LeftReason;
  /** What is in the way, or where the flag is declared. */
  readonly place?: Place;
  /** The members to write by hand, as YAML. */
  readonly suggestion?: string;
}

export type LeftReason =
  | RefusalReason
  /** The project lacks the flag, and nothing tells that it was deleted there. */
  | { readonly code: 'not-live' }
  /** It differs in what no plan can write, as a warning of the plan says. */
  | { readonly code: 'not-planned' }
  /** No edit of a manifest is known for its kind. */
  | { readonly code: 'not-editable' }
  /** No manifest would load to what is live. */
  | { readonly code: 'not-exportable'; readonly reasons: readonly ExportReason[] }
  /** A cohort that no manifest can declare. `name`: in the service. */
  | { readonly code: 'cohort-undeclarable'; readonly name: string; readonly reason: UndeclaredReason }
  /** The configuration has no id for the cohort, and its name, which other cohorts have too or which is empty, does not tell it. */
  | { readonly code: 'cohort-unidentified'; readonly name: string; readonly alias: string; readonly id: number }
  /** The project lacks the cohort, and another one may be it under a new name. */
  | { readonly code: 'cohort-moved'; readonly name: string; readonly id: number }
  /** The flag has another key in the service. */
  | { readonly code: 'renamed'; readonly key: string };

export interface PendingFlag {
  readonly key: string;
  readonly paths: readonly string[];
}
