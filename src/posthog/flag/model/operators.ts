/** The operators of a property, one row each: what evaluation, the checks of manifests and the JSON Schema derive from. */

import type { JsonValue } from '../../../base/json.ts';

/** The subject of a property of a condition: a value of the person or group, a cohort, or another flag. */
type OperatorSubject = 'value' | 'cohort' | 'flag';

/** The kind of value that an operator compares with. */
export type OperandKind =
  | 'none'
  | 'scalars'
  | 'string'
  | 'strings'
  | 'regex'
  | 'number-string'
  | 'number-pair'
  | 'date'
  | 'semver'
  | 'semver-wildcard'
  | 'cohort'
  | 'flag-result';

export interface OperatorRow<Name extends string = string> {
  readonly subject: OperatorSubject;
  readonly operand: OperandKind;
  /** The operator with the opposite answer. Unlike its opposite, this one matches if the property is missing. */
  readonly negates?: Name;
  /** The current name, if this is an older one that the service replaces when it stores a flag. */
  readonly renamedTo?: Name;
  /** Whether the service refuses the operator in flags, although it evaluates it. */
  readonly evaluatedOnly?: true;
}

const ROWS = {
  exact: { subject: 'value', operand: 'scalars' },
  is_not: { subject: 'value', operand: 'scalars', negates: 'exact' },
  is_set: { subject: 'value', operand: 'none' },
  is_not_set: { subject: 'value', operand: 'none', negates: 'is_set' },
  icontains: { subject: 'value', operand: 'string' },
  not_icontains: { subject: 'value', operand: 'string', negates: 'icontains' },
  icontains_multi: { subject: 'value', operand: 'strings' },
  not_icontains_multi: { subject: 'value', operand: 'strings', negates: 'icontains_multi' },
  starts_with: { subject: 'value', operand: 'string' },
  not_starts_with: { subject: 'value', operand: 'string', negates: 'starts_with' },
  ends_with: { subject: 'value', operand: 'string' },
  not_ends_with: { subject: 'value', operand: 'string', negates: 'ends_with' },
  regex: { subject: 'value', operand: 'regex' },
  not_regex: { subject: 'value', operand: 'regex', negates: 'regex' },
  gt: { subject: 'value', operand: 'number-string' },
  gte: { subject: 'value', operand: 'number-string' },
  lt: { subject: 'value', operand: 'number-string' },
  lte: { subject: 'value', operand: 'number-string' },
  min: { subject: 'value', operand: 'number-string', renamedTo: 'gte' },
  max: { subject: 'value', operand: 'number-string', renamedTo: 'lte' },
  between: { subject: 'value', operand: 'number-pair', evaluatedOnly: true },
  not_between: { subject: 'value', operand: 'number-pair', negates: 'between', evaluatedOnly: true },
  is_date_exact: { subject: 'value', operand: 'date' },
  is_date_before: { subject: 'value', operand: 'date' },
  is_date_after: { subject: 'value', operand: 'date' },
  semver_eq: { subject: 'value', operand: 'semver' },
  semver_neq: { subject: 'value', operand: 'semver' },
  semver_gt: { subject: 'value', operand: 'semver' },
  semver_gte: { subject: 'value', operand: 'semver' },
  semver_lt: { subject: 'value', operand: 'semver' },
  semver_lte: { subject: 'value', operand: 'semver' },
  semver_tilde: { subject: 'value', operand: 'semver' },
  semver_caret: { subject: 'value', operand: 'semver' },
  semver_wildcard: { subject: 'value', operand: 'semver-wildcard' },
  in: { subject: 'cohort', operand: 'cohort' },
  not_in: { subject: 'cohort', operand: 'cohort', negates: 'in' },
  flag_evaluates_to: { subject: 'flag', operand: 'flag-result' },
} as const;

type OperatorRows = typeof ROWS;

export type Operator = keyof OperatorRows;

/** The operators that compare a value and are neither the negation nor the older name of another. */
export type ComparingOperator = {
  [Name in Operator]: OperatorRows[Name] extends {
    readonly subject: 'value';
    readonly negates?: never;
    readonly renamedTo?: never;
  }
    ? Name
    : never;
}[Operator];

export const OPERATORS: Readonly<Record<Operator, OperatorRow<Operator>>> = ROWS;

/** The row of an operator; `undefined` for a name that this release does not know. */
export function findOperator(name: JsonValue): OperatorRow<Operator> | undefined {
  return typeof name === 'string' && Object.hasOwn(OPERATORS, name) ? OPERATORS[name as Operator] : undefined;
}
