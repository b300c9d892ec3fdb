/**
 * The types of each kind of resource. A new kind is a row here and one in `kinds.ts`; from the two, the compiler names every place that
 * lacks the kind.
 */

import type { CohortTypes } from './cohort/kind.ts';
import type { EarlyAccessTypes } from './early-access/kind.ts';
import type { FlagTypes } from './flag/kind.ts';
import type { RoleAccessTypes } from './role-access/kind.ts';

export interface KindTypes {
  readonly flag: FlagTypes;
  readonly role_access: RoleAccessTypes;
  readonly cohort: CohortTypes;
  readonly early_access: EarlyAccessTypes;
}

export type KindName = keyof KindTypes;

/** The state of a main kind, which an attached kind lacks. */
interface OwnState {
  /** The member of manifests, and of every state of a project, that holds its resources. */
  readonly section: string;
}

/** A main kind; with the kinds that are attached to it, it is a family. */
export type OwnKind = { [Name in KindName]: KindTypes[Name] extends OwnState ? Name : never }[KindName];

/** A family, by its section. */
export type FamilyName = KindTypes[OwnKind]['section'];

export type FamilyTypes = { readonly [Name in OwnKind as KindTypes[Name]['section']]: KindTypes[Name] };

/** The family that the others are about: scope and prune are about it, and it is always read. */
type MainFamily = 'flags';

export type FurtherFamily = Exclude<FamilyName, MainFamily>;

/** A member for each family; of the others than the main one, where manifests declare some or a run needs them. */
export type ByFamily<State extends Readonly<Record<FamilyName, unknown>>> = Pick<State, MainFamily> &
  Partial<Pick<State, FurtherFamily>>;
