/** Splits differences of access by who decides: changes that git decides, and differences that are left to others. */

import { toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { ObservedValue, Ownership } from '../../engine/ownership.ts';
import type { DeclaredFlag } from '../desired.ts';
import { matchesField } from '../flag/field-path.ts';
import { EDITOR } from './access.ts';
import type { RoleChange } from './change.ts';

export interface DividedAccess {
  readonly changes: readonly RoleChange[];
  readonly observed?: readonly ObservedValue[];
}

/** `isNew`: the flag is to be created, with its access as declared. */
export function divideByOwnership(
  changes: readonly RoleChange[],
  { ownership }: Pick<DeclaredFlag, 'ownership'>,
  isNew: boolean,
): DividedAccess {
  if (isNew || ownership === undefined) return { changes };
  const ownershipOf = (change: RoleChange): Ownership => {
    const places = placesOf(change);
    const rule = ownership.findLast(({ path }) => places.some((pointer) => matchesField(path, pointer, {})));
    return rule?.ownership ?? 'managed';
  };
  const observed = changes.filter((change) => ownershipOf(change) === 'observed').map(toObserved);
  return {
    changes: changes.filter((change) => ownershipOf(change) === 'managed'),
    ...(observed.length === 0 ? {} : { observed }),
  };
}

/** A path may name a role by its name or its id. */
function placesOf({ role }: RoleChange): string[] {
  if (role === undefined) return ['/role_access/default'];
  return [role.name, role.id].flatMap((name) =>
    name === undefined ? [] : [toPointer(['role_access', 'roles', name])],
  );
}

function toObserved(change: RoleChange): ObservedValue {
  const [path = ''] = placesOf(change);
  return {
    key: change.key,
    path,
    ownership: 'observed',
    ...defined(levels(change)),
    ...defined({ source: change.source }),
  };
}

function levels(change: RoleChange): { declared: string | undefined; live: string | undefined } {
  switch (change.action) {
    case 'grant':
      return { declared: change.level ?? EDITOR, live: undefined };
    case 'adjust':
      return { declared: change.level ?? undefined, live: change.before ?? undefined };
    case 'revoke':
      return { declared: undefined, live: 'level' in change ? change.level : EDITOR };
  }
}
