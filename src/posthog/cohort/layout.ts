/** A live cohort as a manifest declares it. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Block } from '../../manifest/write/block-style.ts';
import type { Order } from '../../manifest/write/order.ts';
import { statedCohort } from './canonical.ts';
import type { Cohort } from './cohort.ts';
import { mapCohorts } from '../flag/model/cohort-filters.ts';

export interface CohortWriting {
  /** The alias of a cohort. */
  readonly nameOf: (id: number) => string | undefined;
  /** Omits an empty description. */
  readonly minimal: boolean;
  /** Another declaration has the name, and no two of one project may. */
  readonly nameless: boolean;
}

/** The parts in block style. */
export const COHORT_BLOCK: Block = {
  members: { filters: { members: { properties: { members: { values: {} } } } }, projects: {} },
};

const MEMBERS = ['name', 'description', 'filters', 'deleted', 'previous_names', 'only_in', 'projects'];

/** The usual order of the members. */
export const COHORT_ORDER: Order = { names: MEMBERS, members: { projects: { each: { names: MEMBERS } } } };

export function writeCohort(cohort: Cohort, { nameOf, minimal, nameless }: CohortWriting): JsonObject {
  const { name, description, filters } = statedCohort(cohort);
  return defined({
    name: nameless || name === null || name === '' ? undefined : name,
    description: minimal && (description === null || description === '') ? undefined : (description ?? undefined),
    filters: mapCohorts(filters, (id) => (typeof id === 'number' ? nameOf(id) : undefined)),
  });
}
