/** Differences of cohorts that mean nothing, as one table. Both sides of every comparison are brought into one form by it. */

import type { JsonValue } from '../../base/json.ts';

/** `*` stands for every member. */
export interface CohortTolerance {
  readonly of: 'cohort' | 'leaf';
  readonly member: string;
  readonly treat: CohortTreatment;
  readonly reason: string;
}

type CohortTreatment =
  /** Added by the service: neither compared nor sent. */
  | { readonly kind: 'injected' }
  /** Means the same as no value. */
  | { readonly kind: 'absent'; readonly when: readonly JsonValue[] }
  /** The meaning of an absent value in leaves of these types. `sent`: requests write it out. */
  | {
      readonly kind: 'default';
      readonly value: JsonValue;
      readonly types?: readonly (string | null)[];
      readonly sent?: true;
    }
  | { readonly kind: 'form'; readonly form: CohortForm };

export type CohortForm = 'trimmed' | 'id' | 'operator' | 'operand';

export const COHORT_TOLERANCES: readonly CohortTolerance[] = [
  {
    of: 'cohort',
    member: 'name',
    treat: { kind: 'form', form: 'trimmed' },
    reason: 'the service trims names',
  },
  {
    of: 'cohort',
    member: 'description',
    treat: { kind: 'form', form: 'trimmed' },
    reason: 'the service trims descriptions',
  },
  {
    of: 'cohort',
    member: 'description',
    treat: { kind: 'absent', when: [''] },
    reason: 'a cohort without a description has an empty one',
  },
  { of: 'cohort', member: '*', treat: { kind: 'absent', when: [null] }, reason: 'null where there is no value' },

  {
    of: 'leaf',
    member: 'bytecode',
    treat: { kind: 'injected' },
    reason: 'compiled by the service on every write since 2025',
  },
  { of: 'leaf', member: 'bytecode_error', treat: { kind: 'injected' }, reason: 'why a leaf could not be compiled' },
  { of: 'leaf', member: 'conditionHash', treat: { kind: 'injected' }, reason: 'the hash of the compiled leaf' },
  {
    of: 'leaf',
    member: '*',
    treat: { kind: 'absent', when: [null] },
    reason: 'the service drops members that are null',
  },
  {
    of: 'leaf',
    member: 'negation',
    treat: { kind: 'default', value: false },
    reason: 'the service writes out that nothing is negated',
  },
  {
    of: 'leaf',
    member: 'type',
    treat: { kind: 'default', value: 'person', sent: true },
    reason: 'a leaf without a type, which the service refuses, is about a property of persons',
  },
  {
    of: 'leaf',
    member: 'key',
    treat: { kind: 'default', value: 'id', types: ['cohort'], sent: true },
    reason: 'a leaf on another cohort always has this key',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: { kind: 'default', value: 'exact', types: ['person', 'person_metadata', null], sent: true },
    reason: 'a property without an operator, which the service refuses, is compared for equality',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: { kind: 'form', form: 'operator' },
    reason:
      'cohorts of old have an operator in leaves on other cohorts, which the service refuses today: in means the same as none',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: { kind: 'form', form: 'id' },
    reason: 'the id of another cohort may be text, which the service turns into a number',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: { kind: 'form', form: 'operand' },
    reason: 'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  },
];
