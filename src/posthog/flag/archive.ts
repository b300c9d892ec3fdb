/** Finds which archived flags a run must read. Services since 2026 omit them from the list (docs/service.md, "Flag list"). */

import { reach } from '../../base/graph.ts';
import type { Flag } from './model/flag.ts';
import { flagReferences } from './model/references.ts';

/**
 * Whether the archive must be read: the service has one, and a wanted key, or a flag that a listed one depends on, is not
 * listed.
 */
export function needsArchive(listed: readonly Flag[], wantedKeys: readonly string[]): boolean {
  if (listed.length > 0 && !listed.some((flag) => Object.hasOwn(flag, 'archived'))) return false;
  const keys = new Set(listed.map(({ key }) => key));
  if (wantedKeys.some((key) => !keys.has(key))) return true;
  const ids = new Set(listed.map(({ id }) => id));
  return listed.some((flag) => dependencyIds(flag).some((id) => !ids.has(id)));
}

/** The archived flags that are wanted, and those that listed or needed flags depend on. */
export function neededOfArchive(
  listed: readonly Flag[],
  archived: readonly Flag[],
  wantedKeys: readonly string[],
): readonly Flag[] {
  const keys = new Set(listed.map(({ key }) => key));
  const wanted = new Set(wantedKeys.filter((key) => !keys.has(key)));
  const byId = new Map(archived.map((flag) => [flag.id, flag]));
  const needed = reach(
    [...archived.filter(({ key }) => wanted.has(key)), ...listed.flatMap((flag) => dependenciesOf(flag, byId))],
    (flag) => dependenciesOf(flag, byId),
  );
  return archived.filter((flag) => needed.has(flag));
}

function dependenciesOf(flag: Flag, byId: ReadonlyMap<number, Flag>): Flag[] {
  return dependencyIds(flag).flatMap((id) => byId.get(id) ?? []);
}

/** A dependency is an id on the wire, written as a string. */
export function dependencyIds({ filters }: Flag): number[] {
  return flagReferences(filters).map(Number).filter(Number.isSafeInteger);
}
