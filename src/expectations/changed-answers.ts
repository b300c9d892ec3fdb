/** Finds the named people to whom a plan gives other answers. */

import type { FlagValue } from '../evaluation/evaluation.ts';
import type { ExpectedAnswer, DecidingCondition, Undecided } from './verdict.ts';

export interface ChangedAnswers {
  /** All people that the test files name. */
  readonly people: number;
  /** The people with at least one answer that changes. */
  readonly changed: number;
  /** The number of answers that change. */
  readonly total: number;
  /** The first of them, person by person as the test files name them; at most `MOST_KEPT`. */
  readonly answers: readonly ChangedAnswer[];
}

export const MOST_KEPT = 1000;

/** The answers of one flag to one person with the live flags, and with the plan applied. */
export interface ChangedAnswer {
  /** The name in the test files. */
  readonly person: string;
  /** The key once the plan is applied. */
  readonly flag: string;
  readonly before: LiveAnswer;
  readonly after: LiveAnswer;
  /** The value stays, and its payload changes. Payloads may be secret, so none is held. */
  readonly payloadChanges: boolean;
}

export type LiveAnswer =
  { readonly kind: 'decided'; readonly answer: DecidedAnswer } | { readonly kind: 'undecided'; readonly why: Unknown };

/** `filter_unknown`: it depends on a filter that only the service can decide. */
type Unknown = Extract<Undecided['code'], 'unknown_format' | 'dependency_unknown'> | 'filter_unknown';

export interface DecidedAnswer {
  readonly value: FlagValue;
  /** `flag_missing`: the project has no such flag. */
  readonly reason: Exclude<ExpectedAnswer['reason'], 'flag_deleted'> | 'flag_missing';
  /** The condition that decided; absent if none did, or several did not match. */
  readonly condition?: Pick<DecidingCondition, 'number' | 'condition'>;
  /** The number of conditions of the flag. */
  readonly conditions: number;
}
