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

/** The parts of `filters` in which the service adds members to conditions. */
const CONDITION_LISTS = ['groups', 'super_groups', 'holdout_groups'];

/** Fields that came with newer services, with the value that means the same as no field. */
const SINCE_2025: Readonly<Record<string, JsonValue>> = {
  bucketing_identifier: 'distinct_id',
  evaluation_runtime: 'all',
  has_encrypted_payloads: false,
  is_remote_configuration: false,
};

export const TOLERANCES: readonly Tolerance[] = [
  {
    path: '/name',
    treat: { kind: 'form', form: 'trimmed' },
    reason: 'the service trims outer white space',
  },
  {
    path: '/name',
    treat: { kind: 'absent', when: ['', null] },
    reason: 'a flag without a description has an empty one',
  },
  {
    path: '/tags',
    treat: { kind: 'form', form: 'tags' },
    reason: 'tags are a set; the service trims, lower-cases and orders them',
  },
  { path: '/tags', treat: { kind: 'absent', when: [[], null] }, reason: 'no tags are an empty list' },
  {
    path: '/evaluation_contexts',
    treat: { kind: 'form', form: 'set' },
    reason: 'a set without an order of its own',
  },
  {
    path: '/evaluation_contexts',
    treat: { kind: 'absent', when: [[], null] },
    reason: 'no contexts are an empty list',
  },
  { path: '/evaluation_tags', treat: { kind: 'form', form: 'tags' }, reason: 'as tags' },
  { path: '/evaluation_tags', treat: { kind: 'absent', when: [[], null] }, reason: 'as tags' },
  {
    path: '/created_at',
    treat: { kind: 'form', form: 'instant' },
    reason: 'the same moment is written with other fractions and offsets',
  },
  {
    path: '/ensure_experience_continuity',
    treat: { kind: 'absent', when: [null] },
    reason: 'old flags hold null where nothing was chosen',
  },
  {
    path: '/rollback_conditions',
    treat: { kind: 'absent', when: [null, []] },
    reason: 'null or an empty list where there are none; services since 2026 lack the field',
  },
  {
    path: '/deleted',
    treat: { kind: 'absent', when: [false, null] },
    reason: 'a flag is not deleted unless it says so',
  },
  {
    path: '/archived',
    treat: { kind: 'absent', when: [false, null] },
    reason: 'services before 2026 have no archive',
  },
  ...Object.entries(SINCE_2025).map(([field, usual]): Tolerance => ({
    path: `/${field}`,
    treat: { kind: 'absent', when: [usual, null] },
    reason: 'services before 2025 lack the field and behave as with this value, and so do services where it is null',
  })),

  {
    path: '/filters',
    treat: { kind: 'form', form: 'aggregation' },
    reason: 'the service copies the aggregation of the flag to its conditions and back, and writes null for persons',
  },
  {
    path: '/filters/*',
    treat: { kind: 'absent', when: [null] },
    reason: 'a top-level part is removed by sending null, and some versions store that null',
  },
  {
    path: '/filters/payloads',
    treat: { kind: 'absent', when: [{}], sentAs: {} },
    reason: 'no payloads are an empty object, or nothing; services before 2026 refuse null',
  },
  {
    path: '/filters/payloads/*',
    treat: { kind: 'form', form: 'payload' },
    reason: 'the service turns a payload into JSON text, with white space of its own',
  },
  {
    path: '/filters/multivariate',
    treat: { kind: 'absent', when: [{ variants: [] }], sentAs: null },
    reason:
      'a flag without variants is a boolean flag, however that is written; the service of 2026 refuses an empty list',
  },
  {
    path: '/filters/multivariate/variants/*/name',
    treat: { kind: 'absent', when: [null] },
    reason: 'null where a variant has no name',
  },
  {
    path: '/filters/multivariate/variants/*/description',
    treat: { kind: 'absent', when: [null] },
    reason: 'null where a variant has no description',
  },
  {
    path: '/filters/super_groups',
    treat: { kind: 'observed' },
    reason: 'written by early access management; removed by the service on any save since 2026',
  },
  {
    path: '/filters/feature_enrollment',
    treat: { kind: 'observed' },
    reason: 'written by early access management',
  },
  { path: '/filters/holdout', treat: { kind: 'observed' }, reason: 'written by experiments' },
  {
    path: '/filters/holdout_groups',
    treat: { kind: 'observed' },
    reason: 'written by experiments; removed by the service on any save since 2026',
  },

  {
    path: '/filters/groups/*/properties',
    treat: { kind: 'absent', when: [[], null], sentAs: [] },
    reason: 'the service adds an empty list to a condition without properties; the service of 2023 fails on null',
  },
  {
    path: '/filters/groups/*/properties',
    treat: { kind: 'unordered' },
    reason: 'all properties of a condition must match, in whatever order they are tried',
  },
  {
    path: '/filters/groups/*/rollout_percentage',
    treat: { kind: 'default', value: 100 },
    reason: 'absent, null and 100 evaluate alike, and are stored as they came',
  },
  {
    path: '/filters/groups/*/variant',
    treat: { kind: 'absent', when: [null, ''] },
    reason: 'null or an empty string where a condition forces no variant',
  },
  {
    path: '/filters/groups/*/description',
    treat: { kind: 'absent', when: [null] },
    reason: 'null where a condition has no description',
  },
  { path: '/filters/groups/*/sort_key', treat: { kind: 'carried' }, reason: "the web interface's bookkeeping" },
  { path: '/filters/groups/*/label', treat: { kind: 'carried' }, reason: "the web interface's bookkeeping" },

  {
    path: '/filters/groups/*/properties/*/key',
    treat: { kind: 'form', form: 'property-key' },
    reason: 'a number becomes text',
  },
  {
    path: '/filters/groups/*/properties/*/operator',
    treat: { kind: 'form', form: 'operator' },
    reason: 'min and max are other names of gte and lte',
  },
  {
    path: '/filters/groups/*/properties/*/operator',
    treat: { kind: 'default', value: 'exact', of: { member: 'type', values: ['person', 'group', null] }, sent: true },
    reason: 'a property without an operator is compared for equality',
  },
  {
    path: '/filters/groups/*/properties/*/operator',
    treat: { kind: 'default', value: 'in', of: { member: 'type', values: ['cohort'] }, sent: true },
    reason: 'a cohort without an operator means its members; cohorts had no operator before 2025',
  },
  {
    path: '/filters/groups/*/properties/*/type',
    treat: { kind: 'default', value: 'person', sent: true },
    reason: 'old flags have properties of persons without a type, which every service refuses today',
  },
  {
    path: '/filters/groups/*/properties/*/value',
    treat: { kind: 'form', form: 'operand' },
    reason: 'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  },
  {
    path: '/filters/groups/*/properties/*/value',
    treat: { kind: 'form', form: 'any-of' },
    reason:
      'an operator that matches any element of a list matches the same in any order; a pair of bounds keeps its order',
  },
  {
    path: '/filters/groups/*/properties/*/value',
    treat: { kind: 'form', form: 'listed' },
    reason: 'exact and is_not compare with a value as with a list of it; other operators refuse one of the two',
  },
  {
    path: '/filters/groups/*/properties/*/value',
    treat: { kind: 'absent', when: [null] },
    reason: 'null where there is no value',
  },
  {
    path: '/filters/groups/*/properties/*/negation',
    treat: { kind: 'absent', when: [null, false] },
    reason: 'null or false where nothing is negated',
  },
  {
    path: '/filters/groups/*/properties/*/group_type_index',
    treat: { kind: 'absent', when: [null] },
    reason: 'null in a property of a person',
  },
  {
    path: '/filters/groups/*/properties/*/label',
    treat: { kind: 'carried' },
    reason: "the web interface's bookkeeping",
  },
  ...CONDITION_LISTS.flatMap((list): Tolerance[] => [
    {
      path: `/filters/${list}/*/properties/*/cohort_name`,
      treat: { kind: 'injected', into: { member: 'type', value: 'cohort' } },
      reason: 'added by the service whenever a flag is read',
    },
    {
      path: `/filters/${list}/*/properties/*/group_key_names`,
      treat: { kind: 'injected', into: { member: 'key', value: '$group_key' } },
      reason: 'added by the service whenever a flag is read',
    },
  ]),
];

/** Top-level parts of `filters` that other products write. */
export const PARTS_OF_OTHER_PRODUCTS: readonly string[] = TOLERANCES.filter(
  (tolerance) => tolerance.treat.kind === 'observed',
).map((tolerance) => tolerance.path.replace('/filters/', ''));
