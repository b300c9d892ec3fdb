/** The declarations of manifests about cohorts, for one project. */

import type { JsonObject } from '../../base/json.ts';
import type { PlaceTree } from '../../base/place.ts';

export type DesiredCohort = DeclaredCohort | RetiredCohort;

/** A dynamic cohort that must exist. Absent members are not managed. */
export interface DeclaredCohort extends CohortIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /**
   * The managed fields by their API name: `name`, `description`, `filters`. A cohort that the definition names is an id, or the
   * alias of a declared cohort without one.
   */
  readonly fields: JsonObject;
}

/** A cohort that must not exist (`deleted: true`). */
export interface RetiredCohort extends CohortIdentity {
  readonly kind: 'retired';
}

interface CohortIdentity {
  /** The alias. */
  readonly key: string;
  /** The id that the configuration gives the alias. */
  readonly id?: number;
  /** The names of the live cohort if it has no id; the current one is the first. */
  readonly names: readonly [string, ...string[]];
  /** Places by API field name: `/name`, `/filters/properties/values/0`. The root is the alias. */
  readonly places: PlaceTree;
}
