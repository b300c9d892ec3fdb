/** What a run knows of the project that it writes to: flags by id and key, and role access. */

import type { Writer } from '../engine/writer.ts';
import type { ServiceClient } from './client/client.ts';
import type { Flag } from './flag/flag.ts';
import type { LiveState } from './live.ts';

/** How a kind of resource is written to this service. */
export type KindWriter<Change> = Writer<Change, RunState, ServiceClient, Flag>;

export interface RunState {
  readonly directory: FlagDirectory;
  readonly live: LiveIndex;
}

/** Keys and ids of the flags: requests name dependencies by id. */
export interface FlagDirectory {
  readonly idOf: (key: string) => number | undefined;
  /** By the key that the flag has once the plan is applied, as in the plan's canonical forms. */
  readonly keyOf: (id: number) => string | undefined;
  readonly add: (key: string, id: number) => void;
}

/** Live state as it was just read. */
export interface LiveIndex {
  /** As they were read, or as the service answered to a write of this run. */
  readonly flagsById: Map<number, Flag>;
  /** The keys that a create would collide with. */
  readonly takenKeys: ReadonlySet<string>;
  readonly roleAccess: LiveState['roleAccess'];
  /** Refs of what an earlier run may have done (`role_access:KEY:ROLE-ID`): no sign that another user changed the list. */
  readonly expectedToMove: ReadonlySet<string>;
}
