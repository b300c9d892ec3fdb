/** Merges a further project into manifests: its flags, and the changes that its resources of further families need. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { ExportOptions, Export, UnmanagedMember } from '../../export/export.ts';
import { familyIn } from '../../posthog/families.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import { declareUnmanaged } from './declare-unmanaged.ts';
import { toEditingContext, type EditingContext, type EditingInput, extendEdits, limitEdit } from '../context.ts';
import type { MergeFacet, MergeComparison } from '../facet.ts';
import {
  type MergeInput,
  decideMembership,
  decideOverlays,
  findDifferences,
  toMergeContext,
  type Decisions,
  type MergeContext,
} from '../flag/merge.ts';
import type { NotMerged, NotMergedReason } from '../results.ts';
import {
  fileIn,
  withEdited,
  type ManifestText,
  editTexts,
  readTexts,
  suggestMembers,
  type RefusedFileEdit,
  changedTexts,
  type ReadTexts,
} from '../texts.ts';
import { MERGE_FACETS } from './facets.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { withIds } from '../../posthog/reading/found-names.ts';
import type { FileEdit, RefusalReason, UnwrittenEdit } from '../edit.ts';
import { nameOfDeclaration, EDITED } from '../kinds.ts';
import { solve, type ProofAttempt } from '../solve.ts';
import { writeEdits } from './write-edits.ts';
import type { YamlEdit } from '../../base/yaml/editing/edits.ts';
import { writeManifests } from '../../export/write-manifests.ts';

export interface ProjectMergeInput extends MergeInput {
  /** The merge of the families that flags name; `project` has the ids that it found. */
  readonly named: NamedMerge;
  /** The folder for new files. */
  readonly folder: string;
}

export interface NamedMerge extends Pick<KindMerge, 'texts' | 'found'> {
  readonly merged: Partial<Readonly<Record<FamilyName, KindMerge>>>;
}

/** Merges the families that the flags of a further project name: their ids are known before the flags are merged. */
export function mergeNamed(input: Omit<MergeInput, 'withRoleAccess'>): NamedMerge {
  const nothing: NamedMerge = { texts: input.manifests, found: {}, merged: {} };
  return facetsOf(input.live)
    .filter(({ kind }) => familyIn('flags').refersTo.includes(kind.section))
    .reduce((before, facet) => {
      const one = mergeKind(facet, { ...input, manifests: before.texts, ...selectedIds(facet, input) });
      const merged = { ...before.merged, [facet.kind.section]: one };
      return { texts: one.texts, found: { ...before.found, ...one.found }, merged };
    }, nothing);
}

/** A further family is merged if it was read and manifests declare some of it. */
export function mergeProject(input: ProjectMergeInput, options: ExportOptions): Merge {
  const { named, manifests, folder } = input;
  const flags = mergeManifests({ ...input, manifests: named.texts }, options);
  const files = flags.files.map(({ path, text }) => ({ file: fileIn(folder, path), text }));
  const texts = [...withEdited(named.texts, flags.edited), ...files];
  const merged = facetsOf(input.live).reduce<MergedFamilies>(
    (before, facet) => mergeFurther(facet, before, { input, options }),
    { ...flags, texts },
  );
  const { notes, overlaid, limited, notMerged } = merged;
  return { ...flags, ...split(merged.texts, { manifests, folder }), notes, overlaid, limited, notMerged };
}

function facetsOf(live: LiveState): readonly MergeFacet[] {
  return Object.values(MERGE_FACETS).filter(({ kind }) => live[kind.section] !== undefined);
}

function selectedIds(
  facet: MergeFacet,
  { live, keys }: Pick<MergeInput, 'live' | 'keys'>,
): Pick<KindMergeInput, 'ids'> {
  return defined({ ids: keys && facet.idsOf(flagsToMerge({ live, keys }), live) });
}

function flagsToMerge({ live, keys }: Pick<MergeInput, 'live' | 'keys'>): readonly Flag[] {
  return live.flags.filter(({ key, deleted }) => deleted !== true && keys?.has(key) !== false);
}

interface MergedFamilies extends Pick<Merge, 'notes' | 'overlaid' | 'limited' | 'notMerged'> {
  readonly texts: readonly ManifestText[];
}

interface FurtherMerge {
  readonly input: ProjectMergeInput;
  readonly options: ExportOptions;
}

