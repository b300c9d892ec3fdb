/** Live state: what the service holds for one project, as far as the run needs it. */

import type { Trace } from '../engine/trace.ts';
import type { Cohort } from './cohort/cohort.ts';
import type { Flag } from './flag/flag.ts';
import type { ScheduledChange } from './flag/schedules.ts';
import type { TurnedOffFlags } from './turned-off.ts';
import type { FlagAccess, Organization } from './role-access/access.ts';

export interface LiveState {
  /** Every flag that the service lists, with archived ones if the run needs them. */
  readonly flags: readonly Flag[];
  /** Secret payloads are digests already: the state is that of a snapshot file. */
  readonly hasPayloadDigests?: true;
  /** Role access by flag id (as a string), only for flags whose role access is managed. */
  readonly roleAccess: Readonly<Record<string, FlagAccess>>;
  /** The cohorts that are not deleted, and those with a wanted id; absent where none was wanted. */
  readonly cohorts?: readonly Cohort[];
  /** What became of declared cohorts that are found neither by an id nor by a name, by alias; each at most once. */
  readonly cohortTraces?: readonly Trace[];
  /** Read where access is planned on a service that has levels, and the key may read it. */
  readonly organization?: Organization;
  /** What became of flags whose keys are declared and that the list does not have; each key at most once. */
  readonly traces?: readonly Trace[];
  /** Flags that a recorded run turned off; absent where none was, and where no journal was asked. */
  readonly turnedOff?: TurnedOffFlags;
  /** What the service is to change by itself; absent where it was not read. */
  readonly schedules?: readonly ScheduledChange[];
}
