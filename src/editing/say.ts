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
import { editTexts, type FileEdit, type ManifestText } from './texts.ts';
import { suggestMembers } from './suggest.ts';
import type { LayerChoice, RefusedWish, Said, Wish } from './wish.ts';

export function sayInManifests(context: EditingContext, wishes: readonly Wish[], layer: LayerChoice): Said {
  const open = new Map(wishes.map((wish) => [wish.key, wish]));
  const unchecked = new Set<string>();
  const refused: RefusedWish[] = [];
  for (;;) {
    const attempt = trySay(context, [...open.values()], { layer, unchecked });
    if (attempt.failed.length === 0) return finish(context, attempt.texts, { open, refused });
    for (const failure of attempt.failed) {
      const { key, reason } = failure;
      const wish = open.get(key);
      const hasFilters = wish?.resource === 'flag' && wish.fields?.['filters'] !== undefined;
      const isTried = unchecked.has(key) || !(reason.code === 'invalid' || reason.code === 'not-expressible');
      if (hasFilters && !isTried) unchecked.add(key);
      else if (open.delete(key)) refused.push(failure);
    }
  }
}

function finish(
  { manifests }: EditingContext,
  texts: readonly ManifestText[],
  { open, refused }: { readonly open: ReadonlyMap<string, Wish>; readonly refused: readonly RefusedWish[] },
): Said {
  const before = new Map(manifests.map(({ file, text }) => [file, text]));
  return {
    edited: texts.filter(({ file, text }) => before.get(file) !== text),
    said: new Set(open.keys()),
    refused: refused.toSorted(comparing(({ key }) => key)),
  };
}

interface Trying {
  readonly layer: LayerChoice;
  /** Keys whose filters are written unchecked, since they break rules. */
  readonly unchecked: ReadonlySet<string>;
}

interface Attempt {
  readonly texts: readonly ManifestText[];
  readonly failed: readonly RefusedWish[];
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
  if (failed.length > 0) return { texts: manifests, failed };
  const { texts: edited, refused } = editTexts(manifests, edits);
  if (refused.length === 0) {
    const renames = decided.flatMap((one) => ('rename' in one && one.rename !== undefined ? [one.rename] : []));
    const { texts, failed: unrenamed } = renameKeys(edited, renames);
    return { texts, failed: unrenamed.length > 0 ? unrenamed : prove(context, texts, { wishes, layer }) };
  }
  const texts = edited;
  const keys = new Map(decided.flatMap((one) => ('edits' in one ? one.edits.map(keyOfEdit(one)) : [])));
  return {
    texts,
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
