/** Merges a further project into manifests: overlays for what differs, `only_in` for flags that not every project has. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { MemberEdit } from '../../base/yaml/editing/edits.ts';
import type { Export, ExportOptions } from '../../export/export.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import { findWrong } from '../prove.ts';
import { suggestMembers } from '../suggest.ts';
import { editTexts, readTexts, type FileEdit, type ManifestText, type ReadTexts } from '../texts.ts';
import { contextOf, type Context, type Decisions, type MergeInput } from './context.ts';
import { decideMembership, decideOverlays } from './decide.ts';
import type { NotMerged, NotMergedReason } from './not-merged.ts';

export interface Merge extends Export {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  readonly notMerged: readonly NotMerged[];
  /** Flags that the project lacks and that are no longer declared for it. */
  readonly limited: readonly string[];
  readonly overlaid: readonly string[];
}

/**
 * No other project's desired state changes, and a plan of the project has nothing to do for a merged flag: both are checked
 * on the texts before they are returned. A flag for which that is impossible is left as it is and listed in `notMerged`.
 */
export function mergeManifests(input: MergeInput, options: ExportOptions): Merge {
  const context = contextOf(input);
  const excluded = new Map<string, NotMergedReason>();
  const unchecked = new Set<string>();
  for (;;) {
    const attempt = tryMerge(context, { excluded, unchecked });
    if (attempt.failed.size === 0) return finish(context, { attempt, excluded, options });
    for (const [key, reason] of attempt.failed) {
      const mayBeUnchecked = reason === 'reads-differently' && attempt.targeted.has(key) && !unchecked.has(key);
      if (mayBeUnchecked) unchecked.add(key);
      else excluded.set(key, reason);
    }
  }
}

interface Attempt {
  readonly texts: readonly ManifestText[];
  readonly failed: ReadonlyMap<string, NotMergedReason>;
  readonly limited: readonly string[];
  readonly overlaid: readonly string[];
  /** Keys whose overlays have filters. */
  readonly targeted: ReadonlySet<string>;
  /** Flags that no manifest names. */
  readonly unnamed: ReadonlySet<string>;
  readonly edits: ReadonlyMap<string, readonly MemberEdit[]>;
}

function tryMerge(context: Context, decisions: Decisions): Attempt {
  const { manifests, read, allProjects } = context;
  const membership = decideMembership(context, decisions);
  const first = editTexts(manifests, inFiles(membership.edits, read));
  const declared = first.texts === manifests ? read : readTexts(first.texts, allProjects);
  const overlays = decideOverlays(context, { declared, decisions });
  const second = editTexts(first.texts, inFiles(overlays.edits, declared));
  const failed = new Map<string, NotMergedReason>(membership.failed);
  for (const { edit } of [...first.refused, ...second.refused]) failed.set(String(edit.path[1]), 'not-editable');
  for (const key of findWrong(context, second.texts)) {
    const isLeft = !context.isSelected(key) || decisions.excluded.has(key) || failed.has(key);
    if (!isLeft) failed.set(key, 'reads-differently');
  }
  const edits = new Map<string, readonly MemberEdit[]>();
  for (const edit of [...membership.edits, ...overlays.edits]) {
    const key = edit.path[1] ?? '';
    edits.set(key, [...(edits.get(key) ?? []), edit]);
  }
  return {
    texts: second.texts,
    failed,
    limited: membership.limited,
    overlaid: overlays.keys,
    targeted: overlays.targeted,
    unnamed: membership.unnamed,
    edits,
  };
}

function inFiles(edits: readonly MemberEdit[], { declarations }: ReadTexts): FileEdit[] {
  return edits.map((edit) => ({ file: declarations.get(edit.path[1] ?? '')?.file ?? '', edit }));
}

interface Finished {
  readonly attempt: Attempt;
  readonly excluded: ReadonlyMap<string, NotMergedReason>;
  readonly options: ExportOptions;
}

function finish(context: Context, { attempt, excluded, options }: Finished): Merge {
  const { live, project, manifests, read } = context;
  const texts = new Map(manifests.map(({ file, text }) => [file, text]));
  const added = writeManifests(
    {
      flags: live.flags,
      ...defined({ organization: live.organization }),
      roleAccess: context.withRoleAccess ? live.roleAccess : undefined,
      names: project,
      keys: attempt.unnamed,
    },
    { ...options, onlyIn: project.name },
  );
  // What is suggested for a flag that was left as it is: the edits of an attempt that excludes nothing.
  const wishes = excluded.size === 0 ? undefined : tryMerge(context, { excluded: new Map(), unchecked: new Set() });
  const notMerged = [...excluded].map(([key, reason]): NotMerged => {
    const file = read.declarations.get(key)?.file;
    const edits = (wishes?.edits.get(key) ?? []).map((edit) => ({ file: file ?? '', edit }));
    const suggestion = reason === 'not-editable' ? suggestMembers(edits) : undefined;
    return { key, reason, ...defined({ file, suggestion }) };
  });
  return {
    ...added,
    edited: attempt.texts.filter(({ file, text }) => texts.get(file) !== text),
    notMerged: notMerged.toSorted(comparing(({ key }) => key)),
    limited: attempt.limited,
    overlaid: attempt.overlaid,
  };
}
