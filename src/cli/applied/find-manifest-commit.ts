/** Finds the commit that has the manifests exactly as they were read from disk. */

import { join } from 'node:path';
import type { NotRecordedReason } from '../../engine/base.ts';
import type { Repository } from '../../git/repository.ts';
import { GitError } from '../../git/objects.ts';
import type { BaseSearch } from './base-types.ts';
import { commitSource } from '../project/known-files.ts';

export type ManifestCommit =
  | { readonly kind: 'committed'; readonly commit: string }
  | { readonly kind: 'not_committed'; readonly reason: NotRecordedReason }
  /** There is no checkout, or no git. */
  | { readonly kind: 'none' };

type CommitSearch = Pick<BaseSearch, 'loaded' | 'checkout' | 'known'>;

/** Looks only at the commit that is checked out. */
export async function findManifestCommit(search: CommitSearch): Promise<ManifestCommit> {
  const opened = await search.checkout.opened;
  if (opened.kind === 'refused') return not({ code: 'git_failed', detail: opened.detail });
  if (opened.kind !== 'open') return { kind: 'none' };
  const { repository } = opened;
  try {
    const commit = await search.checkout.objectsOf(repository).read('HEAD^{commit}');
    return commit === undefined ? not({ code: 'branch_unborn' }) : await compareWith(commit.id, repository, search);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return not({ code: 'git_failed', detail: error.message });
  }
}

async function compareWith(
  commit: string,
  repository: Repository,
  { loaded: { config }, checkout, known }: CommitSearch,
): Promise<ManifestCommit> {
  const tree = checkout.treeOf(repository, commit);
  const { files } = await commitSource(config.root, tree, { repository, known }).find(config.manifests);
  const committed = new Set(files);
  for (const file of known.names()) {
    if (!committed.has(file)) return not({ code: 'manifest_differs', file, how: 'new' });
    const blob = await tree.blobOf(join(config.root, file));
    if ((await known.sameAs(file, blob, repository)) === undefined) {
      return not({ code: 'manifest_differs', file, how: 'modified' });
    }
    committed.delete(file);
  }
  const [gone] = committed;
  if (gone !== undefined) return not({ code: 'manifest_differs', file: gone, how: 'gone' });
  return { kind: 'committed', commit };
}

function not(reason: NotRecordedReason): ManifestCommit {
  return { kind: 'not_committed', reason };
}
