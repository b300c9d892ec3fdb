/** What a run knows of live flags beside the flags themselves. */

import type { FlagAccess, Organization } from '../role-access/access.ts';
import type { TurnedOffFlags } from '../turned-off.ts';
import type { ScheduledChange } from './schedules.ts';

export interface FlagSurroundings {
  /** Secret payloads are digests already: the state is that of a snapshot file. */
  readonly hasPayloadDigests?: true;
  /** Role access by flag id (as a string), only for flags whose role access is managed. */
  readonly roleAccess: Readonly<Record<string, FlagAccess>>;
  /** Read where access is planned on a service that has levels, and the key may read it. */
  readonly organization?: Organization;
  /** Flags that a recorded run turned off; absent where none was, and where no journal was asked. */
  readonly turnedOff?: TurnedOffFlags;
  /** What the service is to change by itself; absent where it was not read. */
  readonly schedules?: readonly ScheduledChange[];
}
