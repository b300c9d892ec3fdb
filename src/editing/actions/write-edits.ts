/**
 * Writes requested edits into the manifests that people wrote. The edited texts are proved before they are returned; an edit that
 * cannot be proved is left out with its reason.
 */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import type { EditingContext } from '../context.ts';
import { keyAfter, type LayerChoice, type ResourceEdit, type UnwrittenEdit } from '../edit.ts';
import { desiredByName } from '../kinds.ts';
import { solve, type ProofAttempt } from '../solve.ts';
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
  const { made, after, left } = solve<UnwrittenEdit, EditAttempt>(context, {
    write: ({ isLeft, isFallback }) =>
      tryWrite(
        context,
        requested.filter(({ key }) => !isLeft(key)),
        { layer, isFallback },
      ),
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

interface Writing {
  readonly layer: LayerChoice;
  readonly isFallback: (key: string) => boolean;
}

function tryWrite(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  { layer, isFallback }: Writing,
): EditAttempt {
  const { manifests } = context;
  const tried = { requested, open: requested.map(({ key }) => key) };
  const decided = requested.map((edit) =>
    facetFor(edit).write(context, edit, { layer, isFallback: isFallback(edit.key) }),
  );
  const failed = decided.flatMap((one) => ('reason' in one ? one : []));
  if (failed.length > 0) return { ...tried, texts: manifests, failed };
  const made = decided.flatMap((one) => ('edits' in one ? one : []));
  const { texts, refused } = editTexts(
    manifests,
    made.flatMap(({ edits }) => edits),
  );
  if (refused.length === 0) {
    const renames = made.flatMap(({ rename }) => rename ?? []);
    return { ...tried, ...renameKeys(texts, renames) };
  }
  return {
    ...tried,
    texts,
    failed: refused.map(({ edit, reason, file, line, column }): UnwrittenEdit => {
      const { key = '', edits = [] } = made.find((one) => one.edits.some((own) => own.edit === edit)) ?? {};
      // A value that YAML cannot hold cannot be written by hand either.
      const suggestion = reason === 'unwritable' ? undefined : suggestMembers(edits);
      return { key, reason: { code: reason }, place: { file, line, column }, ...defined({ suggestion }) };
    }),
  };
}

/** The texts must declare for the project exactly what is requested, and the same as before everywhere else. */
export function proofOfEdits(
  context: EditingContext,
  requested: readonly ResourceEdit[],
  layer: LayerChoice,
): Omit<Parameters<typeof solve<UnwrittenEdit, EditAttempt>>[1], 'write'> {
  const byKey = new Map(requested.map((edit) => [edit.key, edit]));
  return {
    // An edit without any change is checked too: its text may say something else.
    unmet: (after, { requested: open }, errors) => {
      const isWritten = whetherWritten(context, after);
      return open.flatMap((edit): UnwrittenEdit[] => {
        if (isWritten(edit)) return [];
        const error = errors.find(({ names }) => names.includes(edit.key));
        return [toUnwritten(edit.key, error?.problem, { code: 'reads-differently' })];
      });
    },
    isAsked: (name, project, { requested: open }) =>
      (project.name === context.project.name || layer === 'base') &&
      open.some((edit) => edit.key === name || keyAfter(edit) === name),
    toFailed: (key, { problem }) => toUnwritten(key, problem, { code: 'changes-others' }),
    hasFallback: ({ key, reason }) => {
      const edit = byKey.get(key);
      return edit !== undefined && facetFor(edit).hasFallback(edit, reason);
    },
  };
}

function toUnwritten(
  key: string,
  problem: ManifestDiagnostic | undefined,
  otherwise: UnwrittenEdit['reason'],
): UnwrittenEdit {
  return { key, reason: problem === undefined ? otherwise : { code: 'invalid', problem } };
}

function whetherWritten(context: EditingContext, after: ReadTexts): (edit: ResourceEdit) => boolean {
  const before = desiredByName(context.read.resolve(context.project).desired);
  const now = desiredByName(after.resolve(context.project).desired);
  return (edit) => {
    const sides = { before: before.get(edit.key), now: now.get(keyAfter(edit)) };
    return facetFor(edit).isWritten(edit, sides, context);
  };
}
