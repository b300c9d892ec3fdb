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
  findUnmerged,
  toMergeContext,
  type Decisions,
  type MergeContext,
  type MergeInput,
} from '../flag/merge.ts';
import { EDITED } from '../kinds.ts';
import type { NotMerged, NotMergedReason } from '../results.ts';
import { solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, readTexts, suggestMembers, type ManifestText, type ReadTexts } from '../texts.ts';

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
  const { made, after, left } = solve<NotMerged, MergeAttempt>(context.allProjects, {
    write: ({ left: excluded, fallback }) =>
      tryMerge(context, { isExcluded: (key) => excluded.has(key), unchecked: fallback }),
    prove: (after, { later, decisions: { isExcluded } }) =>
      [...new Set(findUnmerged(later, after))].flatMap((key): NotMerged[] =>
        context.isSelected(key) && !isExcluded(key) ? [{ key, reason: 'reads-differently' }] : [],
      ),
    hasFallback: ({ key, reason }, { targeted }) => reason === 'reads-differently' && targeted.has(key),
  });
  return finish(context, { made, after, left, options });
}

interface MergeAttempt extends ProofAttempt<NotMerged> {
  readonly decisions: Decisions;
  readonly limited: readonly string[];
  readonly later: MergeContext;
  readonly overlaid: readonly string[];
  /** Keys whose overlays have filters. */
  readonly targeted: ReadonlySet<string>;
  /** Flags that no manifest names. */
  readonly unnamed: ReadonlySet<string>;
  readonly edits: readonly YamlEdit[];
}

function tryMerge(context: MergeContext, decisions: Decisions): MergeAttempt {
  const { manifests, read, allProjects } = context;
  const membership = decideMembership(context, decisions);
  const first = editTexts(manifests, inFiles(membership.edits, read));
  const declared = first.texts === manifests ? read : readTexts(first.texts, allProjects, context.project.moment);
  const overlays = decideOverlays(membership.later, { declared, decisions });
  const second = editTexts(first.texts, inFiles(overlays.edits, declared));
  const refused = [...first.refused, ...second.refused];
  const failed = new Map<string, NotMergedReason>([
    ...membership.failed,
    ...refused.map(({ edit }) => [String(edit.path[1]), 'not-editable'] as const),
  ]);
  return {
    decisions,
    texts: second.texts,
    failed: [...failed].map(([key, reason]) => ({ key, reason })),
    limited: membership.limited,
    later: membership.later,
    overlaid: overlays.keys,
    targeted: overlays.targeted,
    unnamed: membership.unnamed,
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
  const { live, project, manifests, read } = context;
  const added = writeManifests(
    {
      flags: live.flags,
      ...defined({ organization: live.organization }),
      roleAccess: context.withRoleAccess ? live.roleAccess : undefined,
      names: project,
      keys: made.unnamed,
    },
    { ...options, onlyIn: project.name },
  );
  // What to write by hand for a flag that is left is what an attempt that excludes nothing would have written.
  const all = left.length === 0 ? [] : tryMerge(context, { isExcluded: () => false, unchecked: new Set() }).edits;
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
function findUndeclaredAccess({ isSelected, live, project }: MergeContext, after: ReadTexts): UnmanagedMember[] {
  const keys = new Set(live.flags.flatMap(({ key, deleted }) => (deleted === true ? [] : key)));
  const flags = EDITED.flags
    .desired(after.resolve(project).desired)
    .filter(
      (flag) =>
        flag.kind === 'declared' &&
        flag.roleAccess === undefined &&
        flag.everyone === undefined &&
        keys.has(flag.key) &&
        isSelected(flag.key),
    ).length;
  return flags === 0 ? [] : [{ member: 'role_access', flags, reason: 'not-declared' }];
}
