/** Finds the declared resources of a family that are already as declared, so that a plan has nothing to do for them. */

import { familyOf } from '../../core/engine/kind.ts';
import type { DesiredState } from '../desired.ts';
import { familyIn } from '../families.ts';
import type { FamilyName } from '../kind-types.ts';
import { KINDS } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import { takeSnapshot } from '../snapshot.ts';

/** Returns their keys. The family is matched alone, so resources of other families have their current names. */
export function findUnchanged(section: FamilyName, desired: DesiredState, live: LiveState): ReadonlySet<string> {
  const family = familyIn(section);
  const snapshot = takeSnapshot(live);
  const matched = family.match({ desired, live, former: undefined, snapshot, earlier: {} });
  if (matched === undefined) return new Set();
  const kinds = KINDS.filter((kind) => familyOf(kind) === family.kind);
  const named = family.name(snapshot, matched.names);
  const unchanged = matched.matches.pairs.filter((pair) =>
    kinds.every((kind) => {
      const { changes, warnings } = kind.compare(pair, named);
      return changes.length === 0 && warnings.length === 0;
    }),
  );
  return new Set(unchanged.map(({ desired: { key } }) => key));
}
