/** Who owns the resources that changes are about, by the ref of the first change of each. */

import { arrayOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { groupBy } from '../../base/group.ts';
import { type Owner, ownerOf, type OwnerRules } from '../../core/manifest/code-owners.ts';
import type { FlagChange } from '../flag/change.ts';
import { sidesOf } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';

/**
 * Tags are those after the change, or of the flag that it deletes. The access of roles belongs to its flag. `reverted`: the changes that these
 * take back, which name the files.
 */
export function findOwnersOfChanges(
  changes: readonly Change[],
  rules: OwnerRules,
  reverted: readonly Change[] = [],
): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  const isOfFlag = ({ resource }: Change): boolean => resource === 'flag' || resource === 'role_access';
  const nameOf = (change: Change): string => `${isOfFlag(change) ? 'flag' : change.resource}:${change.key}`;
  const former = groupBy(reverted, nameOf);
  for (const [name, own] of groupBy(changes, nameOf)) {
    const ofFlag = own.filter((change): change is FlagChange => change.resource === 'flag');
    const { before, after } = sidesOf(ofFlag);
    const file = [...own, ...(former.get(name) ?? [])].find(({ source }) => source !== undefined)?.source?.file;
    const owner = ownerOf({ tags: arrayOrEmpty((after ?? before)?.['tags']), ...defined({ file }) }, rules);
    const [first] = own;
    if (owner !== undefined && first !== undefined) owners.set(first.ref, owner);
  }
  return owners;
}
