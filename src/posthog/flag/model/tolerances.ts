/**
 * The complete list of differences between a sent value and the value read back that do not change the meaning, with reasons. Fields that
 * the service computes are never compared (`fields.ts`), nor are hidden encrypted payloads (`encrypted-payloads.ts`). A missing row is a
 * difference that never disappears; a wrong row is a change that no report shows. Facts: docs/service.md, "Sent and returned".
 */

import type { JsonValue } from '../../../base/json.ts';
import type { FormName } from './normal-forms.ts';

export interface Tolerance {
  /** JSON pointer from the flag; `*` stands for one segment. */
  readonly path: string;
  readonly treat: Treatment;
  readonly reason: string;
}

export type Treatment =
  /** The service adds it on reading: never compared, and never sent back, since it would look like an edit. */
  | { readonly kind: 'injected'; readonly into: Mark }
  /** The web interface stores it: never compared, and carried over into every request. */
  | { readonly kind: 'carried' }
  /** Another product's part of the flag, which it decides unless a manifest declares it (`ownership.ts`). */
  | { readonly kind: 'observed' }
  /** These values mean the same as an absent one. A request has `sentAs` instead of them and of null, which some services refuse. */
  | { readonly kind: 'absent'; readonly when: readonly JsonValue[]; readonly sentAs?: JsonValue }
  /** No value, and null, mean this value: in every object, or `of` some. `sent`: requests have it, since services need it. */
  | { readonly kind: 'default'; readonly value: JsonValue; readonly of?: Owners; readonly sent?: true }
  /** A list whose order means nothing: lists with the same elements are equal. */
  | { readonly kind: 'unordered' }
  /** Compared in a normal form. */
  | { readonly kind: 'form'; readonly form: FormName };

/** Identifies the objects that get an injected member; in any other object the same name is a user's value. */
export interface Mark {
  readonly member: string;
  readonly value: string;
}

/** The objects whose member has one of the values; null: they lack it. */
export interface Owners {
  readonly member: string;
  readonly values: readonly (string | null)[];
}

/** Fields that came with newer services, with the value that means the same as no field. */
const SINCE_2025: Readonly<Record<string, JsonValue>> = {
  bucketing_identifier: 'distinct_id',
  evaluation_runtime: 'all',
  has_encrypted_payloads: false,
  is_remote_configuration: false,
};

const VARIANT = '/filters/multivariate/variants/*';
const CONDITION = '/filters/groups/*';
const PROPERTY = `${CONDITION}/properties/*`;

