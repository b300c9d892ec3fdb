/** Merges a further project into manifests: overlays for what differs, `only_in` for what not every project has. */

import { comparing } from '../../base/compare-strings.ts';
import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import type { YamlEdit } from '../../base/yaml/editing/edits.ts';
import type { Export, ExportNote, ExportOptions, UnmanagedMember } from '../../loop/export/export.ts';
import { liveById } from '../../loop/export/further.ts';
import { writeManifests } from '../../loop/export/write-manifests.ts';
import { familyIn, furtherFamily } from '../../posthog/families.ts';
import { chosenFields } from '../../posthog/flag/layout.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { ManifestDiagnostic } from '../../posthog/manifests/problems.ts';
import { withIds } from '../../posthog/reading/found-names.ts';
import { extendEdits, limitEdit, toEditingContext, type EditingContext, type EditingInput } from '../context.ts';
import type { NotMerged, NotMergedReason } from '../../loop/export/export.ts';
import type { FieldEdit, FileEdit, RefusalReason, LeftFlag, ManifestText } from '../edit.ts';
import type { FurtherFacet, MergeMatches } from '../facet.ts';
import {
  decideMembership,
  decideOverlays,
  findDifferences,
  toMergeContext,
  type Decisions,
  type MergeContext,
  type MergeInput,
} from '../flag/merge.ts';
import { EDITED, nameOfDeclaration } from '../kinds.ts';
import { solve, type ProofAttempt } from '../solve.ts';
import { changedTexts, editTexts, fileIn, readTexts, suggestMembers, withEdited, type ReadTexts } from '../texts.ts';
import { declareUnmanaged } from './declare-unmanaged.ts';
import { FURTHER_FACETS } from './facets.ts';
import { writeEdits } from './write-edits.ts';

export interface ProjectMergeInput extends MergeInput {
  /** The merge of the families that flags name; `project` has the ids that it found. */
  readonly named: NamedMerge;
  /** The folder for new files. */
  readonly folder: string;
}

export interface NamedMerge extends Pick<KindMerge, 'texts' | 'found'> {
  readonly merged: Partial<Readonly<Record<FamilyName, KindMerge>>>;
}

export interface Merge extends Export {
  /** The manifests whose text changes. */
  readonly edited: readonly ManifestText[];
  readonly notMerged: readonly NotMerged[];
  /** Names, as options have them, of what the project lacks and that is no longer declared for it. */
  readonly limited: readonly string[];
  readonly overlaid: readonly string[];
}

