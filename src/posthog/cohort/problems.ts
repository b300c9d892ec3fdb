/** The problems of declared cohorts. */

import type { Place } from '../../base/place.ts';

export interface CohortProblems {
  'cohort-duplicate': { readonly alias: string; readonly other: Place };
  /** Another declared cohort of the project has the name. */
  'cohort-name-taken': { readonly name: string; readonly alias: string; readonly other: string };
  /** A cohort without a definition would have everybody in it. */
  'cohort-undefined': { readonly alias: string };
  'cohort-definition': { readonly why: DefinitionProblem; readonly member: string };
  /** A flag cannot depend on events. */
  'cohort-behavioral': { readonly key: string; readonly alias: string };
  'cohort-depends-on-itself': { readonly cycle: readonly string[] };
  /** A condition names a cohort that is declared as deleted. */
  'cohort-deleted': { readonly alias: string };
  /** Several live cohorts have the name. */
  'cohort-ambiguous': { readonly alias: string; readonly name: string; readonly ids: readonly number[] };
  /** The configuration gives the alias an id that the project does not have. */
  'cohort-missing': { readonly alias: string; readonly id: number };
}

/**
 * `no_group`: the definition does not begin with AND or OR. `missing`: a leaf lacks the member. `superfluous`: a group, or a
 * leaf of this type, does not have the member.
 */
export type DefinitionProblem = 'no_group' | 'missing' | 'superfluous';
