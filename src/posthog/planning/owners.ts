/** Who owns the resources that changes are about, by the ref of the first change of each. */

import { arrayOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { groupBy } from '../../base/group.ts';
import { type Owner, ownerOf, type OwnerRules } from '../../core/manifest/owner.ts';
import type { FlagChange } from '../flag/change.ts';
import { sidesOf } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';

/** Tags are those after the change, or of the flag that it deletes. The access of roles belongs to its flag. */
export function findOwnersOfChanges(changes: readonly Change[], rules: OwnerRules): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  const isOfFlag = ({ resource }: Change): boolean => resource === 'flag' || resource === 'role_access';
  for (const own of groupBy(
    changes,
    (change) => `${isOfFlag(change) ? 'flag' : change.resource}:${change.key}`,
  ).values()) {
    const ofFlag = own.filter((change): change is FlagChange => change.resource === 'flag');
    const { before, after } = sidesOf(ofFlag);
    const file = own.find(({ source }) => source !== undefined)?.source?.file;
    const owner = ownerOf({ tags: arrayOrEmpty((after ?? before)?.['tags']), ...defined({ file }) }, rules);
    const [first] = own;
    if (owner !== undefined && first !== undefined) owners.set(first.ref, owner);
  }
  return owners;
}
