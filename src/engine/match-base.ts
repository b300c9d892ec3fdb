/** Finds the base's declaration of a matched resource: the one that named the same live one, or else the same key or name. */

import { defined } from '../base/optional.ts';
import type { DesiredResource } from './desired.ts';
import { findHolder, type Identity } from './identity.ts';
import type { Match } from './matched.ts';
import type { LiveResource, Snapshot, ResourceId } from './snapshot.ts';

export interface BaseMatching<Desired extends DesiredResource, Live extends LiveResource> {
  readonly base: readonly Desired[];
  readonly identity: Identity<Desired>;
  /** The live resource in use that each declaration of the base named, by its key there. */
  readonly declaredLive: ReadonlyMap<string, Live>;
}

/** Uses the name that the base declared, not earlier ones. A name that several have identifies none. */
export function findDeclaredLive<Desired extends DesiredResource, Live extends LiveResource>(
  base: readonly Desired[],
  live: Snapshot<Live>,
  { identity, isShared }: { readonly identity: Identity<Desired>; readonly isShared: (name: string) => boolean },
): ReadonlyMap<string, Live> {
  const taken = new Set<ResourceId>();
  const found = new Map<string, Live>();
  const byName = { ...identity, namesOf: (one: Desired) => identity.namesOf(one).slice(0, 1) };
  for (const one of base) {
    const holder = one.kind === 'declared' ? findHolder(one, live, byName) : undefined;
    if (holder === undefined || holder.deleted === true || taken.has(holder.id)) continue;
    if (identity.idOf(one) === undefined && isShared(holder.key)) continue;
    taken.add(holder.id);
    found.set(one.key, holder);
  }
  return found;
}

/** The same pairs, each with what the base said of it; without a live resource, also with the one that the base named. */
export function withBases<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  search: BaseMatching<Desired, Live>,
): readonly Match<Desired, Live>[] {
  const { declaredLive } = search;
  const bases = pairBases(pairs, search);
  const taken = new Set(pairs.flatMap(({ live }) => live?.id ?? []));
  return pairs.map((pair, index): Match<Desired, Live> => {
    const base = bases[index] ?? null;
    const own = base === null ? undefined : declaredLive.get(base.key);
    if (pair.live !== undefined) {
      return { ...pair, base, ...(own !== undefined && own.id !== pair.live.id ? { isOther: true } : {}) };
    }
    return { ...pair, base, ...defined({ live: own !== undefined && !taken.has(own.id) ? own : undefined }) };
  });
}

/** Pairs each match with the declaration that it continues; each is used once. */
function pairBases<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  { base, identity: { namesOf, idOf }, declaredLive }: BaseMatching<Desired, Live>,
): readonly (Desired | undefined)[] {
  const bases: (Desired | undefined)[] = pairs.map(() => undefined);
  const left = new Set(base);
  const take = (find: (pair: Match<Desired, Live>) => Desired | undefined): void => {
    for (const [index, pair] of pairs.entries()) {
      const found = bases[index] === undefined ? find(pair) : undefined;
      if (found !== undefined && left.delete(found)) bases[index] = found;
    }
  };
  const byKey = new Map(base.map((one) => [one.key, one]));
  const byLive = new Map([...declaredLive].map(([key, { id }]) => [id, byKey.get(key)]));
  const byName = new Map(base.map((one) => [idOf(one) ?? namesOf(one)[0], one]));
  take(({ live }) => live && byLive.get(live.id));
  take(({ desired }) => byKey.get(desired.key));
  take(({ desired }) => [idOf(desired) ?? [], namesOf(desired)].flat().flatMap((one) => byName.get(one) ?? [])[0]);
  return bases;
}
