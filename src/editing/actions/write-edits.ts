/**
 * Writes requested edits into the manifests that people wrote. The edited texts are proved before they are returned; an edit that
 * cannot be proved is left out with its reason.
 */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { EditingContext } from '../context.ts';
import { keyAfter, type LayerChoice, type ResourceEdit, type UnwrittenEdit, type ManifestText } from '../edit.ts';
import { desiredByName } from '../kinds.ts';
import { reasonOf, solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, renameKeys, suggestMembers, type ReadTexts } from '../texts.ts';
import { facetFor } from './facets.ts';

export interface WrittenEdits {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  /** The keys of the edits that the texts declare now. */
  readonly written: ReadonlySet<string>;
  readonly refused: readonly UnwrittenEdit[];
  /** The edited manifests, as read. */
  readonly after: ReadTexts;
}

export function writeEdits(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  layer: LayerChoice,
): WrittenEdits {
  const { made, after, left } = solve<UnwrittenEdit, EditAttempt>(context, {
    write: ({ isLeft, isFallback }) => {
      const open = requested.filter(({ key }) => !isLeft(key));
      return tryWrite(context, open, { layer, isFallback });
    },
    ...proofOfEdits(context, requested, layer),
  });
  return {
    edited: changedTexts(context.manifests, made.texts),
    written: new Set(made.open),
    refused: left.toSorted(comparing(({ key }) => key)),
    after,
  };
}

interface EditAttempt extends ProofAttempt<UnwrittenEdit> {
  readonly requested: readonly ResourceEdit[];
}

function tryWrite(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  { layer, isFallback }: { readonly layer: LayerChoice; readonly isFallback: (key: string) => boolean },
): EditAttempt {
  const { manifests } = context;
  const tried = { requested, open: requested.map(({ key }) => key) };
  const decided = requested.map((edit) =>
    facetFor(edit).write(context, edit, { layer, isFallback: isFallback(edit.key) }),
  );
  const unwritten = decided.flatMap((one) => ('reason' in one ? one : []));
  if (unwritten.length > 0) return { ...tried, texts: manifests, failed: unwritten };
  const made = decided.flatMap((one) => ('edits' in one ? one : []));
  const { texts, refused } = editTexts(
    manifests,
    made.flatMap(({ edits }) => edits),
  );
  if (refused.length === 0) {
    const renames = made.flatMap(({ rename }) => rename ?? []);
    return { ...tried, ...renameKeys(texts, renames) };
  }
  const failed = refused.map(({ edit, reason, file, line, column }): UnwrittenEdit => {
    const { key = '', edits = [] } = made.find((one) => one.edits.some((own) => own.edit === edit)) ?? {};
    // A value that YAML cannot hold cannot be written by hand either.
    const suggestion = reason === 'unwritable' ? undefined : suggestMembers(edits);
    return { key, reason: { code: reason }, place: { file, line, column }, ...defined({ suggestion }) };
  });
  return { ...tried, texts, failed };
}

/** The texts must declare for the project exactly what is requested, and the same as before for the projects that an edit may not change. */
export function proofOfEdits(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  layer: LayerChoice,
): Omit<Parameters<typeof solve<UnwrittenEdit, EditAttempt>>[1], 'write'> {
  const { read, project, guarded } = context;
  return {
    // An edit without any change is checked too: its text may say something else.
    unmet: (after, { requested: open }, errors) => {
      const [before, now] = [read, after].map((one) => desiredByName(one.resolve(project).desired));
      return open.flatMap((edit): UnwrittenEdit[] => {
        const { key } = edit;
        const sides = { before: before?.get(key), now: now?.get(keyAfter(edit)) };
        if (facetFor(edit).isWritten(edit, sides, context)) return [];
        const error = errors.find(({ names }) => names.includes(key));
        return [{ key, reason: error === undefined ? { code: 'reads-differently' } : reasonOf(error) }];
      });
    },
    isAsked: (name, { name: own }, { requested: open }) =>
      (layer === 'base' || !guarded.includes(own)) && open.some((edit) => edit.key === name || keyAfter(edit) === name),
    toFailed: (key, fault) => ({ key, reason: reasonOf(fault) }),
    hasFallback: ({ key, reason }) => {
      const edit = requested.find((one) => one.key === key);
      return edit !== undefined && facetFor(edit).hasFallback?.(edit, reason) === true;
    },
  };
}
