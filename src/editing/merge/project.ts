/** Merges a further project into manifests: its flags, and the changes that its resources of further families need. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { ExportOptions } from '../../export/export.ts';
import { familyIn } from '../../posthog/families.ts';
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
  /** The merge of the cohorts, whose names `project` has; absent: cohorts stay as declared. */
  readonly cohorts?: KindMerge;
  /** The folder for new files. */
  readonly folder: string;
}

/** Merges the cohorts of a further project, which its flags use: their ids are known before the flags are merged. */
export function mergeCohorts(input: KindMergeInput): KindMerge {
  return mergeKind(MERGE_FACETS.cohorts, input);
}

/** A further family is merged where it was read; manifests without some of it get none. */
export function mergeProject(input: ProjectMergeInput, options: ExportOptions): Merge {
  const { cohorts, manifests, folder } = input;
  const flags = mergeManifests({ ...input, manifests: cohorts?.texts ?? manifests }, options);
  const files = flags.files.map(({ path, text }) => ({ file: fileIn(folder, path), text }));
  const texts = [...withEdited(cohorts?.texts ?? manifests, flags.edited), ...files];
  const merged = Object.values(MERGE_FACETS)
    .filter(({ kind }) => input.live[kind.section] !== undefined)
    .reduce<MergedFamilies>((before, facet) => mergeFurther(facet, before, { input, options }), { ...flags, texts });
  const { notes, overlaid, limited, notMerged } = merged;
  return { ...flags, ...split(merged.texts, { manifests, folder }), notes, overlaid, limited, notMerged };
}

interface MergedFamilies extends Pick<Merge, 'notes' | 'overlaid' | 'limited' | 'notMerged'> {
  readonly texts: readonly ManifestText[];
}

interface FurtherMerge {
  readonly input: ProjectMergeInput;
  readonly options: ExportOptions;
}

/** Merges the family where the flags did not wait for it, limits what the project lacks, and declares what its flags use. */
function mergeFurther(facet: MergeFacet, before: MergedFamilies, { input, options }: FurtherMerge): MergedFamilies {
  const { cohorts, keys, folder, live } = input;
  const { section } = facet.kind;
  const using = live.flags.filter(({ key, deleted }) => deleted !== true && keys?.has(key) !== false);
  const flagIds = keys && new Set(using.map(({ id }) => id));
  const own =
    section === 'cohorts'
      ? cohorts && { ...cohorts, texts: before.texts }
      : mergeKind(facet, { ...input, manifests: before.texts, ...defined({ ids: flagIds }) });
  if (own === undefined) return before;
  const merged = toEditingContext({ ...input, manifests: own.texts });
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

/** Texts of before that changed, and new files with their bare names. */
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
