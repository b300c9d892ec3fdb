/** Declares unmanaged flags: where new files go, and for which projects the flags are. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { declareUnmanaged, type DeclaredUnmanaged, type DeclareInput } from '../../editing/accept/declare-unmanaged.ts';
import type { ManifestText } from '../../editing/texts.ts';
import { findSchema } from './editor-line.ts';
import type { LoadedProject } from './load-project.ts';

/** Flags of one project must not be created in the other ones by the next plan. */
export async function declareUnmanagedFlags(
  { config, project }: LoadedProject,
  input: Omit<DeclareInput, 'withRoleAccess' | 'writing' | 'folder'>,
): Promise<DeclaredUnmanaged> {
  const isShared = Object.values(config.projects).some(
    ({ name, service }) => name !== project.name && service === 'remote',
  );
  const folder = usualFolder(input.manifests);
  const absolute = path.join(config.root, folder);
  const taken = new Set(await readdir(absolute).catch(() => []));
  const schemaPath = await findSchema(config.root, absolute);
  const onlyIn = isShared ? project.name : undefined;
  return declareUnmanaged({
    ...input,
    withRoleAccess: false,
    folder,
    writing: { taken, ...defined({ onlyIn, schemaPath }) },
  });
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
