/** The further names that a declared resource has or had: rules about one of them apply to it too. */

import type { DesiredState } from './desired.ts';
import { FAMILIES } from './families.ts';

/**
 * Keys are names in options. `base`: its declarations; a change must not get rid of a previous key by
 * removing it.
 */
export function findOtherNames(
  desired: DesiredState,
  base: DesiredState | undefined,
): (name: string) => readonly string[] {
  const groups = FAMILIES.map(({ section, ...family }) =>
    groupNames([...(desired[section] ?? []), ...(base?.[section] ?? [])], (one) => family.knownNames(one)),
  );
  const isOther = (name: string, other: string): boolean => other !== name && !other.startsWith(ID);
  return (name) => groups.flatMap((names) => [...(names.get(name) ?? [])]).filter((other) => isOther(name, other));
}

/** A name by id identifies one resource, whatever its names are: no other name has this prefix. */
const ID = 'id ';

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
