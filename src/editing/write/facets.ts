/** The facets of the kinds that are edited: a new kind is a row here, and one in `kinds.ts`. */

import type { OwnKind } from '../../posthog/kind-types.ts';
import { readName } from '../../posthog/resource-name.ts';
import type { Project } from '../../posthog/project.ts';
import { COHORT_FACET } from '../cohort/facet.ts';
import type { ResourceEdit } from '../edit.ts';
import { FEATURE_FACET } from '../early-access/facet.ts';
import type { EditFacet } from '../facet.ts';
import { FLAG_FACET } from '../flag/facet.ts';
import type { ReadTexts, WrittenAt } from '../texts.ts';

const FACETS: Readonly<Record<OwnKind, EditFacet>> = {
  flag: FLAG_FACET,
  cohort: COHORT_FACET,
  early_access: FEATURE_FACET,
};

export const ALL_FACETS: readonly EditFacet[] = Object.values(FACETS);

export function facetFor({ resource }: Pick<ResourceEdit, 'resource'>): EditFacet {
  return FACETS[resource];
}

/** `name`: as options have it. */
export function facetOf(name: string): EditFacet {
  return FACETS[readName(name).kind];
}

/** Where manifests write a value. `path`: JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access. */
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
