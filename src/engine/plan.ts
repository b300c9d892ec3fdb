/**
 * The plan: what differs (`fields`), what would be done about it (`body`), and what is unsafe about that (`hazards`).
 * A plan is a JSON value; saved as a file it is all that `apply` needs.
 */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { ProjectIdentity } from '../posthog/project.ts';
import type { Hazard } from './safety.ts';

export type { Hazard } from './safety.ts';

export interface Plan {
  readonly project: ProjectIdentity;
  readonly summary: PlanSummary;
  /** In the order in which apply starts them; a change never stands before one that it needs. */
  readonly changes: readonly Change[];
  /** What apply refuses to do without the permission that `permit` names; one hazard refuses the whole run. */
  readonly hazards: readonly Hazard[];
  /** Keys of live flags that no manifest names, sorted; those outside `scope` are only counted. */
  readonly unmanaged: readonly string[];
  readonly warnings: readonly PlanWarning[];
  /** `sha256:` and the hash of everything above; a plan whose hash differs was edited or cut. */
  readonly fingerprint: string;
}

export interface PlanSummary {
  readonly create: number;
  /** Flags: one that takes two writes counts once. */
  readonly update: number;
  readonly delete: number;
  readonly restore: number;
  readonly grant: number;
  readonly revoke: number;
  /** Managed flags without any change, role access included. */
  readonly unchanged: number;
  /** All live flags that no manifest names, in scope or not. */
  readonly unmanaged: number;
}

export type Change = CreateFlag | UpdateFlag | RestoreFlag | DeleteFlag | GrantRole | RevokeRole;
export type FlagChange = Exclude<Change, RoleChange>;
export type RoleChange = GrantRole | RevokeRole;
export type Action = Change['action'];

interface ChangeBase {
  /**
   * Names the change within its plan: `flag:KEY`, or `role_access:KEY:ROLE-ID`. Where an update takes two writes, the first
   * is `flag_active:KEY` and switches the flag off, and `flag:KEY` is the rest; its base is what the first one leaves behind.
   */
  readonly ref: string;
  /** The flag's key once the change is made. */
  readonly key: string;
  /** Refs of the changes that must have been applied before this one. */
  readonly needs: readonly string[];
  /** Where the manifests ask for it; absent when nobody did (`--prune`). */
  readonly source?: Place;
}

export interface CreateFlag extends ChangeBase {
  readonly action: 'create';
  readonly resource: 'flag';
  readonly fields: readonly FieldChange[];
  /** The request's body, except that dependencies name flags by key. */
  readonly body: JsonObject;
}

export interface UpdateFlag extends ChangeBase {
  readonly action: 'update';
  readonly resource: 'flag';
  readonly id: number;
  readonly fields: readonly FieldChange[];
  readonly body: JsonObject;
  readonly base: FlagBase;
}

/** A flag that is soft-deleted: brought back by `undo`, or by a manifest where the service lists such flags. */
export interface RestoreFlag extends ChangeBase {
  readonly action: 'restore';
  readonly resource: 'flag';
  readonly id: number;
  readonly fields: readonly FieldChange[];
  readonly body: JsonObject;
  readonly base: FlagBase;
}

export interface DeleteFlag extends ChangeBase {
  readonly action: 'delete';
  readonly resource: 'flag';
  readonly id: number;
  readonly fields: readonly FieldChange[];
  readonly body: JsonObject;
  readonly base: FlagBase;
  readonly reason: 'retired' | 'pruned' | 'undone';
}

export interface GrantRole extends ChangeBase {
  readonly action: 'grant';
  readonly resource: 'role_access';
  /** The flag's id; absent while the flag itself is still to be created. */
  readonly id?: number;
  readonly role: RoleName;
  readonly base: RoleAccessBase;
}

export interface RevokeRole extends ChangeBase {
  readonly action: 'revoke';
  readonly resource: 'role_access';
  readonly id: number;
  readonly role: RoleName;
  readonly entry_id: number;
  readonly base: RoleAccessBase;
}

export interface RoleName {
  readonly id: string;
  readonly name?: string;
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

/** What the plan saw of a flag; a flag that no longer looks so has moved, and is not written. */
export interface FlagBase {
  /** The service's counter, null where it keeps none for this flag. */
  readonly version: number | null;
  /** Canonical form of every known field that is ever compared, managed or not, and of those that a manifest declares. */
  readonly flag: JsonObject;
  /** The fields that the change writes, as they were read: what `undo` writes back. */
  readonly former: JsonObject;
}

/** The roles that had access when the plan was made, by id, sorted. */
export interface RoleAccessBase {
  readonly roles: readonly string[];
}

/** What a reader should know before applying; most say what the service will refuse. */
export type PlanWarning =
  | { readonly code: 'cannot_edit'; readonly key: string; readonly id: number }
  | {
      readonly code: 'experiments_linked';
      readonly key: string;
      readonly id: number;
      readonly experiments: readonly number[];
    }
  | { readonly code: 'dependents_remain'; readonly key: string; readonly dependents: readonly string[] }
  | { readonly code: 'dependency_missing'; readonly key: string; readonly dependency: string }
  | { readonly code: 'dependency_disabled'; readonly key: string; readonly dependency: string }
  | { readonly code: 'field_unsupported'; readonly key: string; readonly field: string }
  | { readonly code: 'unarchives'; readonly key: string; readonly id: number }
  | { readonly code: 'key_shared'; readonly key: string; readonly ids: readonly number[] }
  | { readonly code: 'previous_key_live'; readonly key: string; readonly previous: string; readonly id: number }
  /** Live here, and named by manifests for other projects only. */
  | { readonly code: 'named_elsewhere'; readonly key: string; readonly id: number }
  /** A part of `filters` that no manifest declares holds people out of the flag: `percent` of all. */
  | {
      readonly code: 'holdout_undeclared';
      readonly key: string;
      readonly part: 'holdout' | 'holdout_groups';
      readonly percent: number;
    }
  /** A part of `filters` that no manifest declares decides before any condition. */
  | {
      readonly code: 'early_access_undeclared';
      readonly key: string;
      readonly part: 'super_groups' | 'feature_enrollment';
    }
  | { readonly code: 'target_unknown'; readonly key: string }
  | { readonly code: 'protected_unmatched'; readonly key: string }
  /** The change cannot be applied from a saved plan, since no file may hold the secrets. */
  | { readonly code: 'payloads_encrypted'; readonly key: string };
