/** Desired state: what all manifests together declare for one project, with the place of each value. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place, PlaceTree } from '../base/place.ts';
import type { DeclaredRollout } from '../core/rollout/rollout.ts';
import type { OwnershipRule } from './flag/model/fields.ts';
import type { ByFamily, FamilyName, FamilyTypes } from './kind-types.ts';

/** Each family's resources are sorted by key, and their keys are unique; a family without declared resources is absent. */
export interface DesiredState extends ByFamily<{
  readonly [Name in FamilyName]: readonly FamilyTypes[Name]['desired'][];
}> {
  /**
   * Keys and previous keys that manifests have only for other projects, by family, each list sorted; absent if there are none. A
   * live flag with one of them is not unmanaged, and is not pruned.
   */
  readonly namedElsewhere?: Partial<Readonly<Record<FamilyName, readonly string[]>>>;
}

export type DesiredFlag = DeclaredFlag | RetiredFlag;

/** A flag that must exist. Absent members are not managed. */
export interface DeclaredFlag {
  readonly kind: 'declared';
  readonly key: string;
  /** Keys that the flag had before. A live flag with one of them is renamed. */
  readonly previousKeys: readonly string[];
  /** The JSON Schema of its payloads, which is not sent; absent without one, and where it cannot be used. */
  readonly payloadSchema?: PayloadSchema;
  /**
   * The managed fields by their API name (`name`, `active`, `filters`, …), with ids in place of cohort aliases, except for
   * declared cohorts without a configured id. A dependency has the other flag's key, or its id as a number.
   */
  readonly fields: JsonObject;
  /** The roles with access, sorted by id; absent if the access of roles is not managed, empty for no role. */
  readonly roleAccess?: readonly DesiredRole[];
  /** The level of everyone; absent if it is not managed. */
  readonly everyone?: DesiredLevel;
  /** The rules for values that are not managed, the weakest first; absent if git decides everything. */
  readonly ownership?: readonly OwnershipRule[];
  /** Values that change over time, and their steps; absent if there are none. */
  readonly rollouts?: readonly DeclaredRollout[];
  /** Places by API field name: `/name`, `/filters/groups/0/rollout_percentage`. The root is the flag's key. */
  readonly places: PlaceTree;
}

/** `file`: relative to the configuration's folder. */
export interface PayloadSchema {
  readonly file: string;
  readonly schema: JsonValue;
}

/** A flag that must not exist (`deleted: true`). Its other members are ignored. */
export interface RetiredFlag {
  readonly kind: 'retired';
  readonly key: string;
  readonly places: PlaceTree;
}

export interface DesiredRole {
  readonly id: string;
  /** The name in the configuration; absent if the manifest has the id. */
  readonly name?: string;
  /** Absent: editor. */
  readonly level?: string;
  readonly place: Place;
}

/** `level` is null if the flag must have no level of its own. */
export interface DesiredLevel {
  readonly level: string | null;
  readonly place: Place;
}
