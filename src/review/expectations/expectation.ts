/** The content of test files, as written and resolved: people, and the answers that flags must give them; and the verdict on each. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Place, PlaceTree } from '../../base/place.ts';
import type { FlagValue, Reason, UndecidedReason } from '../../evaluation/input.ts';

/** Other programs keep YAML there too, so a file counts only if it looks like a test. */
export const DEFAULT_TESTS: readonly string[] = ['tests/**/*.{yaml,yml}'];

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

type WrittenGroup = string | number | { readonly key: string | number; readonly properties?: JsonObject | null };

export interface WrittenExpectation {
  readonly name?: string;
  readonly person: string | readonly string[] | (WrittenPerson & { readonly id: string });
  readonly projects?: readonly string[];
  readonly at?: string;
  readonly flags: Readonly<Record<string, WrittenAnswer>>;
}

export type WrittenAnswer = boolean | string | { readonly value?: boolean | string; readonly payload?: JsonValue };

export interface ExpectationCase {
  readonly project: string;
  readonly flag: string;
  /** The name of the person. */
  readonly person: string;
  /** The author's name for the expectation. */
  readonly name?: string;
  /** The place in the test file. */
  readonly place: Place;
  readonly expected: Expected;
  readonly verdict: ExpectationVerdict;
}

export type ExpectationVerdict =
  | { readonly outcome: 'passed'; readonly answer: ExpectedAnswer }
  | {
      readonly outcome: 'failed';
      readonly answer: ExpectedAnswer;
      /** The conditions in the order of their evaluation, if they decided an unexpected value. */
      readonly attempts: readonly TriedCondition[];
    }
  /** The manifests do not say what the flag answers. */
  | { readonly outcome: 'undecided'; readonly why: Undecided };

export type ExpectationOutcome = ExpectationVerdict['outcome'];

/** The answer of a flag, and what decided it. */
export interface ExpectedAnswer {
  readonly value: FlagValue;
  /** The declared payload, in the form in which payloads are compared. */
  readonly payload?: JsonValue;
  /** `flag_deleted`: the manifests declare that the flag does not exist. */
  readonly reason: Exclude<Reason, 'missing_dependency' | UndecidedReason> | 'flag_deleted';
  /** The condition that decided; absent if none did, or several did not match. */
  readonly condition?: DecidingCondition;
  /** The number of conditions of the flag. */
  readonly conditions: number;
}

/** A condition, and its result for the person. */
export interface TriedCondition {
  readonly condition: DecidingCondition;
  readonly result: AttemptResult;
}

/** Positions are percentages, between 0 and 100. */
export type AttemptResult =
  /** The first filter that does not match, by its index. `found` is absent if the person or group has no such property. */
  | { readonly kind: 'unmatched'; readonly filter: number; readonly found?: JsonValue }
  /** Only the service can decide the filter. */
  | { readonly kind: 'undecided'; readonly filter: number }
  /** The filters cannot be read, so they match nobody. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'no_group'; readonly type: number }
  | { readonly kind: 'no_device' }
  | { readonly kind: 'left_out'; readonly identifier: string; readonly position: number }
  | { readonly kind: 'matched'; readonly identifier: string; readonly variant?: ChosenVariant };

/** `forced`: the condition names the variant. */
export type ChosenVariant = { readonly kind: 'forced' } | { readonly kind: 'hashed'; readonly position: number };

export interface DecidingCondition {
  /** Counts from 1. */
  readonly number: number;
  readonly condition: JsonObject;
  /** The place in the manifest. */
  readonly place: Place;
}

export type Undecided =
  /** No manifest declares the conditions of the flag: the service decides about them. */
  | { readonly code: 'conditions_undeclared' }
  /** The flag depends on a flag whose value is unknown. */
  | { readonly code: 'dependency_unknown'; readonly flags: readonly string[] }
  /**
   * The flag depends on a filter that only the service can decide: one with an operator or of a type that this release does not know, or
   * with a regular expression that is not translated.
   */
  | {
      readonly code: 'filter_unknown';
      /** The flag that has the filter; absent for the flag itself. */
      readonly dependency?: string;
      readonly condition: DecidingCondition;
      readonly filter: JsonObject;
    }
  /** The filters have a format that this evaluation does not know. */
  | { readonly code: 'unknown_format' }
  /** Payloads of the flag are secrets. */
  | { readonly code: 'payload_encrypted' };
