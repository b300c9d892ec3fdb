/** The labels of each kind of resource: the only place where reports list the kinds. */

import { type Labels, readRef } from '../../posthog/names/resource-name.ts';
import type { Change } from '../../posthog/plan.ts';
import { COHORT_LABELS } from '../../posthog/cohort/change.ts';
import { EARLY_ACCESS_LABELS } from '../../posthog/early-access/change.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { ROLE_ACCESS_LABELS } from '../../posthog/role-access/change.ts';

type ResourceKind = Change['resource'];

/** Does not compile when a kind has no labels. */
const LABELS: { readonly [R in ResourceKind]: Labels<Extract<Change, { readonly resource: R }>> } = {
  flag: FLAG_LABELS,
  cohort: COHORT_LABELS,
  early_access: EARLY_ACCESS_LABELS,
  role_access: ROLE_ACCESS_LABELS,
};

/** Sorted as in sentences. */
export const RESOURCES: readonly ResourceKind[] = Object.keys(LABELS) as ResourceKind[];

/** Has the same order. */
export const ALL_LABELS: readonly Labels[] = Object.values(LABELS) as Labels[];

export function labelsOf(change: Pick<Change, 'resource'>): Labels {
  // A row only gets changes of its own resource.
  return LABELS[change.resource] as Labels;
}

export function labelsOfRef(ref: string): Labels {
  return LABELS[readRef(ref).kind] as Labels;
}

/** The labels for a pointer of a hazard, which may be about what is attached to the resource of the ref. */
export function labelsOfPath(ref: string, pointer: string): Labels {
  return pointer.startsWith('/role_access/') ? (ROLE_ACCESS_LABELS as Labels) : labelsOfRef(ref);
}
