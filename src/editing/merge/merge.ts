/** Merges a further project into manifests: overlays for what differs, `only_in` for flags that not every project has. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { YamlEdit } from '../../base/yaml/editing/edits.ts';
import type { Export, ExportOptions, UnmanagedMember } from '../../export/export.ts';
import { writeManifests } from '../../export/write-manifests.ts';
import type { FileEdit } from '../edit.ts';
import {
  decideMembership,
  decideOverlays,
  findDifferences,
  toMergeContext,
  type Decisions,
  type MergeContext,
  type MergeInput,
} from '../flag/merge.ts';
import { EDITED } from '../kinds.ts';
import type { NotMerged, NotMergedReason } from '../results.ts';
import { solve, type ProofAttempt } from '../solve.ts';
import {
  changedTexts,
  editTexts,
  fileIn,
  readTexts,
  suggestMembers,
  type ManifestText,
  type ReadTexts,
} from '../texts.ts';

export interface Merge extends Export {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  readonly notMerged: readonly NotMerged[];
  /** Flags that the project lacks and that are no longer declared for it. */
  readonly limited: readonly string[];
  readonly overlaid: readonly string[];
}

/**
 * Proves on the new texts, before it returns them, that no other project's desired state changes and that a plan of the project would
 * change no merged flag. A flag for which that is impossible stays as it is and is in `notMerged`.
 */
export function mergeManifests(input: MergeInput, options: ExportOptions): Merge {
  const context = toMergeContext(input);
  const { made, after, left } = solve<NotMerged, MergeAttempt>(context, {
    write: ({ isLeft, isFallback }) => tryMerge(context, { isExcluded: isLeft, isUnchecked: isFallback }, options),
    unmet: (after, { later, decisions: { isExcluded } }) =>
      [...findDifferences(later, after, (key) => context.isSelected(key) && !isExcluded(key)).keys()].map(toUnmerged),
    isAsked: (name, project, { open }) => project.name === context.project.name && open.includes(name),
    toFailed: toUnmerged,
    hasFallback: ({ key, reason }, { targeted }) => reason === 'reads-differently' && targeted.has(key),
  });
  return finish(context, { made, after, left, options });
}

function toUnmerged(key: string): NotMerged {
  return { key, reason: 'reads-differently' };
}

interface MergeAttempt extends ProofAttempt<NotMerged> {
  readonly decisions: Decisions;
  readonly limited: readonly string[];
  readonly later: MergeContext;
  readonly overlaid: readonly string[];
  /** Keys whose overlays have filters. */
  readonly targeted: ReadonlySet<string>;
  /** The flags that no manifest names, in new files. */
  readonly added: Export;
  readonly edits: readonly YamlEdit[];
}

function tryMerge(context: MergeContext, decisions: Decisions, options: ExportOptions): MergeAttempt {
  const { manifests, read, allProjects, live, project, withRoleAccess } = context;
  const membership = decideMembership(context, decisions);
  const first = editTexts(manifests, inFiles(membership.edits, read));
  const declared = first.texts === manifests ? read : readTexts(first.texts, allProjects, project.moment);
  const overlays = decideOverlays(membership.later, { declared, decisions });
  const second = editTexts(first.texts, inFiles(overlays.edits, declared));
  const refused = [...first.refused, ...second.refused];
  const failed = new Map<string, NotMergedReason>([
    ...membership.failed,
    ...refused.map(({ edit }) => [String(edit.path[1]), 'not-editable'] as const),
  ]);
  const added = writeManifests(
    {
      flags: live.flags,
      ...defined({ organization: live.organization }),
      roleAccess: withRoleAccess ? live.roleAccess : undefined,
      names: project,
      keys: membership.unnamed,
    },
    { ...options, onlyIn: project.name },
  );
  const files = added.files.map(({ path, text }) => ({ file: fileIn(options.folder ?? '', path), text }));
  return {
    decisions,
    texts: [...second.texts, ...files],
    open: [...new Set([...membership.joined, ...membership.limited, ...overlays.keys, ...membership.unnamed])],
    failed: [...failed].map(([key, reason]) => ({ key, reason })),
    limited: membership.limited,
    later: membership.later,
    overlaid: overlays.keys,
    targeted: overlays.targeted,
    added,
    edits: [...membership.edits, ...overlays.edits],
  };
}

function inFiles(edits: readonly YamlEdit[], { declarations }: ReadTexts): FileEdit[] {
  return edits.map((edit) => ({ file: declarations.get(String(edit.path[1]))?.file ?? '', edit }));
}

interface Finished {
  readonly made: MergeAttempt;
  readonly after: ReadTexts;
  readonly left: readonly NotMerged[];
  readonly options: ExportOptions;
}

function finish(context: MergeContext, { made, after, left, options }: Finished): Merge {
  const { manifests, read } = context;
  const { added } = made;
  // What to write by hand for a flag that is left is what an attempt that excludes nothing would have written.
  const all =
    left.length === 0 ? [] : tryMerge(context, { isExcluded: () => false, isUnchecked: () => false }, options).edits;
  const notMerged = left.map(({ key, reason }): NotMerged => {
    const file = read.declarations.get(key)?.file;
    const edits = all.filter(({ path }) => path[1] === key).map((edit) => ({ file: file ?? '', edit }));
    const suggestion = reason === 'not-editable' ? suggestMembers(edits) : undefined;
    return { key, reason, ...defined({ file, suggestion }) };
  });
  return {
    ...added,
    unmanaged: [...added.unmanaged, ...findUndeclaredAccess(context, after)],
    edited: changedTexts(manifests, made.texts),
    notMerged: notMerged.toSorted(comparing(({ key }) => key)),
    limited: made.limited,
    overlaid: made.overlaid,
  };
}

/** Counts the declared flags of the project without declared access: a merge adds none to existing declarations. */
function findUndeclaredAccess({ isSelected, live, project, read }: MergeContext, after: ReadTexts): UnmanagedMember[] {
  const keys = new Set(live.flags.flatMap(({ key, deleted }) => (deleted === true ? [] : key)));
  const flags = EDITED.flags
    .desired(after.resolve(project).desired)
    .filter(
      (flag) =>
        flag.kind === 'declared' &&
        flag.roleAccess === undefined &&
        flag.everyone === undefined &&
        keys.has(flag.key) &&
        read.declarations.has(flag.key) &&
        isSelected(flag.key),
    ).length;
  return flags === 0 ? [] : [{ member: 'role_access', flags, reason: 'not-declared' }];
}
