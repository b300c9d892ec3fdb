/** Merges a further project into manifests: its flags, and the changes that its cohorts need. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { cohortNotes, cohortsUsedBy } from '../../export/cohorts.ts';
import type { ExportOptions, UndeclaredReason } from '../../export/export.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { lookupNames } from '../../posthog/names.ts';
import { nameResource, readName } from '../../posthog/resource-name.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../accept/declare-unmanaged.ts';
import { COHORT_MERGE } from '../cohort/merge.ts';
import { toEditingContext, type EditingContext } from '../context.ts';
import type { MergeInput } from '../flag/merge.ts';
import type { NotMerged } from '../results.ts';
import { withEdited, type ManifestText } from '../texts.ts';
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
  return mergeKind(COHORT_MERGE, input);
}

/** Manifests without cohorts get none. */
export function mergeProject(input: ProjectMergeInput, options: ExportOptions): Merge {
  const { cohorts, manifests, keys, folder, live } = input;
  if (cohorts === undefined) return mergeManifests(input, options);
  const flags = mergeManifests({ ...input, manifests: cohorts.texts }, options);
  const files = flags.files.map(({ path, text }) => ({ file: `${folder}/${path}`, text }));
  const merged = toEditingContext({ ...input, manifests: [...withEdited(cohorts.texts, flags.edited), ...files] });
  // A selection of flags limits nothing.
  const rest =
    keys === undefined ? limitKind(COHORT_MERGE, merged) : { texts: merged.manifests, limited: [], notMerged: [] };
  const taken = new Set([...(options.taken ?? []), ...flags.files.map(({ path }) => path)]);
  const writing = { ...options, taken, onlyIn: input.project.name };
  const using = live.flags.filter(({ key, deleted }) => deleted !== true && keys?.has(key) !== false);
  const undeclared = findUndeclared(using, merged);
  const declaring = { resource: 'cohort', keys: undeclared, writing, folder } as const;
  const added = declareUnmanaged({ ...input, ...declaring, manifests: rest.texts });
  const notes = cohortNotes(using, { cohorts: live.cohorts ?? [], reasons: reasonsIn(added) });
  return {
    ...flags,
    ...split([...withEdited(rest.texts, added.edited), ...added.files], { manifests, folder }),
    notes: [...flags.notes, ...notes],
    overlaid: [...cohorts.overlaid, ...flags.overlaid],
    limited: [...rest.limited, ...flags.limited],
    notMerged: [...[...cohorts.notMerged, ...rest.notMerged].map((one) => withFile(one, merged)), ...flags.notMerged],
  };
}

/** The ids of the cohorts that flags use and that have a name which no manifest declares. */
function findUndeclared(flags: readonly Flag[], { read, project, live }: EditingContext): ReadonlySet<string> {
  const byId = new Map((live.cohorts ?? []).map((cohort) => [cohort.id, cohort]));
  const { cohort: aliasOf } = lookupNames([], project);
  return new Set(
    flags
      .flatMap((flag) => cohortsUsedBy(flag, byId))
      .filter((id) => {
        const alias = aliasOf(id);
        return alias !== undefined && !read.declarations.has(nameResource('cohort', alias));
      })
      .map(String),
  );
}

function reasonsIn({ left }: DeclaredUnmanaged): ReadonlyMap<number, UndeclaredReason> {
  return new Map(
    left.map(({ key, reason }) => [
      Number(readName(key).key),
      reason.code === 'cohort-undeclarable' ? reason.reason : 'reads-differently',
    ]),
  );
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
      .map(({ file, text }) => ({ path: file.slice(folder.length + 1), text }))
      .toSorted(comparing(({ path }) => path)),
  };
}

function withFile(one: NotMerged, { read }: EditingContext): NotMerged {
  return { ...one, ...defined({ file: read.declarations.get(one.key)?.file }) };
}
