/** The plan that reverts a run: the opposite of each applied change, and a refusal for what has moved since. */

import type { Change } from './change.ts';
import { type Applied, type Kind, kindOf, type Model, type RefusedInversion, type World } from './kind.ts';
import type { KeysAfterPlan, ResourceId } from './snapshot.ts';

interface InvertedChanges<M extends Model> {
  /** Changes with the keys that resources have afterwards. */
  readonly changes: readonly M['change'][];
  /** Those keys, by id. */
  readonly renamed: ReadonlyMap<ResourceId, string>;
  /** Changes that are not reverted, because live state differs from what they wrote, or because a value was never kept. */
  readonly refused: readonly RefusedInversion[];
}

/** `keyOf` gives the key of a resource now. */
export function invertChanges<M extends Model>(
  applied: readonly Applied<M['change']>[],
  world: World<M>,
  keyOf: KeysAfterPlan['keyOf'],
): InvertedChanges<M> {
  const { kinds, snapshot } = world;
  const joined = kinds.reduce((all, kind) => kind.join?.(all) ?? all, applied);
  const inverted = joined.map((one) => kindOf(kinds, one.change).invert(one, snapshot));
  const changes = inverted.filter((one): one is M['change'] => !('refusal' in one));
  const renamed = findKeys(changes, kinds);
  return {
    changes: dropCovered(renameChanges(changes, { kinds, renamed, keyOf }), kinds),
    renamed,
    refused: inverted.filter((one): one is RefusedInversion => 'refusal' in one),
  };
}

/**
 * Deleting a resource also deletes what is attached to it. If that were removed first, nobody might be left who can edit the resource, and
 * the service might refuse the delete.
 */
function dropCovered<M extends Model>(
  changes: readonly M['change'][],
  kinds: readonly Kind<M>[],
): readonly M['change'][] {
  const deletedOf = (family: string | undefined): ReadonlySet<ResourceId> =>
    new Set(
      changes.flatMap(({ action, id, resource }: Change) =>
        action === 'delete' && resource === family ? (id ?? []) : [],
      ),
    );
  const deleted = new Map(kinds.map(({ name, attachedTo }) => [name, deletedOf(attachedTo)]));
  return changes.filter((change: M['change']) => {
    const kind = kindOf(kinds, change);
    return kind.isCoveredBy?.(change, deleted.get(kind.name) ?? new Set()) !== true;
  });
}

/**
 * The key that each changed resource has afterwards, by id, if the service knows keys. A rename in the same plan must not look like another
 * resource.
 */
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

interface KeyRenaming<M extends Model> extends KeysAfterPlan {
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
