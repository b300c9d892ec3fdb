/**
 * Finds resources that manifests delete although they are not live under their names, and that the base declared: people may have renamed
 * them.
 */

import type { Base } from './base.ts';
import type { DesiredState } from './desired.ts';
import { mapFamilies } from './families.ts';
import type { Sought, Traced } from './family.ts';
import type { FamilyName } from './kind-types.ts';
import type { LiveState } from './live.ts';

/** The resources that are looked for, by family. */
export type MissingRetired = Readonly<Record<FamilyName, readonly Sought[]>>;

/** A missing base leaves it unknown whether there was one. */
export function findMissingRetired(desired: DesiredState, base: Base | undefined, live: LiveState): MissingRetired {
  const former = base?.desired;
  return mapFamilies((family) => (former === undefined ? [] : family.findRetired(desired, former, live)));
}

export function areNoneMissing(missing: MissingRetired): boolean {
  return Object.values(missing).every((sought) => sought.length === 0);
}

/** `found`: resources of the traces that the state does not have. A family that was not read stays so. */
export function withTraced(
  live: LiveState,
  { section, traces, found }: Traced<NonNullable<LiveState[FamilyName]>[number]> & { readonly section: FamilyName },
): LiveState {
  const known = live[section];
  const all = [...(live.traces?.[section] ?? []), ...traces];
  return {
    ...live,
    ...(known === undefined ? {} : { [section]: [...known, ...found] }),
    ...(all.length === 0 ? {} : { traces: { ...live.traces, [section]: all } }),
  };
}
