/** The verdict on one expectation: for one person, one flag and one project. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { FlagValue, Reason, UndecidedReason } from '../evaluation/evaluation.ts';
import type { AttemptResult } from './attempts.ts';
import type { Expected } from './expectation.ts';

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
