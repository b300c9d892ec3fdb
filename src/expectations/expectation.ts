/** The resolved content of test files: people, and the answers that flags must give them. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place, PlaceTree } from '../base/place.ts';
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
  /** Cohorts that the person counts as a member of, even if their definition says otherwise: aliases and ids. */
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

/** One document of a test file. */
export interface TestDocument {
  /** Keys are names; `undefined` for a person whose form is wrong. */
  readonly people: ReadonlyMap<string, WrittenPerson | undefined>;
  /** The expectations whose form is right. */
  readonly expectations: readonly PlacedExpectation[];
  readonly places: PlaceTree;
}

interface PlacedExpectation {
  readonly written: WrittenExpectation;
  /** Pointer of the expectation in the document. */
  readonly at: string;
}

export interface WrittenPerson {
  readonly id?: string;
  readonly properties?: JsonObject | null;
  readonly groups?: Readonly<Record<string, WrittenGroup>> | null;
  readonly cohorts?: readonly (string | number)[] | null;
  readonly device_id?: string;
  readonly anonymous_id?: string;
}

export type WrittenGroup = string | number | { readonly key: string | number; readonly properties?: JsonObject | null };

export interface WrittenExpectation {
  readonly name?: string;
  readonly person: string | readonly string[] | (WrittenPerson & { readonly id: string });
  readonly projects?: readonly string[];
  readonly at?: string;
  readonly flags: Readonly<Record<string, WrittenAnswer>>;
}

export type WrittenAnswer = boolean | string | { readonly value?: boolean | string; readonly payload?: JsonValue };
