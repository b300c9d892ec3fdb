/**
 * Writes requested edits into the manifests that people wrote. The edited texts are proved before they are returned; an edit that
 * cannot be proved is left out with its reason.
 */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { EditingContext } from '../context.ts';
import { keyAfter, type LayerChoice, type ResourceEdit, type UnwrittenEdit } from '../edit.ts';
import { desiredByName } from '../kinds.ts';
import { causeOf, findChanged, findNewErrors, blame, solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, type ManifestText, type ReadTexts, renameKeys, suggestMembers } from '../texts.ts';
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
  const { manifests, allProjects } = context;
  const byKey = new Map(requested.map((edit) => [edit.key, edit]));
  const { made, after, left } = solve<UnwrittenEdit, EditAttempt>(allProjects, {
    write: ({ left: refused, fallback }) => {
      const open = requested.filter(({ key }) => !refused.has(key));
      return { requested: open, ...tryWrite(context, open, { layer, fallback }) };
    },
    prove: (read, { requested: open }) => proveEdits(context, read, { requested: open, layer }),
    hasFallback: ({ key, reason }) => {
      const edit = byKey.get(key);
      return edit !== undefined && facetFor(edit).hasFallback(edit, reason);
    },
  });
  return {
    edited: changedTexts(manifests, made.texts),
    written: new Set(made.requested.map(({ key }) => key)),
    refused: left.toSorted(comparing(({ key }) => key)),
    after,
  };
}

interface EditAttempt extends ProofAttempt<UnwrittenEdit> {
  readonly requested: readonly ResourceEdit[];
}

interface Writing {
  readonly layer: LayerChoice;
  readonly fallback: ReadonlySet<string>;
}

function tryWrite(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  { layer, fallback }: Writing,
): ProofAttempt<UnwrittenEdit> {
  const { manifests } = context;
  const decided = requested.map((edit) =>
    facetFor(edit).write(context, edit, { layer, isFallback: fallback.has(edit.key) }),
  );
  const failed = decided.flatMap((one) => ('reason' in one ? one : []));
  if (failed.length > 0) return { texts: manifests, failed };
  const made = decided.flatMap((one) => ('edits' in one ? one : []));
  const { texts, refused } = editTexts(
    manifests,
    made.flatMap(({ edits }) => edits),
  );
  if (refused.length === 0) {
    return renameKeys(
      texts,
      made.flatMap(({ rename }) => rename ?? []),
    );
  }
  return {
    texts,
    failed: refused.map(({ edit, reason, file, line, column }): UnwrittenEdit => {
      const { key = '', edits = [] } = made.find((one) => one.edits.some((own) => own.edit === edit)) ?? {};
      // A value that YAML cannot hold cannot be written by hand either.
      const suggestion = reason === 'unwritable' ? undefined : suggestMembers(edits);
      return { key, reason: { code: reason }, place: { file, line, column }, ...defined({ suggestion }) };
    }),
  };
}

interface WriteProof {
  readonly requested: readonly ResourceEdit[];
  readonly layer: LayerChoice;
}

/**
 * The edits that must be left out; none if everything is proved. The texts must be valid, declare for the project exactly what is
 * requested, and declare the same as before everywhere else.
 */
export function proveEdits(
  context: EditingContext,
  after: ReadTexts,
  { requested, layer }: WriteProof,
): readonly UnwrittenEdit[] {
  const byName = new Map(requested.flatMap((edit) => [edit.key, keyAfter(edit)].map((key) => [key, edit] as const)));
  const isWritten = whetherWritten(context, after);
  const wrong = new Map<string, UnwrittenEdit['reason']>();
  for (const project of context.projects) {
    const isOwn = project.name === context.project.name;
    for (const error of findNewErrors(context.read, after, project)) {
      const key = causeOf(error, (name) => byName.has(name));
      if (!wrong.has(key)) wrong.set(key, { code: 'invalid', problem: error.problem });
    }
    for (const key of findChanged(context.read, after, project)) {
      const edit = byName.get(key);
      const isRequested =
        edit !== undefined && (isOwn ? keyAfter(edit) !== edit.key || isWritten(edit) : layer === 'base');
      if (!isRequested && !wrong.has(key))
        wrong.set(key, { code: isOwn && edit ? 'reads-differently' : 'changes-others' });
    }
    // An edit without any change is checked too: its text may say something else.
    const unwritten = isOwn ? requested.filter((edit) => !isWritten(edit)) : [];
    for (const { key } of unwritten) wrong.set(key, wrong.get(key) ?? { code: 'reads-differently' });
  }
  const keys = requested.map(({ key }) => key);
  // An error elsewhere comes from an edit that deletes, if there is one.
  const deleting = requested.flatMap(({ key, deleted }) => (deleted === true ? key : []));
  const failed = [...wrong].map(([key, reason]) => ({ key, reason }));
  return blame(failed, keys, deleting.length > 0 ? deleting : keys);
}

function whetherWritten(context: EditingContext, after: ReadTexts): (edit: ResourceEdit) => boolean {
  const before = desiredByName(context.read.resolve(context.project).desired);
  const now = desiredByName(after.resolve(context.project).desired);
  return (edit) => {
    const sides = { before: before.get(edit.key), now: now.get(keyAfter(edit)) };
    return facetFor(edit).isWritten(edit, sides, context);
  };
}
