/** Finds the ids of names that have no configured id in live state. */

import type { DesiredState } from '../desired.ts';
import { FAMILIES } from '../families.ts';
import type { LiveResources, SharedNames } from '../family.ts';
import type { ProjectNames } from '../project.ts';

/**
 * Returns the project with the ids that are found. `live`: all listed and traced resources; absent if none was read. `shared`: what to do
 * with a name that several live resources have.
 * @throws {FlagwrightError} `manifest_invalid` as matching does, and with `refuse` for such names.
 */
export function withFoundNames<Names extends ProjectNames>(
  project: Names,
  declared: Partial<DesiredState>,
  { live = {}, shared }: { readonly live: LiveResources | undefined; readonly shared: SharedNames },
): Names {
  return FAMILIES.reduce((names, family) => withIds(names, family.findIds?.(declared, live, shared) ?? {}), project);
}

/** Names that the configuration has keep their ids. */
export function withIds<Names extends ProjectNames>(project: Names, { cohorts, roles }: Partial<ProjectNames>): Names {
  return { ...project, cohorts: { ...cohorts, ...project.cohorts }, roles: { ...roles, ...project.roles } };
}