/** Merges the family if it is not merged yet, limits what the project lacks, and declares what its flags use. */
function mergeFurther(facet: MergeFacet, before: MergedFamilies, { input, options }: FurtherMerge): MergedFamilies {
  const { named, keys, folder } = input;
  const { section } = facet.kind;
  const known = named.merged[section];
  const own =
    known === undefined
      ? mergeKind(facet, { ...input, manifests: before.texts, ...selectedIds(facet, input) })
      : { ...known, texts: before.texts };
  const merged = toEditingContext({ ...input, manifests: own.texts });
  const using = flagsToMerge(input);
  // A selection of flags limits nothing.
  const rest = keys === undefined ? limitKind(facet, merged) : { texts: own.texts, limited: [], notMerged: [] };
  const inFolder = rest.texts.flatMap(({ file }) => {
    const name = file.slice(fileIn(folder, '').length);
    return fileIn(folder, name) === file ? name : [];
  });
  const taken = new Set([...(options.taken ?? []), ...inFolder]);
  const { edited, files, left } = declareUnmanaged({
    ...{ ...input, manifests: rest.texts, folder },
    resource: familyIn(section).kind,
    keys: facet.undeclared(merged, using),
    writing: { ...options, taken, onlyIn: input.project.name },
  });
  return {
    texts: [...withEdited(rest.texts, edited), ...files],
    notes: [...before.notes, ...facet.notes(merged, using, left)],
    overlaid: [...own.overlaid, ...before.overlaid],
    limited: [...rest.limited, ...before.limited],
    notMerged: [...[...own.notMerged, ...rest.notMerged].map((one) => withFile(one, merged)), ...before.notMerged],
  };
}

/** The former texts that changed, and new files with their bare names. */
function split(
  texts: readonly ManifestText[],
  { manifests, folder }: Pick<ProjectMergeInput, 'manifests' | 'folder'>,
): Pick<Merge, 'edited' | 'files'> {
  const before = new Map(manifests.map(({ file, text }) => [file, text]));
  const added = texts.filter(({ file }) => !before.has(file));
  return {
    edited: texts.filter(({ file, text }) => before.has(file) && before.get(file) !== text),
    files: added
      .map(({ file, text }) => ({ path: file.slice(fileIn(folder, '').length), text }))
      .toSorted(comparing(({ path }) => path)),
  };
}

function withFile(one: NotMerged, { read }: EditingContext): NotMerged {
  return { ...one, ...defined({ file: read.declarations.get(one.key)?.file }) };
}

interface KindMergeInput extends EditingInput {
  /** The ids of those to merge; absent: all. */
  readonly ids?: ReadonlySet<number>;
}

interface KindMerge {
  /** All manifests, with the edited ones. */
  readonly texts: readonly ManifestText[];
  /** Names as options have them, here and below. */
  readonly overlaid: readonly string[];
  readonly notMerged: readonly NotMerged[];
  /** The ids that the project has for names that manifests declare for it now. */
  readonly found: MergeComparison['found'];
}

/**
 * Writes the project's version of a declared resource as an overlay. A resource that manifests declare only for other projects, and that
 * the project has, is declared for it too. The desired state of other projects stays the same; a resource that would change it is left
 * alone.
 * @throws {FlagwrightError} `manifest_invalid` as matching does.
 */
function mergeKind(facet: MergeFacet, input: KindMergeInput): KindMerge {
  const former = toEditingContext(input);
  const elsewhere = facet.elsewhere(former, input.ids);
  const { made, left } = solve<NotMerged, KindAttempt>(former, {
    write: ({ isLeft }) => {
      const joined = elsewhere.filter((key) => !isLeft(facet.kind.nameOf(key)));
      const isOpen = (name: string, id: number): boolean => !isLeft(name) && input.ids?.has(id) !== false;
      return tryMerge(facet, former, { joined, isOpen });
    },
    ...proofOfMerge(former, facet.reasonOf),
  });
  const { texts, overlaid, found, notMerged } = made;
  return { texts, overlaid, notMerged: [...notMerged, ...left], found };
}

interface KindAttempt extends ProofAttempt<NotMerged>, Omit<KindMerge, 'texts'> {}

interface Merging {
  /** The keys of those that are declared for the project from now on. */
  readonly joined: readonly string[];
  readonly isOpen: (name: string, id: number) => boolean;
}

