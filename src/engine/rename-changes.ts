/** Changes under the keys that resources have afterwards: a rename in the same plan must not look like another resource. */

import type { Change } from './change.ts';
import { kindOf, type Kind, type Model } from './kind.ts';
import type { Names, ResourceId } from './snapshot.ts';

/** The key that each changed resource has afterwards, by id, as far as the service knows keys. */
export function findKeys<M extends Model>(
  changes: readonly M['change'][],
  kinds: readonly Kind<M>[],
): ReadonlyMap<ResourceId, string> {
  const own = changes.filter((change) => {
    const { attachedTo, keyless } = kindOf(kinds, change);
    return attachedTo === undefined && keyless !== true;
  });
  return new Map(own.flatMap(({ id, key }: Change): [ResourceId, string][] => (id === undefined ? [] : [[id, key]])));
}

interface KeyRenaming<M extends Model> extends Names {
  readonly kinds: readonly Kind<M>[];
  /** The keys afterwards, by id; `keyOf` gives the current ones. */
  readonly renamed: ReadonlyMap<ResourceId, string>;
}

export function renameChanges<M extends Model>(
  changes: readonly M['change'][],
  { kinds, renamed, keyOf }: KeyRenaming<M>,
): readonly M['change'][] {
  const newKeys = new Map(
    [...renamed].flatMap(([id, key]): [string, string][] => {
      const now = keyOf(id);
      return now === undefined || now === key ? [] : [[now, key]];
    }),
  );
  if (newKeys.size === 0) return changes;
  return changes.map((change) => kindOf(kinds, change).rename(change, (key) => newKeys.get(key) ?? key));
}
