/** The facets of the kinds that are edited: a new kind is a row in each table. */

import type { FurtherFamily, OwnKind } from '../../posthog/kind-types.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import type { Project } from '../../posthog/project.ts';
import { COHORT_FACET, COHORT_MERGE } from '../further/cohort.ts';
import type { ResourceEdit } from '../edit.ts';
import { FEATURE_FACET, FEATURE_MERGE } from '../further/early-access.ts';
import type { EditFacet, MergeFacet } from '../facet.ts';
import { FLAG_FACET } from '../flag/facet.ts';
import type { ReadTexts, WrittenAt } from '../texts.ts';

const FACETS: Readonly<Record<OwnKind, EditFacet>> = {
  flag: FLAG_FACET,
  cohort: COHORT_FACET,
  early_access: FEATURE_FACET,
};

/** The facets of the further families, in the order in which they are merged: flags have a merge of their own. */
export const MERGE_FACETS: { readonly [Name in FurtherFamily]: MergeFacet } = {
  cohorts: COHORT_MERGE,
  early_access: FEATURE_MERGE,
};

export const ALL_FACETS: readonly EditFacet[] = Object.values(FACETS);

export function facetFor({ resource }: Pick<ResourceEdit, 'resource'>): EditFacet {
  return FACETS[resource];
}

/** `name`: as options have it. */
export function facetOf(name: string): EditFacet {
  return FACETS[readName(name).kind];
}

/**
 * The place where manifests write a value. `path`: JSON pointer in the API's field names; `/role_access/roles/ROLE` and
 * `/role_access/default` for access.
 */
export function writtenAt(
  { key, path }: { readonly key: string; readonly path: string },
  read: ReadTexts,
  project: Project,
): WrittenAt {
  const facet = facetOf(key);
  const { kind } = facet;
  const declaration = read.declarations.get(key);
  const own = kind.desired(read.resolve(project).desired).find((one) => kind.nameOf(one.key) === key);
  return declaration === undefined || own === undefined ? {} : facet.placeOf(own, { path, declaration, project });
}
