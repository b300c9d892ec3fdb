/** The state to read from the service, and its names in plans. */

import type { ResourceId } from '../engine/snapshot.ts';
import type { ByFamily, FamilyName, FamilyTypes } from './kind-types.ts';

/** Resources of one family. */
export interface WantedResources<Desired, Id extends ResourceId = ResourceId> {
  /** Keys that the service currently has. */
  readonly keys?: readonly string[];
  /** Ids that are read one by one if the list omits them, as it does with deleted ones. */
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
  /** The declared access: a flag that has it by the lists by subject needs no separate request. */
  readonly expected?: readonly ExpectedAccess[];
  /** Whether to read what the organization says about access, where flags have levels of access. */
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

/** Names in plans for flags that the service has under other keys, or does not have yet. */
export interface PlanKeys {
  /** The current key for a key that the plan gives. */
  readonly liveKey: (key: string) => string;
  readonly created: ReadonlySet<string>;
}
