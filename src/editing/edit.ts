/** Edits that change what manifests declare of resources in one project, and the result of each. */

import type { JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { EditRefusal, YamlEdit } from '../base/yaml/editing/edits.ts';
import type { OwnKind } from '../posthog/kind-types.ts';
import type { ManifestDiagnostic } from '../posthog/manifests/problems.ts';

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
