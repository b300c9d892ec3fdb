/** The problems of `ownership`, in manifests and in the configuration. */

import type { Place } from '../../../base/place.ts';
import type { FieldPathProblem } from '../field-path.ts';

export interface OwnershipProblems {
  'ownership-path-invalid': { readonly path: string; readonly problem: FieldPathProblem };
  /** The field says which flag it is, or that it exists. */
  'ownership-fixed': { readonly path: string };
  /** No part of the declared flag has the path. */
  'ownership-names-nothing': { readonly path: string };
  /** The manifest does not declare the field, so there is nothing to decide about. */
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
