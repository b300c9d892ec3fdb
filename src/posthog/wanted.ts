/** What must be read of the service, and how plans name it. */

import type { ResourceId } from '../engine/snapshot.ts';
import type { ByFamily, FamilyName, FamilyTypes } from './kind-types.ts';

/** Resources of one family. */
export interface WantedResources<Desired, Id extends ResourceId = ResourceId> {
  /** By the keys that the service knows now. */
  readonly keys?: readonly string[];
  /** Those that are read one by one where the list leaves them out, as it does with deleted ones. */
  readonly ids?: readonly Id[];
  /** The declared ones: where the list has none of the names of one, the resource that had them is looked for. */
  readonly declared?: readonly Desired[];
}

/** A further family is listed where it is wanted. */
export interface WantedState extends ByFamily<{
  readonly [Name in FamilyName]: WantedResources<FamilyTypes[Name]['desired'], FamilyTypes[Name]['live']['id']>;
}> {
  readonly roleAccess?: WantedAccess;
}

/** The flags whose role access is wanted. */
export interface WantedAccess {
  readonly keys?: readonly string[];
  /** The same by id, where keys may have changed since. */
  readonly ids?: readonly number[];
  /** What manifests declare: a flag whose access the lists by subject show to be this needs no request of its own. */
  readonly expected?: readonly ExpectedAccess[];
  /** Whether to read what the organisation says about access, where flags have levels of access. */
  readonly organization?: boolean;
}

/** The declared access to one flag. Absent members are not managed. */
export interface ExpectedAccess {
  /** The keys that the flag may have. */
  readonly keys: readonly string[];
  readonly roles?: readonly { readonly id: string; readonly level: string }[];
  /** Null: no level of its own. */
  readonly everyone?: string | null;
}

/** How plans name flags that the service has under other keys, or does not have yet. */
export interface PlanKeys {
  /** The key of now for a key that the plan gives. */
  readonly liveKey: (key: string) => string;
  readonly created: ReadonlySet<string>;
}
