/** How a kind of resource is written: the interface for the one write loop of `apply/`. */

import type { OfId, ResourceId } from './snapshot.ts';
import type { RequestMatch, ChangeRequest } from './change-request.ts';
import type { FieldChange } from './change.ts';
import type { RequestRound } from './forecast.ts';
import type { Remainder } from './diff.ts';

/** `State`: the run's facts about the service. `Client`: the access to it. `Live`: resources as a plan saw them. */
export interface Writer<Change, State, Client, Live> {
  /** The standing of a change in live state before it is written. */
  inspect(change: Change, state: State): StandingBeforeWrite;
  /**
   * The id of what the change wrote, where live state shows its effect; `undefined` if it does not, or where that part
   * was not read, which never counts as absent.
   */
  findEffect(change: Change, state: State): ResourceId | undefined;
  prepare(change: Change, state: State, client: Client): Write | Impossible;
  /** Whether the service has no lock for what the change writes, so that it is read once more right before. */
  needsRefresh(change: Change): boolean;
  /** The requests that the write takes, one after the other; without the method, one. */
  countWrites?(change: Change): number;
  /** Whether what was written is looked up right after, since the service may hold two of it (`Write.confirm`). */
  needsConfirming?(change: Change): boolean;
  /** Reads it once more into the state; rejects if it cannot be read. */
  refresh(change: Change, state: State, client: Client): Promise<void>;
  /** Reads what the changes wrote; rejects if it cannot be read. */
  readBack(changes: readonly Change[], reading: ReadBack<State, Client>): Promise<readonly Remainder[]>;
  /** The requests that `readBack` sends, in rounds of concurrent requests. */
  countReadBack(changes: readonly Change[], live: readonly Live[]): readonly RequestRound[];
}

export type StandingBeforeWrite =
  | { readonly kind: 'as_planned' }
  | { readonly kind: 'in_effect'; readonly id: ResourceId }
  /** `moved`: what differs from what the plan saw. */
  | { readonly kind: 'moved'; readonly moved: readonly FieldChange[] }
  /** The request would write paths that the change does not show. */
  | { readonly kind: 'unshown'; readonly paths: readonly string[] };

/** One change, ready to be sent. */
export interface Write {
  /** Resolves to the id of what was written. */
  readonly send: () => Promise<ResourceId>;
  /** The refusal after which the write is looked up, as after a lost answer: live state may explain it. */
  readonly lookUpAfter: WriteRefusal;
  /** Whether the write is sent again if the look-up does not explain that refusal. */
  readonly repeatRefused: boolean;
  readonly lookUp: () => Promise<LookUpResult>;
  /** Called once the write was answered with this id. If it rejects because nothing can be looked up, the answer stands. */
  readonly confirm?: OfId<Promise<Confirmation>>;
  /** The write in parts, for a service that lets people approve one action at a time; absent if it is one action. */
  readonly parts?: readonly WritePart[];
  /** The whole would do more than is wanted, so it is only sent in parts. */
  readonly onlyInParts?: boolean;
  /** Compares an open change request; `undefined` if its description is not enough. Absent if no change needs approval. */
  readonly compareRequest?: (request: ChangeRequest) => RequestMatch | undefined;
}

export interface WritePart {
  /** The fields that it writes. */
  readonly fields: readonly string[];
  /** Called once the parts before it are written. */
  readonly prepare: () => Write;
}

export type WriteRefusal = 'key_taken' | 'conflict' | 'not_found';

/** The result of a look-up after a failed write. */
export type LookUpResult =
  | { readonly kind: 'in_effect'; readonly id: ResourceId }
  /** The service has what it had before; `send` is the next attempt. */
  | { readonly kind: 'unwritten'; readonly send: () => Promise<ResourceId> }
  /** The service has something else. `moved` is absent if the refusal is reason enough. */
  | { readonly kind: 'changed'; readonly moved?: readonly FieldChange[] };

/** The result of a look-up after an answered write. */
export type Confirmation =
  /** `already`: another process made the same at the same time, and its resource is used instead of the one of this write. */
  | { readonly kind: 'in_effect'; readonly id: ResourceId; readonly already?: true }
  /** The service has two of them, and people must say which one to use. */
  | { readonly kind: 'doubled'; readonly code: string; readonly message: string };

/** The reason why a change cannot be sent. */
export interface Impossible {
  readonly impossible: { readonly code: string; readonly message: string; readonly field?: string };
}

export interface ReadBack<State, Client> {
  readonly state: State;
  readonly client: Client;
  /** The number of resources in the project before the run, which decides whether reading one by one costs fewer requests. */
  readonly total: number;
}
