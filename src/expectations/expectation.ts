/** The resolved content of test files: people, and the answers that flags must give them. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { FlagValue } from '../evaluation/evaluation.ts';

/** Every test file of a configuration together. */
export interface Suite {
  /** Keys are names. */
  readonly people: ReadonlyMap<string, NamedPerson>;
  readonly expectations: readonly Expectation[];
}

/** Somebody for whom flags are evaluated. */
export interface NamedPerson {
  /** The name in the test files; the id of a person who has none. */
  readonly name: string;
  /** The distinct id, which rollouts hash. */
  readonly id: string;
  readonly properties: JsonObject;
  /** Keys are indices of group types, as in `aggregation_group_type_index`. */
  readonly groups: Readonly<Record<string, GroupOfPerson>>;
  /** Cohorts that count the person as a member, whatever their definition: aliases and ids. */
  readonly cohorts: readonly (string | number)[];
  readonly deviceId?: string;
  readonly anonymousId?: string;
}

export interface GroupOfPerson {
  readonly key: string | number;
  readonly properties: JsonObject;
}

/** One flag for several people. */
export interface Expectation {
  /** The author's name for it. */
  readonly name?: string;
  readonly people: readonly NamedPerson[];
  /** Names of projects; absent: every project that declares the flag. */
  readonly projects?: readonly string[];
  /** Milliseconds since 1970; absent: the time of the run. */
  readonly at?: number;
  readonly flag: string;
  readonly expected: Expected;
  /** The place of the flag in the test file. */
  readonly place: Place;
}

/** `value: true`: on, with any variant. `payload` is absent if any will do, and null for none. */
export interface Expected {
  readonly value: FlagValue;
  readonly payload?: JsonValue;
}
