/** Merges a further project into manifests: its flags, and the changes that its resources of further families need. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { ExportOptions } from '../../export/export.ts';
import { familyIn } from '../../posthog/families.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { LiveState } from '../../posthog/live.ts';
import { declareUnmanaged } from '../accept/declare-unmanaged.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import type { MergeFacet } from '../facet.ts';
import type { MergeInput } from '../flag/merge.ts';
import type { NotMerged } from '../results.ts';
import { fileIn, withEdited, type ManifestText } from '../texts.ts';
import { MERGE_FACETS } from '../write/facets.ts';
import { limitKind, mergeKind, type KindMerge, type KindMergeInput } from './merge-kind.ts';
import { mergeManifests, type Merge } from './merge.ts';

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