/** Merges the families that the flags of a further project name: their ids are known before the flags are merged. */
export function mergeNamed(input: Omit<MergeInput, 'withRoleAccess'>): NamedMerge {
  const nothing: NamedMerge = { texts: input.manifests, found: {}, merged: {} };
  return facetsOf(input)
    .filter(({ kind }) => familyIn('flags').refersTo.includes(kind.section))
    .reduce((before, facet) => {
      const one = mergeKind(facet, { ...input, manifests: before.texts });
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
  const merged = facetsOf(input).reduce<MergedFamilies>(
    (before, facet) => mergeFurther(facet, before, { input, options }),
    { ...flags, texts },
  );
  const { notes, overlaid, limited, notMerged } = merged;
  const known = new Set(manifests.map(({ file }) => file));
  return {
    ...flags,
    edited: changedTexts(manifests, merged.texts),
    files: merged.texts
      .filter(({ file }) => !known.has(file))
      .map(({ file, text }) => ({ path: file.slice(fileIn(folder, '').length), text }))
      .toSorted(comparing(({ path }) => path)),
    ...{ notes, overlaid, limited, notMerged },
  };
}

function facetsOf({ live }: Pick<MergeInput, 'live'>): readonly FurtherFacet[] {
  return FURTHER_FACETS.filter(({ kind }) => live[kind.section] !== undefined);
}

function flagsToMerge({ live, keys }: Pick<MergeInput, 'live' | 'keys'>): readonly Flag[] {
  return live.flags
    .filter(({ key, deleted }) => deleted !== true && keys?.has(key) !== false)
    .toSorted(comparing(({ key }) => key));
}

/**
 * Merges the flags. Proves on the new texts, before it returns them, that no other project's desired state changes and that a plan of the
 * project would change no merged flag. A flag for which that is impossible stays as it is and is in `notMerged`.
 */
export function mergeManifests(input: MergeInput, options: ExportOptions): Merge {
  const context = toMergeContext(input);
  const { made, after, left } = solve<NotMerged, FlagAttempt>(context, {
    write: ({ isLeft, isFallback }) => tryFlags(context, { isExcluded: isLeft, isUnchecked: isFallback }, options),
    unmet: (read, { later, decisions: { isExcluded } }) =>
      [...findDifferences(later, read, (key) => context.isSelected(key) && !isExcluded(key)).keys()].map(toUnmerged),
    isAsked: (name, project, { open }) => project.name === context.project.name && open.includes(name),
    toFailed: toUnmerged,
    hasFallback: ({ key, reason }, { targeted }) => reason === 'reads-differently' && targeted.has(key),
  });
  // What to write by hand for a flag that is left is what an attempt that excludes nothing would have written.
  const all =
    left.length === 0 ? [] : tryFlags(context, { isExcluded: () => false, isUnchecked: () => false }, options).edits;
  const notMerged = left.map(({ key, reason }): NotMerged => {
    const file = context.read.declarations.get(key)?.file;
    const edits = all.filter(({ path }) => path[1] === key).map((edit) => ({ file: file ?? '', edit }));
    const suggestion = reason === 'not-editable' ? suggestMembers(edits) : undefined;
    return { key, reason, ...defined({ file, suggestion }) };
  });
  return {
    ...made.added,
    unmanaged: [...made.added.unmanaged, ...findUndeclared(context, after)],
    edited: changedTexts(context.manifests, made.texts),
    notMerged: notMerged.toSorted(comparing(({ key }) => key)),
    limited: made.limited,
    overlaid: made.overlaid,
  };
}

function toUnmerged(key: string): NotMerged {
  return { key, reason: 'reads-differently' };
}

interface FlagAttempt extends ProofAttempt<NotMerged> {
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

function tryFlags(context: MergeContext, decisions: Decisions, options: ExportOptions): FlagAttempt {
  const { manifests, read, allProjects, live, project, withRoleAccess } = context;
  const membership = decideMembership(context, decisions);
  const first = editTexts(manifests, inFiles(membership.edits, read));
  const declared = first.texts === manifests ? read : readTexts(first.texts, allProjects, project.moment);
  const overlays = decideOverlays(membership.later, declared, decisions);
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

/** Counts the declared flags of the project that omit access, or a field with another value than its default: a merge adds none to them. */
function findUndeclared({ isSelected, live, project, read }: MergeContext, after: ReadTexts): UnmanagedMember[] {
  const liveByKey = new Map(live.flags.flatMap((flag) => (flag.deleted === true ? [] : [[flag.key, flag] as const])));
  const omitted = EDITED.flags.desired(after.resolve(project).desired).flatMap((flag): readonly string[] => {
    const found = liveByKey.get(flag.key);
    if (flag.kind !== 'declared' || found === undefined || !read.declarations.has(flag.key) || !isSelected(flag.key))
      return [];
    const fields = chosenFields(found).filter((name) => !Object.hasOwn(flag.fields, name));
    const hasAccess = flag.roleAccess !== undefined || flag.everyone !== undefined;
    return [...fields.map((name) => `fields.${name}`), ...(hasAccess ? [] : ['role_access'])];
  });
  return [...groupBy(omitted, (member) => member)].map(([member, { length }]) => ({
    ...{ member, flags: length, reason: 'not-declared' },
  }));
}

interface MergedFamilies extends Pick<Merge, 'notes' | 'overlaid' | 'limited' | 'notMerged'> {
  readonly texts: readonly ManifestText[];
}

/** Merges the family if it is not merged yet, limits what the project lacks, and declares what its flags use. */
function mergeFurther(
  facet: FurtherFacet,
  before: MergedFamilies,
  { input, options }: { readonly input: ProjectMergeInput; readonly options: ExportOptions },
): MergedFamilies {
  const { named, keys, folder } = input;
  const known = named.merged[facet.kind.section];
  const own =
    known === undefined ? mergeKind(facet, { ...input, manifests: before.texts }) : { ...known, texts: before.texts };
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
    resource: facet.resource,
    keys: facet.undeclared(merged, using),
    writing: { ...options, taken, onlyIn: input.project.name },
  });
  const notMerged = [...own.notMerged, ...rest.notMerged].map((one) => ({
    ...one,
    ...defined({ file: merged.read.declarations.get(one.key)?.file }),
  }));
  return {
    texts: [...withEdited(rest.texts, edited), ...files],
    notes: [...before.notes, ...notesOf(facet, merged, { flags: using, left })],
    overlaid: [...own.overlaid, ...before.overlaid],
    limited: [...rest.limited, ...before.limited],
    notMerged: [...notMerged, ...before.notMerged],
  };
}

/** What the manifests omit of the resources of these flags. `left`: the ones that could not be declared, and why. */
function notesOf(
  facet: FurtherFacet,
  { live }: EditingContext,
  { flags, left }: { readonly flags: readonly Flag[]; readonly left: readonly LeftFlag[] },
): readonly ExportNote[] {
  const { exported, section } = furtherFamily(facet.kind.section);
  const reasons = new Map(
    left.flatMap(({ key, reason }) => {
      const id = facet.idNamed(key, live);
      const why = reason.code === 'cohort-undeclarable' ? reason.reason : 'reads-differently';
      return id === undefined ? [] : [[id, why] as const];
    }),
  );
  return flags.flatMap((flag) => exported.notes(flag, { live: liveById(section, live), reasons }));
}

interface KindMerge {
  /** All manifests, with the edited ones. */
  readonly texts: readonly ManifestText[];
  /** Names as options have them, here and below. */
  readonly overlaid: readonly string[];
  readonly notMerged: readonly NotMerged[];
  readonly found: MergeMatches['found'];
}

interface KindAttempt extends ProofAttempt<NotMerged>, Omit<KindMerge, 'texts'> {}

/**
 * Writes the project's version of a declared resource as an overlay. A resource that manifests declare only for other projects, and that
 * the project has, is declared for it too. The desired state of other projects stays the same; a resource that would change it is left
 * alone.
 * @throws {FlagwrightError} `manifest_invalid` as matching does.
 */
function mergeKind(facet: FurtherFacet, input: EditingInput & Pick<MergeInput, 'keys'>): KindMerge {
  const former = toEditingContext(input);
  const ids = input.keys && facet.idsOf(flagsToMerge(input), input.live);
  const isOpen = (id: number): boolean => ids?.has(id) !== false;
  const elsewhere = findElsewhere(facet, former, isOpen);
  const { made, left } = solve<NotMerged, KindAttempt>(former, {
    write: ({ isLeft }) => tryKind(facet, former, { elsewhere, isOpen: (name, id) => !isLeft(name) && isOpen(id) }),
    ...proofOfMerge(former, facet.reasonOf),
  });
  const { texts, overlaid, found, notMerged } = made;
  return { texts, overlaid, notMerged: [...notMerged, ...left], found };
}

/** What the project has and manifests declare for other projects only, by name with the id: each stands for another live resource. */
export function findElsewhere(
  facet: FurtherFacet,
  context: EditingContext,
  isOpen: (id: number) => boolean,
): ReadonlyMap<string, number> {
  const { live, project, read, allProjects, manifests } = context;
  const { section, nameOf, desired: declaredIn } = facet.kind;
  const { desired } = read.resolve(project);
  const aliases = desired.namedElsewhere?.[section] ?? [];
  if (aliases.length === 0) return new Map();
  const { texts } = editTexts(manifests, extendEdits(aliases.map(nameOf), context));
  const extended = declaredIn(readTexts(texts, allProjects).resolve(project).desired);
  const taken = new Set(facet.match(desired, live).pairs.flatMap((pair) => pair.live?.id ?? []));
  const found = new Map<string, number>();
  for (const alias of aliases) {
    const declared = extended.find(({ key, kind }) => key === alias && kind === 'declared');
    const id = declared && facet.find(declared, live);
    if (id === undefined || taken.has(id) || !isOpen(id)) continue;
    taken.add(id);
    found.set(nameOf(alias), id);
  }
  return found;
}

function tryKind(
  facet: FurtherFacet,
  former: EditingContext,
  {
    elsewhere,
    isOpen,
  }: {
    readonly elsewhere: ReadonlyMap<string, number>;
    readonly isOpen: (name: string, id: number) => boolean;
  },
): KindAttempt {
  const { project, live } = former;
  const joined = [...elsewhere].flatMap(([name, id]) => (isOpen(name, id) ? name : []));
  const extended = editTexts(former.manifests, extendEdits(joined, former)).texts;
  const read = joined.length === 0 ? former.read : readTexts(extended, former.allProjects, project.moment);
  const { found, pairs } = facet.match(read.resolve(project).desired, live);
  const edits: FieldEdit[] = [];
  const notMerged: NotMerged[] = [];
  for (const { desired, live: held } of pairs) {
    const key = facet.kind.nameOf(desired.key);
    const decided = held !== undefined && isOpen(key, held.id) ? held.decide() : undefined;
    if (typeof decided === 'string') notMerged.push({ key, reason: decided });
    else if (decided !== undefined) edits.push({ resource: facet.resource, key, fields: decided });
  }
  // Includes the ids of resources that are found by name, as a plan does.
  const context = toEditingContext({ ...former, manifests: extended, project: withIds(project, found) });
  const { edited, written, refused } = writeEdits(context, edits, 'auto');
  return {
    texts: withEdited(extended, edited),
    failed: refused.map(({ key, reason, suggestion }): NotMerged => {
      if (reason.code === 'invalid') return { key, reason: facet.reasonOf?.(reason.problem) ?? 'reads-differently' };
      if (NO_TEXT.has(reason.code)) return { key, reason: 'reads-differently' };
      return { key, reason: 'not-editable', ...defined({ suggestion }) };
    }),
    overlaid: [...written].toSorted(),
    notMerged,
    found,
    open: [...new Set([...joined, ...edits.map(({ key }) => key)])],
  };
}

/** There is no edit that declares what is live. For the other reasons there is one, but the text cannot take it. */
const NO_TEXT: ReadonlySet<RefusalReason['code']> = new Set(['not-declared', 'not-expressible', 'changes-others']);

/** Limits the declarations of what a further project lacks to the other projects, unless something that it has uses them. */
function limitKind(
  facet: FurtherFacet,
  context: EditingContext,
): Pick<KindMerge, 'texts' | 'notMerged'> & Pick<Merge, 'limited'> {
  const { manifests, read, project, live, allProjects } = context;
  const lacking = facet
    .match(read.resolve(project).desired, live)
    .pairs.flatMap((pair) =>
      pair.desired.kind === 'retired' || pair.live !== undefined ? [] : facet.kind.nameOf(pair.desired.key),
    );
  const { made, left } = solve<NotMerged, ProofAttempt<NotMerged>>(context, {
    write: ({ isLeft }) => {
      const open = lacking.filter((key) => !isLeft(key));
      const edits: FileEdit[] = [];
      const onlyHere: NotMerged[] = [];
      for (const key of open) {
        const declaration = read.declarations.get(key);
        const edit = declaration && limitEdit(declaration, project.name, allProjects);
        if (declaration === undefined || edit === undefined) onlyHere.push({ key, reason: 'declared-only-here' });
        else edits.push({ file: declaration.file, edit });
      }
      const { texts, refused } = editTexts(manifests, edits);
      const failed = refused.map((one): NotMerged => {
        const [section, key] = one.edit.path;
        const name = nameOfDeclaration({ section, key: String(key) });
        return { key: name, reason: 'not-editable', ...defined({ suggestion: suggestMembers([one]) }) };
      });
      return { open, texts, failed: [...onlyHere, ...failed] };
    },
    ...proofOfMerge(context, () => 'still-used'),
  });
  return { texts: made.texts, limited: made.open, notMerged: left };
}

/** What was edited may change for the project; what it says then was proved before. No other project may change. */
function proofOfMerge(
  { project: { name: own } }: EditingContext,
  reasonOf: (problem: ManifestDiagnostic) => NotMergedReason = () => 'reads-differently',
): Omit<Parameters<typeof solve<NotMerged, ProofAttempt<NotMerged>>>[1], 'write'> {
  return {
    unmet: () => [],
    isAsked: (name, project, { open }) => project.name === own && open.includes(name),
    toFailed: (key, { problem }) => ({ key, reason: problem === undefined ? 'reads-differently' : reasonOf(problem) }),
  };
}
