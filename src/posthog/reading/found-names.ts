/** Resolves names without a configured id by looking them up in live state. */

import type { DesiredState } from '../desired.ts';
import { FAMILIES } from '../families.ts';
import type { LiveResources, SharedNames } from '../family.ts';
import type { ProjectNames } from '../project.ts';

/**
 * The project with the ids that are found. `live`: every listed resource, and those of traces; absent if none was read. `shared`: a plan
 * leaves resources alone whose name several live ones have.
 * @throws {FlagwrightError} `manifest_invalid` as matching does, and with `refuse` for such names.
 */
export function withFoundNames<Names extends ProjectNames>(
  project: Names,
  declared: Partial<DesiredState>,
  { live = {}, shared }: { readonly live: LiveResources | undefined; readonly shared: SharedNames },
): Names {
  return FAMILIES.reduce((names, family) => withIds(names, family.findIds?.(declared, live, shared) ?? {}), project);
}

/** The names of the configuration win. */
export function withIds<Names extends ProjectNames>(project: Names, { cohorts, roles }: Partial<ProjectNames>): Names {
  return { ...project, cohorts: { ...cohorts, ...project.cohorts }, roles: { ...roles, ...project.roles } };
}