export const TOLERANCES: readonly Tolerance[] = [
  form('/name', 'trimmed', 'the service trims outer white space'),
  absent('/name', ['', null], 'a flag without a description has an empty one'),
  form('/tags', 'tags', 'tags are a set; the service trims, lower-cases and orders them'),
  absent('/tags', [[], null], 'no tags are an empty list'),
  form('/evaluation_contexts', 'set', 'a set without an order of its own'),
  absent('/evaluation_contexts', [[], null], 'no contexts are an empty list'),
  form('/evaluation_tags', 'tags', 'as tags'),
  absent('/evaluation_tags', [[], null], 'as tags'),
  form('/created_at', 'instant', 'the same moment is written with other fractions and offsets'),
  absent('/ensure_experience_continuity', [null], 'old flags hold null where nothing was chosen'),
  absent(
    '/rollback_conditions',
    [null, []],
    'null or an empty list where there are none; services since 2026 lack the field',
  ),
  absent('/deleted', [false, null], 'a flag is not deleted unless it says so'),
  absent('/archived', [false, null], 'services before 2026 have no archive'),
  ...Object.entries(SINCE_2025).map(([field, usual]) =>
    absent(
      `/${field}`,
      [usual, null],
      'services before 2025 lack the field and behave as with this value, and so do services where it is null',
    ),
  ),

  form(
    '/filters',
    'aggregation',
    'the service copies the aggregation of the flag to its conditions and back, and writes null for persons',
  ),
  absent('/filters/*', [null], 'a top-level part is removed by sending null, and some versions store that null'),
  {
    path: '/filters/payloads',
    treat: { kind: 'absent', when: [{}], sentAs: {} },
    reason: 'no payloads are an empty object, or nothing; services before 2026 refuse null',
  },
  form('/filters/payloads/*', 'payload', 'the service turns a payload into JSON text, with white space of its own'),
  {
    path: '/filters/multivariate',
    treat: { kind: 'absent', when: [{ variants: [] }], sentAs: null },
    reason:
      'a flag without variants is a boolean flag, however that is written; the service of 2026 refuses an empty list',
  },
  absent(`${VARIANT}/name`, [null], 'null where a variant has no name'),
  absent(`${VARIANT}/description`, [null], 'null where a variant has no description'),
  observed('super_groups', 'written by early access management; removed by the service on any save since 2026'),
  observed('feature_enrollment', 'written by early access management'),
  observed('holdout', 'written by experiments'),
  observed('holdout_groups', 'written by experiments; removed by the service on any save since 2026'),

  {
    path: `${CONDITION}/properties`,
    treat: { kind: 'absent', when: [[], null], sentAs: [] },
    reason: 'the service adds an empty list to a condition without properties; the service of 2023 fails on null',
  },
  {
    path: `${CONDITION}/properties`,
    treat: { kind: 'unordered' },
    reason: 'all properties of a condition must match, in whatever order they are tried',
  },
  {
    path: `${CONDITION}/rollout_percentage`,
    treat: { kind: 'default', value: 100 },
    reason: 'absent, null and 100 evaluate alike, and are stored as they came',
  },
  absent(`${CONDITION}/variant`, [null, ''], 'null or an empty string where a condition forces no variant'),
  absent(`${CONDITION}/description`, [null], 'null where a condition has no description'),
  carried(`${CONDITION}/sort_key`),
  carried(`${CONDITION}/label`),

  form(`${PROPERTY}/key`, 'property-key', 'a number becomes text'),
  form(`${PROPERTY}/operator`, 'operator', 'min and max are other names of gte and lte'),
  {
    path: `${PROPERTY}/operator`,
    treat: { kind: 'default', value: 'exact', of: { member: 'type', values: ['person', 'group', null] }, sent: true },
    reason: 'a property without an operator is compared for equality',
  },
  {
    path: `${PROPERTY}/operator`,
    treat: { kind: 'default', value: 'in', of: { member: 'type', values: ['cohort'] }, sent: true },
    reason: 'a cohort without an operator means its members; cohorts had no operator before 2025',
  },
  {
    path: `${PROPERTY}/type`,
    treat: { kind: 'default', value: 'person', sent: true },
    reason: 'old flags have properties of persons without a type, which every service refuses today',
  },
  form(
    `${PROPERTY}/value`,
    'operand',
    'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  ),
  form(
    `${PROPERTY}/value`,
    'any-of',
    'an operator that matches any element of a list matches the same in any order; a pair of bounds keeps its order',
  ),
  form(
    `${PROPERTY}/value`,
    'listed',
    'exact and is_not compare with a value as with a list of it; other operators refuse one of the two',
  ),
  absent(`${PROPERTY}/value`, [null], 'null where there is no value'),
  absent(`${PROPERTY}/negation`, [null, false], 'null or false where nothing is negated'),
  absent(`${PROPERTY}/group_type_index`, [null], 'null in a property of a person'),
  carried(`${PROPERTY}/label`),
  // The parts of filters in which the service adds members to conditions.
  ...['groups', 'super_groups', 'holdout_groups'].flatMap((list) => [
    injected(`/filters/${list}/*/properties/*/cohort_name`, { member: 'type', value: 'cohort' }),
    injected(`/filters/${list}/*/properties/*/group_key_names`, { member: 'key', value: '$group_key' }),
  ]),
];

/** Top-level parts of `filters` that other products write. */
export const PARTS_OF_OTHER_PRODUCTS: readonly string[] = TOLERANCES.filter(
  ({ treat }) => treat.kind === 'observed',
).map(({ path }) => path.replace('/filters/', ''));

function form(path: string, name: FormName, reason: string): Tolerance {
  return { path, treat: { kind: 'form', form: name }, reason };
}

function absent(path: string, when: readonly JsonValue[], reason: string): Tolerance {
  return { path, treat: { kind: 'absent', when }, reason };
}

function observed(part: string, reason: string): Tolerance {
  return { path: `/filters/${part}`, treat: { kind: 'observed' }, reason };
}

function carried(path: string): Tolerance {
  return { path, treat: { kind: 'carried' }, reason: "the web interface's bookkeeping" };
}

function injected(path: string, into: Mark): Tolerance {
  return { path, treat: { kind: 'injected', into }, reason: 'added by the service whenever a flag is read' };
}
