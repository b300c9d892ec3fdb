/** Declares unmanaged flags and cohorts: where new files go, and for which projects they are. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { declareUnmanaged, type DeclaredUnmanaged } from '../../editing/accept/declare-unmanaged.ts';
import type { DeclareInput } from '../../editing/facet.ts';
import type { EditingInput } from '../../editing/context.ts';
import { withEdited, type ManifestText } from '../../editing/texts.ts';
import { findSchema } from './editor-line.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface Unmanaged extends Pick<EditingInput, 'live' | 'project' | 'projects' | 'manifests'> {
  /** The keys of flags, and the ids of cohorts. */
  readonly keys: ReadonlySet<string>;
  readonly ids: ReadonlySet<number>;
}

/** Cohorts are declared in the texts that have the flags. */
export async function declareAllUnmanaged(
  loaded: LoadedProject,
  { keys, ids, ...input }: Unmanaged,
): Promise<DeclaredUnmanaged> {
  const writing = await findWriting(loaded, input.manifests);
  const common = { ...input, ...writing, withRoleAccess: false };
  const flags = declareUnmanaged({ ...common, resource: 'flag', keys });
  if (ids.size === 0) return flags;
  const manifests = [...withEdited(input.manifests, flags.edited), ...flags.files];
  const cohorts = declareUnmanaged({ ...common, manifests, resource: 'cohort', keys: new Set([...ids].map(String)) });
  const texts = withEdited(manifests, cohorts.edited);
  const before = new Map(input.manifests.map(({ file, text }) => [file, text]));
  return {
    edited: texts.filter(({ file, text }) => before.has(file) && before.get(file) !== text),
    files: [...texts.filter(({ file }) => !before.has(file)), ...cohorts.files],
    added: [...flags.added, ...cohorts.added],
    left: [...flags.left, ...cohorts.left],
  };
}

/** What is of one project must not be created in the other ones by the next plan. */
async function findWriting(
  { config, project }: LoadedProject,
  manifests: readonly ManifestText[],
): Promise<Pick<DeclareInput, 'folder' | 'writing'>> {
  const isShared = Object.values(config.projects).some(
    ({ name, service }) => name !== project.name && service === 'remote',
  );
  const folder = usualFolder(manifests);
  const absolute = path.join(config.root, folder);
  const taken = new Set(await readdir(absolute).catch(() => []));
  const schemaPath = await findSchema(config.root, absolute);
  const onlyIn = isShared ? project.name : undefined;
  return { folder, writing: { taken, ...defined({ onlyIn, schemaPath }) } };
}

/** The folder with most of the manifests; `flags` without any. */
function usualFolder(manifests: readonly ManifestText[]): string {
  const counts = new Map<string, number>();
  for (const { file } of manifests) {
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? 'flags';
}
