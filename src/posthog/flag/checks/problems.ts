/** The problems of declared flags: their keys, fields, filters and dependencies. */

import type { NoArgs, OfProjects } from '../../../base/diagnostic.ts';
import type { Place } from '../../../base/place.ts';
import type { ShapeProblems } from '../../../base/shape/problems.ts';
import type { SchemaFault } from '../../../base/shape/user-schema.ts';
import type { FindingOf } from '../../../core/manifest/declaration.ts';
import type { RolloutProblems } from '../../../core/rollout/problems.ts';
import type { FieldPathProblem } from '../../../core/engine/field-path.ts';

export interface FlagProblems extends OwnershipProblems, RolloutProblems, PayloadSchemaProblems, SlipProblems {
  'flag-duplicate': { readonly key: string; readonly other: Place };
  'flag-key-invalid': { readonly key: string };
  'flag-key-too-long': { readonly key: string; readonly length: number };
  /** `project`: the one for which the flag is not declared; absent when it is not declared for any. */
  'flag-unknown': { readonly key: string; readonly suggestion?: string } & Partial<OfProjects>;
  'flag-depends-on-itself': { readonly cycle: readonly string[] };
  'flag-depends-on-deleted': { readonly key: string };
  /** `isMet`: the condition asks for `false`, which a disabled flag always is. */
  'flag-depends-on-disabled': { readonly key: string; readonly isMet?: true };
  'cohort-unknown': OfProjects & { readonly cohort: string; readonly suggestion?: string };
  'field-has-member': { readonly field: string; readonly member: string };
  'field-computed': { readonly field: string };
  /** `lost`: members of the base's filters, `groups.0.properties`; `unchecked`: the base has them under `fields`. */
  'overlay-discards': { readonly lost: readonly string[]; readonly unchecked: boolean };
  /** `member`: the one of the overlay that changes parts. */
  'overlay-base-missing': { readonly member: string };
  /** `known`: the descriptions of the conditions that exist, in their order; null for one without. */
  'condition-unknown': {
    readonly condition: string;
    readonly known: readonly (string | null)[];
    readonly suggestion?: string;
  };
  /** `numbers`: the conditions that have the description, counted from 1. */
  'condition-ambiguous': { readonly condition: string; readonly numbers: readonly number[] };
  /** `first`: the name by which the same overlay changes the condition already. */
  'condition-duplicate': { readonly condition: string; readonly first: string };
  'conditions-none': NoArgs;
  'filters-too-large': { readonly bytes: number; readonly limit: number };
  'property-reserved': { readonly property: string };
  'variants-sum': { readonly sum: number };
  'variant-duplicate': { readonly variant: string };
  /** `allowed`: the variants that exist, where the name must be one of them. */
  'variant-unknown': { readonly variant: string; readonly allowed?: readonly string[]; readonly suggestion?: string };
  'payload-key-unknown': {
    readonly payload: string;
    readonly allowed: readonly string[];
    readonly suggestion?: string;
  };
  'payload-not-json': { readonly payload: string };
  'operator-unfit': { readonly operator: string; readonly type: string };
  'operator-refused': { readonly operator: string };
  'operator-value-unfit': { readonly operator: string; readonly expected: string; readonly found: string };
  'regex-invalid': { readonly regex: string; readonly detail: string };
  'regex-refused': { readonly regex: string; readonly detail: string };
  'regex-unknown': { readonly regex: string; readonly detail: string };
  'aggregation-mixed': { readonly flagLevel: number; readonly condition: number | null };
  'property-type-unfit': { readonly type: string; readonly aggregation: 'person' | 'group' };
  'property-group-mismatch': { readonly found: number; readonly expected: number };
}

/** The slips that release or hide a flag; `slips.ts` is their table. `list`: the value is an empty list, otherwise an empty string. */
export interface SlipProblems {
  'value-excludes-none': { readonly operator: string; readonly list: boolean };
  'value-allows-none': { readonly operator: string; readonly list: boolean };
  'text-in-quotes': { readonly text: string };
  'text-spaces': { readonly text: string };
  'text-variable': { readonly text: string };
  /** `earlier`: the property before it, counted from 1. `key`: empty for a cohort. `scale`: of two ranges without a common value. */
  'filters-contradict': {
    readonly key: string;
    readonly earlier: number;
    readonly scale?: 'number' | 'date' | 'version';
  };
  'filter-repeated': { readonly earlier: number };
  /** `everybody`: the other condition is for all people. */
  'condition-shadowed': { readonly number: number; readonly earlier: number; readonly everybody: boolean };
  'cohort-empty': NoArgs;
  'remote-for-nobody': NoArgs;
  'intended-needless': { readonly path: string };
}

/** The result of a check of flags. */
export type FlagFinding = FindingOf<ShapeProblems & FlagProblems>;

/** The problems of `ownership`, in manifests and in the configuration. */
export interface OwnershipProblems {
  'ownership-path-invalid': { readonly path: string; readonly problem: FieldPathProblem };
  /** The field identifies the flag, or says that it exists. */
  'ownership-fixed': { readonly path: string };
  /** No part of the declared flag has the path. */
  'ownership-names-nothing': { readonly path: string };
  /** The manifest does not declare the field, so nobody needs to decide about it. */
  'ownership-unmanaged': { readonly path: string; readonly field: string };
  'ownership-bounds-order': { readonly low: number; readonly high: number };
  /** Bounds for a value that is no number. */
  'ownership-between-unfit': { readonly path: string; readonly found: string };
  'ownership-value-outside': {
    readonly path: string;
    readonly value: number;
    readonly low: number;
    readonly high: number;
    /** The place of the bounds: in a manifest or in the configuration. */
    readonly rule: Place;
  };
}

/** Stands for a keyword: the payload is nested too deeply to be checked. */
export const TOO_DEEP = 'too-deep';

/** Stands for a keyword: a pattern or the references of the schema take too long. */
export const TOO_COSTLY = 'too-costly';

/** The problems of payloads and their schema. */
export interface PayloadSchemaProblems {
  /** `schema`: the file, relative to the configuration's folder. */
  'payload-schema-unreadable': { readonly schema: string; readonly reason: string };
  /** `line`: of the first mistake, where the parser says it. */
  'payload-schema-not-json': { readonly schema: string; readonly line?: number };
  'payload-schema-invalid': { readonly schema: string } & SchemaFault;
  /** `at`: pointer to the part of the payload; `limit`: what the keyword of the schema demands, if that is short. */
  'payload-schema-mismatch': {
    readonly payload: string;
    readonly schema: string;
    readonly at: string;
    readonly keyword: string;
    readonly limit?: string;
  };
  'payloads-unchecked': { readonly schema: string; readonly payloads: readonly string[] };
}
