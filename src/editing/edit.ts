/** Edits that change what manifests declare of resources in one project, and the result of each. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { EditRefusal, YamlEdit } from '../base/yaml/editing/edits.ts';
import type { OwnKind } from '../posthog/kind-types.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { Divergence } from '../core/engine/base.ts';
import type { ExportReason } from '../loop/export/export.ts';
import type { UndeclaredReason } from '../posthog/exported.ts';
import type { NamedFiles } from '../core/manifest/read.ts';

export interface ManifestText {
  /** Relative to the configuration's folder, as in diagnostics. */
  readonly file: string;
  readonly text: string;
  /** The files that its declarations name. */
  readonly named?: NamedFiles;
}

export type ResourceEdit = FlagEdit | FieldEdit;

export interface FlagEdit {
  readonly resource: 'flag';
  /** The key that manifests declare. */
  readonly key: string;
  /**
   * Whole fields by API name, with the values that the project gets: those of a live flag, with ids, or of desired state, with keys. Other
   * fields stay as declared.
   */
  readonly fields?: JsonObject;
  readonly access?: AccessEdit;
  /** The key that the flag is declared with from now on; the former one becomes a previous key. */
  readonly renamed?: string;
  /** Declared as deleted, or no longer so. */
  readonly deleted?: boolean;
}

/** An edit of a declaration that consists of fields only. */
export interface FieldEdit {
  readonly resource: Exclude<OwnKind, 'flag'>;
  /** The name, as options have it. */
  readonly key: string;
  /** Whole fields by API name, with ids, or aliases of what is declared without one. Other fields stay as declared. */
  readonly fields?: JsonObject;
  /** Declared as deleted, or no longer so. */
  readonly deleted?: boolean;
}

/** An absent part stays as it is declared. */
export interface AccessEdit {
  /** The level of each role, by role id. */
  readonly roles?: ReadonlyMap<string, string>;
  /** The level of everyone; null: none of the flag's own. */
  readonly everyone?: string | null;
}

/**
 * The layer that an edit is written to. `auto`: the layer of the present value, or, if other projects use the value there, the project's
 * overlay. `base`: for all projects. `project`: the project's overlay.
 */
export type LayerChoice = 'auto' | 'base' | 'project';

/** The name that an edited resource has in manifests afterwards. */
export function keyAfter(edit: ResourceEdit): string {
  return (edit.resource === 'flag' ? edit.renamed : undefined) ?? edit.key;
}

/** The edits of texts that write a requested edit. */
export interface TextEdits {
  readonly key: string;
  /** The declaration gets another key. */
  readonly rename?: KeyRename;
  readonly edits: readonly FileEdit[];
}

export interface FileEdit {
  readonly file: string;
  readonly edit: YamlEdit;
}

/** A declaration that gets another key. */
export interface KeyRename {
  readonly section: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** An edit that is not written: the manifests stay as they are for this resource. */
export interface UnwrittenEdit {
  readonly key: string;
  readonly reason: RefusalReason;
  /** The place of the obstacle. */
  readonly place?: Place;
  /** The members to write by hand, as YAML. */
  readonly suggestion?: string;
}

export type RefusalReason =
  /** The text cannot take the edit. */
  | { readonly code: EditRefusal }
  /** No manifest declares it for the project. */
  | { readonly code: 'not-declared' }
  /** No layer can hold it without changing something else. */
  | { readonly code: 'not-expressible' }
  /** The edit would move or remove a value whose steps the manifest has. */
  | { readonly code: 'changes-over-time' }
  /** The flag has another key, `renamed`, and something else uses the declared one. */
  | { readonly code: 'key-in-use'; readonly key: string; readonly renamed: string; readonly use: KeyUse }
  /** The edited manifests would have an error. */
  | { readonly code: 'invalid'; readonly problem: ManifestDiagnostic }
  /** The edit would change declarations of others, or of other projects. */
  | { readonly code: 'changes-others' }
  /** A role has access through a pattern, which names other flags too. */
  | { readonly code: 'granted-by-pattern'; readonly role: string; readonly pattern: string }
  /** A role has access through its own list, which holds for every project. */
  | { readonly code: 'granted-everywhere'; readonly role: string };

/** What else uses the key of a flag that now has another key; the names are sorted. */
export type KeyUse =
  /** Flags depend on it, by key. */
  | { readonly by: 'flags'; readonly names: readonly string[] }
  /** Early access features offer it. Names are as in options. */
  | { readonly by: 'features'; readonly names: readonly string[] }
  /** Roles have it in their lists. */
  | { readonly by: 'roles'; readonly names: readonly string[] }
  /** Other projects have the flag under it. */
  | { readonly by: 'projects'; readonly names: readonly string[] }
  /** Another declaration has the new key. */
  | { readonly by: 'declaration' };

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
