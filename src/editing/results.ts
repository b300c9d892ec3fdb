/** The results of `accept`, `promote` and merges: what was written, and what was left and why. */

import type { Diagnostic } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { Divergence } from '../core/engine/base.ts';
import type { ExportReason } from '../loop/export/export.ts';
import type { UndeclaredReason } from '../posthog/exported.ts';
import type { RefusalReason, UnwrittenEdit } from './edit.ts';
import type { ManifestText } from './texts.ts';

export interface Accepted {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  readonly accepted: readonly AcceptedFlag[];
  readonly left: readonly LeftFlag[];
  /** Resources with differences that were made in git and not applied yet. */
  readonly pending: readonly PendingFlag[];
}

/** Sorted by key, as are the lists below. */
export interface AcceptedFlag {
  /** The name, as options have it, here and below. */
  readonly key: string;
  readonly changes: readonly AcceptedChange[];
}

/** One value that the manifests take over. */
export interface AcceptedChange {
  /** The ref of the planned change that it replaces. */
  readonly ref: string;
  /** JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access. */
  readonly path: string;
  /** The value that was declared; absent if there was none. */
  readonly before?: JsonValue;
  /** The live value, now declared. */
  readonly after?: JsonValue;
  readonly divergence?: Divergence;
  /** The declared value in the base of a conflict; absent if it had none. */
  readonly base?: JsonValue;
  /** The place where it is now written; absent if it is no longer written. */
  readonly place?: Place;
  /** `project`: in the project's overlay. */
  readonly layer?: 'base' | 'project';
}

/** A resource whose differences could not be taken over. */
export interface LeftFlag {
  readonly key: string;
  readonly reason: LeftReason;
  /** The place of the obstacle, or of the flag's declaration. */
  readonly place?: Place;
  /** The members to write by hand, as YAML. */
  readonly suggestion?: string;
}

export type LeftReason =
  | RefusalReason
  /** The project lacks the flag, and it is unknown whether it was deleted there. */
  | { readonly code: 'not-live' }
  /** The flag differs in fields that no plan can write, as a warning of the plan says. */
  | { readonly code: 'not-planned' }
  /** No manifest results in what is live. */
  | { readonly code: 'not-exportable'; readonly reasons: readonly ExportReason[] }
  /** A cohort that no manifest can declare. `name`: in the service. */
  | { readonly code: 'cohort-undeclarable'; readonly name: string; readonly reason: UndeclaredReason }
  /** The configuration has no id for the cohort, and its name does not identify it: it is empty, or other cohorts have it too. */
  | { readonly code: 'cohort-unidentified'; readonly name: string; readonly alias: string; readonly id: number }
  /** The project lacks the cohort, or has it under a new name. */
  | { readonly code: 'cohort-moved'; readonly name: string; readonly id: number }
  /** The flag has another key in the service. */
  | { readonly code: 'renamed'; readonly key: string };

interface PendingFlag {
  readonly key: string;
  readonly paths: readonly string[];
}

export interface Promoted {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  /** Sorted by key, as are the lists below. A flag that was not declared for the other project has a change at the path ''. */
  readonly promoted: readonly AcceptedFlag[];
  /** Resources whose promoted parts are already equal in both projects. */
  readonly same: readonly string[];
  /** The values in promoted parts in which the other project still differs. */
  readonly kept: readonly KeptValue[];
  readonly left: readonly LeftPromotion[];
  /** What the edited manifests warn of in the other project: about what was promoted, and elsewhere what is new. */
  readonly warnings: readonly Diagnostic[];
}

/** A value that the other project keeps. */
export interface KeptValue {
  readonly key: string;
  /** JSON pointer in the API's field names, as in parity. */
  readonly path: string;
  /** `source-omits`: the manifests of the first project do not manage it. `others`: those of the other leave it to others. */
  readonly reason: 'source-omits' | 'others';
}

/** A flag that was not promoted: its declaration stays as it is. */
export interface LeftPromotion extends Omit<UnwrittenEdit, 'reason'> {
  readonly reason: PromotionReason;
}

/** The parts of a flag that can be promoted by themselves. */
export const PARTS = [
  'conditions',
  'variants',
  'payloads',
  'active',
  'rollout',
  'description',
  'tags',
  'role_access',
] as const;

export type EditedPart = (typeof PARTS)[number];

export type PromotionReason =
  | UnwrittenEdit['reason']
  /** The project to promote from lacks the flag. */
  | { readonly code: 'source-lacks'; readonly project: string }
  /** That project does not declare the part. */
  | { readonly code: 'part-lacks'; readonly part: EditedPart; readonly project: string }
  /** The flag is not declared for the other project, so a part of it cannot be. */
  | { readonly code: 'target-lacks'; readonly project: string }
  /** The percentages belong to conditions, and the projects do not have the same number of them. */
  | { readonly code: 'conditions-differ' }
  /** Secret values are not copied. */
  | { readonly code: 'payloads-secret' }
  /** The configuration has no name for the id, so it is not known which one the other project has. */
  | { readonly code: 'cohort-unnamed'; readonly cohort: number; readonly project: string }
  | { readonly code: 'role-unnamed'; readonly role: string; readonly project: string }
  /** The other project identifies the cohort by the name that the promotion would change. */
  | { readonly code: 'cohort-renamed'; readonly project: string }
  /** The configuration has no id for the name in the other project. */
  | { readonly code: 'cohort-missing'; readonly alias: string; readonly project: string }
  | { readonly code: 'role-missing'; readonly role: string; readonly project: string }
  /** The other project has no flag on which this one depends. */
  | { readonly code: 'dependency-missing'; readonly dependency: string; readonly project: string }
  /** A resource that it names should be promoted too and is left. `chain`: that one, followed by what it names in turn and lacks. */
  | { readonly code: 'dependency-left'; readonly chain: readonly [string, ...string[]] };

/** A resource that a merge could not write, and why. Its declaration stays as it was. */
export interface NotMerged {
  /** The name, as options have it. */
  readonly key: string;
  readonly reason: NotMergedReason;
  /** The file of the declaration. */
  readonly file?: string;
  /** YAML to write by hand. */
  readonly suggestion?: string;
}

export type NotMergedReason =
  /** The edit would change something else too, such as a value that shares an anchor. */
  | 'not-editable'
  /** No overlay results in what is live. */
  | 'reads-differently'
  /** The project has it under a former key or name; a plan renames it. */
  | 'renamed'
  /** It is declared as deleted, but live. */
  | 'declared-deleted'
  /** It is declared for this project alone, which lacks it. */
  | 'declared-only-here'
  /** The live cohort is a list of persons. */
  | 'static'
  /** The live definition of a cohort depends on events, and a declared flag uses it. */
  | 'behavioral'
  /** The project lacks the cohort, and flags or cohorts that are declared for the project use it. */
  | 'still-used';
