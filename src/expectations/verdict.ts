/** What became of one expectation: for one person, one flag and one project. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { FlagValue, Reason } from '../evaluation/evaluation.ts';
import type { AttemptResult } from './attempts.ts';
import type { Expected } from './expectation.ts';

export interface ExpectationCase {
  readonly project: string;
  readonly flag: string;
  /** The name of the person. */
  readonly person: string;
  /** What the author calls the expectation. */
  readonly name?: string;
  /** In the test file. */
  readonly place: Place;
  readonly expected: Expected;
  readonly verdict: ExpectationVerdict;
}

export type ExpectationVerdict =
  | { readonly outcome: 'passed'; readonly answer: ExpectedAnswer }
  | {
      readonly outcome: 'failed';
      readonly answer: ExpectedAnswer;
      /** Where the value is not the expected one and conditions decided it: in the order in which they are evaluated. */
      readonly attempts: readonly TriedCondition[];
    }
  /** The manifests do not say what the flag answers. */
  | { readonly outcome: 'undecided'; readonly why: Undecided };

export type ExpectationOutcome = ExpectationVerdict['outcome'];

/** What a flag answers, and what decided it. */
export interface ExpectedAnswer {
  readonly value: FlagValue;
  /** As the flag declares it, in the form in which payloads are compared. */
  readonly payload?: JsonValue;
  /** `flag_deleted`: the manifests declare that the flag does not exist. */
  readonly reason: Exclude<Reason, 'missing_dependency' | 'unknown_format'> | 'flag_deleted';
  /** The condition that decided; absent where none did, or several did not match. */
  readonly condition?: DecidingCondition;
  /** How many conditions the flag has. */
  readonly conditions: number;
}

/** A condition, and what it makes of the person. */
export interface TriedCondition {
  readonly condition: DecidingCondition;
  readonly result: AttemptResult;
}

export interface DecidingCondition {
  /** Counts from 1. */
  readonly number: number;
  readonly condition: JsonObject;
  /** In the manifest. */
  readonly place: Place;
}

export type Undecided =
  /** No manifest declares the conditions of the flag: the service decides about them. */
  | { readonly code: 'conditions_undeclared' }
  /** It depends on a flag whose value is unknown. */
  | { readonly code: 'dependency_unknown'; readonly flags: readonly string[] }
  /** It depends on a filter that only the service can decide: one with an operator or of a type that this release does not know. */
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
