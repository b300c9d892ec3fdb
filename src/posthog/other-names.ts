/** The names that a declared resource has or had beside its own: rules about one of them are about it too. */

import type { DesiredCohort, DesiredFlag, DesiredState } from './desired.ts';
import { nameOfCohort } from './cohort/changes.ts';

/**
 * By how options name the resource, `cohort:ALIAS` or the key of a flag. `base`: what the base declared; a change must not get rid
 * of a previous key by removing it.
 */
export function findOtherNames(
  desired: DesiredState,
  base: DesiredState | undefined,
): (name: string) => readonly string[] {
  const flags = groupNames([...desired.flags, ...(base?.flags ?? [])], namesOfFlag);
  const cohorts = groupNames([...(desired.cohorts ?? []), ...(base?.cohorts ?? [])], namesOfCohort);
  return (name) =>
    [...(cohorts.get(name) ?? flags.get(name) ?? [])].filter((other) => other !== name && !other.startsWith(ID));
}

function namesOfFlag(flag: DesiredFlag): readonly string[] {
  return flag.kind === 'retired' ? [flag.key] : [flag.key, ...flag.previousKeys];
}

/** Of one cohort, whatever its aliases are. No name begins so. */
const ID = 'id ';

function namesOfCohort({ key, id, names }: DesiredCohort): readonly string[] {
  const named = [key, ...names.map((name) => name.trim())].map(nameOfCohort);
  return id === undefined ? named : [...named, `${ID}${id}`];
}

/** Resources that share a name are one, before and after a rename. */
function groupNames<Resource>(
  resources: readonly Resource[],
  namesOf: (resource: Resource) => readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const names of resources.map(namesOf)) {
    const joined = new Set(names.flatMap((name) => [name, ...(groups.get(name) ?? [])]));
    for (const name of joined) groups.set(name, joined);
  }
  return groups;
}
