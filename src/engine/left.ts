/** What a run leaves as it is live, although it differs from the manifests: for `--only-pending` and ignored drift. */

import type { FieldChange } from './change.ts';
import { kindOf, type Model, type World } from './kind.ts';

/** The part of a change that the run does not make. */
export interface Left {
  readonly ref: string;
  readonly resource: string;
  readonly key: string;
  /** What the whole change would do. */
  readonly action: string;
  readonly fields: readonly FieldChange[];
}

/** What of `all` changes is not among the changes that are `made`. */
export function findLeft<M extends Model>(
  all: readonly M['change'][],
  made: readonly M['change'][],
  { kinds }: Pick<World<M>, 'kinds'>,
): readonly Left[] {
  const parts = (change: M['change']): readonly FieldChange[] => kindOf(kinds, change).parts(change);
  const paths = new Map(made.map((change) => [change.ref, new Set(parts(change).map(({ path }) => path))]));
  return all.flatMap((change): Left[] => {
    const fields = parts(change).filter(({ path }) => paths.get(change.ref)?.has(path) !== true);
    const { ref, resource, key, action } = change;
    return fields.length === 0 ? [] : [{ ref, resource, key, action, fields }];
  });
}
