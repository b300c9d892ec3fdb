/** The changes of one matched pair, and the differences that a run leaves as they are live. */

import { defined } from '../base/optional.ts';
import type { FieldChange } from './change.ts';
import { kindOf, type Comparison, type Model, type World } from './kind.ts';
import type { Leaving, Left, Match } from './matched.ts';

export interface ComparedPair<M extends Model> extends Required<Comparison<M>> {
  readonly left: readonly Left[];
}

/** `name`: how options name the resource. `world`: with the kinds of its family. */
export function comparePair<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  world: World<M>,
  { leaving = [], name }: { readonly leaving: readonly Leaving[] | undefined; readonly name: string },
): ComparedPair<M> {
  if (pair.isHeld === true) return NOTHING;
  const all = compareKinds(pair, world);
  let { changes } = all;
  let match: typeof pair | undefined = pair;
  for (const one of leaving) {
    const isLeft = (part: FieldChange, change: M['change']): boolean => one.isLeft(part, { change, match: pair, name });
    const chosen = choose(changes, world.kinds, isLeft);
    if (match === undefined || chosen.length === 0) continue;
    match = leave(chosen, match, { ...world, leaving: one });
    changes = match === undefined ? [] : compareKinds(match, world).changes;
  }
  return { ...all, changes, left: changes === all.changes ? [] : findLeft(all.changes, changes, world) };
}

const NOTHING = { changes: [], warnings: [], observed: [], converged: 0, left: [] } as const;

function compareKinds<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot }: World<M>,
): Required<Comparison<M>> {
  const compared = kinds.map((kind) => kind.compare(pair, snapshot));
  return {
    changes: compared.flatMap(({ changes }) => changes),
    warnings: compared.flatMap(({ warnings }) => warnings),
    observed: compared.flatMap(({ observed = [] }) => observed),
    converged: compared.reduce((sum, { converged = 0 }) => sum + converged, 0),
  };
}

interface ChosenParts<M extends Model> {
  readonly change: M['change'];
  readonly parts: readonly FieldChange[];
}

function choose<M extends Model>(
  changes: readonly M['change'][],
  kinds: World<M>['kinds'],
  isLeft: (part: FieldChange, change: M['change']) => boolean,
): ChosenParts<M>[] {
  return changes.flatMap((change): ChosenParts<M>[] => {
    const all = kindOf(kinds, change).parts(change);
    const parts = all.filter((part) => isLeft(part, change));
    // A create is left whole or not at all: a part of a resource that does not exist cannot be left as it is live.
    const isMissed = change.action === 'create' && parts.length < all.length;
    return parts.length === 0 || isMissed ? [] : [{ change, parts }];
  });
}

/** The pair whose desired resource has live values in place of what is left; `undefined` if all of it is left. */
function leave<M extends Model>(
  chosen: readonly ChosenParts<M>[],
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot, leaving }: World<M> & { readonly leaving: Leaving },
): Match<M['desired'], M['live']> | undefined {
  let match = pair;
  for (const { change, parts } of chosen) {
    const desired = kindOf(kinds, change).leave?.({ change, parts, match, by: leaving.by }, snapshot);
    if (desired === undefined) return undefined;
    match = { ...match, desired };
  }
  return match;
}

/** The fields of `all` that are missing in `made`. */
function findLeft<M extends Model>(
  all: readonly M['change'][],
  made: readonly M['change'][],
  { kinds }: Pick<World<M>, 'kinds'>,
): readonly Left[] {
  const parts = (change: M['change']): readonly FieldChange[] => kindOf(kinds, change).parts(change);
  const paths = new Map(made.map((change) => [change.ref, new Set(parts(change).map(({ path }) => path))]));
  return all.flatMap((change): Left[] => {
    const fields = parts(change).filter(({ path }) => paths.get(change.ref)?.has(path) !== true);
    const { ref, resource, key, id, action } = change;
    return fields.length === 0 ? [] : [{ ref, resource, key, ...defined({ id }), action, fields }];
  });
}