function tryMerge(facet: MergeFacet, former: EditingContext, { joined, isOpen }: Merging): KindAttempt {
  const { nameOf } = facet.kind;
  const names = joined.map(nameOf);
  const extended = editTexts(former.manifests, extendEdits(names, former)).texts;
  const read = joined.length === 0 ? former.read : readTexts(extended, former.allProjects, former.project.moment);
  const { found, edits, left } = facet.compare({ ...former, read }, isOpen);
  const { edited, written, refused } = writeEdits(withFound({ ...former, manifests: extended }, found), edits, 'auto');
  return {
    texts: withEdited(extended, edited),
    failed: refused.map((one) => ofUnwritten(one, facet)),
    overlaid: [...written].toSorted(),
    notMerged: left,
    found,
    open: [...new Set([...names, ...edits.map(({ key }) => key)])],
  };
}

function ofUnwritten({ key, reason, suggestion }: UnwrittenEdit, { reasonOf }: MergeFacet): NotMerged {
  if (reason.code === 'invalid') return { key, reason: reasonOf(reason.problem) };
  if (NO_TEXT.has(reason.code)) return { key, reason: 'reads-differently' };
  return { key, reason: 'not-editable', ...defined({ suggestion }) };
}

/** There is no edit that declares what is live. For the other reasons there is one, but the text cannot take it. */
const NO_TEXT: ReadonlySet<RefusalReason['code']> = new Set(['not-declared', 'not-expressible', 'changes-others']);

/** Includes the ids of resources that are found by name, as a plan does. */
function withFound(input: EditingInput, found: KindMerge['found']): EditingContext {
  return toEditingContext({ ...input, project: withIds(input.project, found) });
}

interface Limited extends Pick<KindMerge, 'texts' | 'notMerged'> {
  /** The names of resources that the project lacks and that are no longer declared for it. */
  readonly limited: readonly string[];
}

/** Limits the declarations of what a further project lacks to the other projects, unless something that it has uses them. */
function limitKind(facet: MergeFacet, context: EditingContext): Limited {
  const { manifests } = context;
  const lacking = facet.lacking(context);
  const { made, left } = solve<NotMerged, ProofAttempt<NotMerged>>(context, {
    write: ({ isLeft }) => {
      const open = lacking.filter((key) => !isLeft(key));
      const edits = open.map((key) => ({ key, edit: limit(key, context) }));
      const { texts, refused } = editTexts(
        manifests,
        edits.flatMap(({ edit }) => edit ?? []),
      );
      const onlyHere = edits.flatMap(({ key, edit }): NotMerged[] =>
        edit === undefined ? [{ key, reason: 'declared-only-here' }] : [],
      );
      return { open, texts, failed: [...onlyHere, ...refused.map(ofRefused)] };
    },
    ...proofOfMerge(context, () => 'still-used'),
  });
  return { texts: made.texts, limited: made.open, notMerged: left };
}

/** Absent for what is declared for the project alone. */
function limit(name: string, { read, project, allProjects }: EditingContext): FileEdit | undefined {
  const declaration = read.declarations.get(name);
  const edit = declaration && limitEdit(declaration, project.name, allProjects);
  return declaration && edit && { file: declaration.file, edit };
}

/** What was edited may change for the project; what it says then was proved before. No other project may change. */
function proofOfMerge(
  { project: { name: own } }: EditingContext,
  reasonOf: (problem: ManifestDiagnostic) => NotMergedReason,
): Omit<Parameters<typeof solve<NotMerged, ProofAttempt<NotMerged>>>[1], 'write'> {
  return {
    unmet: () => [],
    isAsked: (name, project, { open }) => project.name === own && open.includes(name),
    toFailed: (key, { problem }) => ({ key, reason: problem === undefined ? 'reads-differently' : reasonOf(problem) }),
  };
}

function ofRefused(refused: RefusedFileEdit): NotMerged {
  const [section, key] = refused.edit.path;
  const name = nameOfDeclaration({ section, key: String(key) });
  return { key: name, reason: 'not-editable', ...defined({ suggestion: suggestMembers([refused]) }) };
}

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
    write: ({ isLeft, isFallback }) => tryMergeFlags(context, { isExcluded: isLeft, isUnchecked: isFallback }, options),
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

function tryMergeFlags(context: MergeContext, decisions: Decisions, options: ExportOptions): MergeAttempt {
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
    left.length === 0
      ? []
      : tryMergeFlags(context, { isExcluded: () => false, isUnchecked: () => false }, options).edits;
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
