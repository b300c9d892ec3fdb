/** The manifests that a run read from disk, so that the same content in a commit is recognized, and not read and parsed again. */

import { join } from 'node:path';
import { blobNames } from '../../loop/git/code-files.ts';
import { type CommitTree, IN_SUBMODULE } from '../../loop/git/commit-tree.ts';
import type { Repository } from '../../loop/git/repository.ts';
import type { FileDiagnostic, ManifestSource, ParsedFile, ReadFile } from '../../core/manifest/source.ts';
import { treeSource } from '../../core/manifest/tree-source.ts';

export interface KnownFiles {
  readonly remember: (read: ReadFile) => void;
  names(): readonly string[];
  /** The parsed file, if its content is that of a blob. */
  sameAs(file: string, blob: string | undefined, repository: Repository): Promise<ParsedFile | undefined>;
}

export function createKnownFiles(): KnownFiles {
  const reads = new Map<string, ReadFile & { blobs?: Promise<readonly string[]> }>();
  return {
    remember: (read) => void reads.set(read.parsed.file.file, { ...read }),
    names: () => [...reads.keys()],
    sameAs: async (file, blob, repository) => {
      const read = reads.get(file);
      if (read?.bytes === undefined || blob === undefined) return undefined;
      read.blobs ??= blobNames(read.bytes, repository, join(repository.folder, file));
      return (await read.blobs).includes(blob) ? read.parsed : undefined;
    },
  };
}

/** The manifests of a commit; those that are on disk with the same content are taken from there. */
export function commitSource(
  root: string,
  tree: CommitTree,
  { repository, known }: { readonly repository: Repository; readonly known: KnownFiles },
): ManifestSource {
  const source = treeSource(root, tree);
  return {
    ...source,
    find: async (patterns) => {
      const { files, diagnostics } = await source.find(patterns);
      return { files, diagnostics: diagnostics.filter((diagnostic) => !isEmptySubmodule(diagnostic, known)) };
    },
    parsed: async (file) => known.sameAs(file, await tree.blobOf(join(root, file)), repository),
  };
}

/** A submodule without manifests is an ordinary folder on disk. */
function isEmptySubmodule(diagnostic: FileDiagnostic, known: KnownFiles): boolean {
  if (diagnostic.code !== 'file-unreadable' || diagnostic.args.reason !== IN_SUBMODULE) return false;
  const { file = '.' } = diagnostic.place ?? {};
  return !known.names().some((name) => name.startsWith(`${file}/`));
}
