/**
 * Writes wishes about flags and cohorts into the manifests that people wrote. The edited texts are proven before they are returned; a wish
 * that cannot be proven is left out with its reason.
 */

import { comparing } from '../base/compare-strings.ts';
import { defined } from '../base/optional.ts';
import type { YamlEdit } from '../base/yaml/editing/edits.ts';
import type { EditingContext } from './context.ts';
import { decideCohort } from './decide-cohort.ts';
import { decideWish, type Decided } from './decide-wish.ts';
import { prove } from './prove-wishes.ts';
import { renameKeys } from './rename-key.ts';
import { solve, type Attempt as AnyAttempt } from './solve.ts';
import { suggestMembers } from './suggest.ts';
import { changedTexts, editTexts, type FileEdit } from './texts.ts';
import type { LayerChoice, RefusedWish, Said, Wish } from './wish.ts';

export function sayInManifests(context: EditingContext, wishes: readonly Wish[], layer: LayerChoice): Said {
  const { manifests, allProjects } = context;
  const withFilters = new Set(wishes.flatMap((wish) => (hasFilters(wish) ? wish.key : [])));
  const { made, after, left } = solve<RefusedWish, Attempt>(allProjects, {
    write: ({ left: refused, fallback }) => {
      const open = wishes.filter(({ key }) => !refused.has(key));
      return trySay(context, open, { layer, unchecked: fallback });
    },
    prove: (read, { wishes: open }) => prove(context, read, { wishes: open, layer }),
    hasFallback: ({ key, reason: { code } }) =>
      withFilters.has(key) && (code === 'invalid' || code === 'not-expressible'),
  });
  return {
    edited: changedTexts(manifests, made.texts),
    said: new Set(made.wishes.map(({ key }) => key)),
    refused: left.toSorted(comparing(({ key }) => key)),
    after,
  };
}

function hasFilters(wish: Wish): boolean {
  return wish.resource === 'flag' && wish.fields?.['filters'] !== undefined;
}

interface Trying {
  readonly layer: LayerChoice;
  /** Keys whose filters are written unchecked, since they break rules. */
  readonly unchecked: ReadonlySet<string>;
}

interface Attempt extends AnyAttempt<RefusedWish> {
  readonly wishes: readonly Wish[];
}

function trySay(context: EditingContext, wishes: readonly Wish[], { layer, unchecked }: Trying): Attempt {
  const { manifests } = context;
  const decided = wishes.map((wish) =>
    wish.resource === 'cohort'
      ? decideCohort(context, wish, layer)
      : decideWish(context, wish, { layer, unchecked: unchecked.has(wish.key) }),
  );
  const failed = decided.flatMap((one): RefusedWish[] => ('reason' in one ? [one] : []));
  const edits = decided.flatMap((one) => ('edits' in one ? one.edits : []));
  if (failed.length > 0) return { wishes, texts: manifests, failed };
  const { texts: edited, refused } = editTexts(manifests, edits);
  if (refused.length === 0) {
    const renames = decided.flatMap((one) => ('rename' in one && one.rename !== undefined ? [one.rename] : []));
    const { texts, failed: unrenamed } = renameKeys(edited, renames);
    return { wishes, texts, failed: unrenamed };
  }
  const keys = new Map(decided.flatMap((one) => ('edits' in one ? one.edits.map(keyOfEdit(one)) : [])));
  return {
    wishes,
    texts: edited,
    failed: refused.map(({ edit, reason, file, line, column }): RefusedWish => {
      const key = keys.get(edit) ?? '';
      const own = edits.filter((one) => keys.get(one.edit) === key);
      // Nobody can write by hand what YAML cannot say.
      const suggestion = reason === 'unwritable' ? undefined : suggestMembers(own);
      return { key, reason: { code: reason }, place: { file, line, column }, ...defined({ suggestion }) };
    }),
  };
}

function keyOfEdit({ key }: Decided): (edit: FileEdit) => readonly [YamlEdit, string] {
  return ({ edit }) => [edit, key];
}
