/** The facets of the kinds that are edited: a new kind is a row. */

import type { OwnKind } from '../../posthog/kind-types.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import type { Project } from '../../posthog/project.ts';
import type { ResourceEdit } from '../edit.ts';
import type { EditFacet, FurtherFacet } from '../facet.ts';
import { FLAG_FACET } from '../flag/facet.ts';
import { COHORT_FACET } from '../further/cohort.ts';
import { FEATURE_FACET } from '../further/early-access.ts';
import type { ReadTexts, WrittenAt } from '../texts.ts';

/** In the order in which they are merged: flags have a merge of their own. */
const FURTHER: Readonly<Record<Exclude<OwnKind, 'flag'>, FurtherFacet>> = {
  cohort: COHORT_FACET,
  early_access: FEATURE_FACET,
};

const FACETS: Readonly<Record<OwnKind, EditFacet>> = { flag: FLAG_FACET, ...FURTHER };

export const ALL_FACETS: readonly EditFacet[] = Object.values(FACETS);
export const FURTHER_FACETS: readonly FurtherFacet[] = Object.values(FURTHER);

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
  name: string,
  path: string,
  { read, project }: { readonly read: ReadTexts; readonly project: Project },
): WrittenAt {
  const facet = facetOf(name);
  const { kind } = facet;
  const declaration = read.declarations.get(name);
  const own = kind.desired(read.resolve(project).desired).find((one) => kind.nameOf(one.key) === name);
  return declaration === undefined || own === undefined ? {} : facet.placeOf(own, path, { declaration, project });
}
