/** Live state: what the service holds for one project, as far as the run needs it. */

import type { Trace } from '../core/engine/trace.ts';
import type { ScheduledChange } from './flag/schedules.ts';
import type { ByFamily, FamilyName, FamilyTypes } from './kind-types.ts';
import type { FlagAccess, Organization } from './role-access/access.ts';
import type { UnknownSchedules } from './flag/schedules.ts';
import type { Disabling, TurnedOffFlags } from './flag/snapshot.ts';

/**
 * Every flag that the service lists, with archived ones if the run needs them. Of each further family, the resources that are not
 * deleted, and those with a selected id; absent if none was selected.
 */
export interface LiveState
  extends ByFamily<{ readonly [Name in FamilyName]: readonly FamilyTypes[Name]['live'][] }>, FlagSurroundings {
  /** The traces of declared resources that are not found, by family; each name at most once. */
  readonly traces?: Partial<Readonly<Record<FamilyName, readonly Trace[]>>>;
}

/** What a run knows about live flags besides the flags themselves. */
interface FlagSurroundings {
  /** Secret payloads are digests already: the state is that of a snapshot file. */
  readonly hasPayloadDigests?: true;
  /** Role access by flag id (as a string), only for flags whose role access is managed. */
  readonly roleAccess: Readonly<Record<string, FlagAccess>>;
  /** Present if access is planned, the service has levels of access, and the key may read it. */
  readonly organization?: Organization;
  /** Flags that a recorded run turned off; absent if there are none, or if no journal was read. */
  readonly turnedOff?: TurnedOffFlags;
  /** The ids of disabled flags that a recorded run enabled last: somebody else has disabled them since. */
  readonly turnedOn?: ReadonlySet<number>;
  /** Who disabled flags that the manifests declare enabled, by their ids; absent where the last apply is known. */
  readonly disablings?: ReadonlyMap<number, Disabling>;
  /** The `property_matching_version`; absent if it makes no difference or is not known. */
  readonly matching?: 1 | 2;
  /** The changes that the service will make by itself; absent if they were not read. */
  readonly schedules?: readonly ScheduledChange[];
  /** Why they are unknown although they were requested. */
  readonly unknownSchedules?: UnknownSchedules;
}
