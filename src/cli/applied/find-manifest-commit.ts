/** Finds the commit that has the manifests exactly as they were read from disk, and refuses to take manifests for deleted that are only absent. */

import { join } from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { NotRecordedReason } from '../../core/engine/base.ts';
import { GitError } from '../../loop/git/objects.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { quoteShort } from '../../report/escape.ts';
import { count } from '../../report/words/amounts.ts';
import { commitSource, createKnownFiles } from '../project/known-files.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { type BaseSearch, withCheckout } from './open-checkout.ts';

export type ManifestCommit =
  | { readonly kind: 'committed'; readonly commit: string }
  /** `absent`: the manifests that the commit has and the disk has not. */
  | { readonly kind: 'not_committed'; readonly reason: NotRecordedReason; readonly absent?: readonly string[] }
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
  const read = new Set(known.names());
  const absent = files.filter((file) => !read.has(file));
  const [gone] = absent;
  if (gone !== undefined) return { ...not({ code: 'manifest_differs', file: gone, how: 'gone' }), absent };
  for (const file of read) {
    if (!files.includes(file)) return not({ code: 'manifest_differs', file, how: 'new' });
    const blob = await tree.blobOf(join(config.root, file));
    if ((await known.sameAs(file, blob, repository)) === undefined) {
      return not({ code: 'manifest_differs', file, how: 'modified' });
    }
  }
  return { kind: 'committed', commit };
}

/**
 * Call this where the absence of a manifest means something: for `--prune`, which deletes what no manifest names, for what declares it
 * (`accept --unmanaged`, `export --merge`), and for a claim that all is in sync. A sparse checkout lacks files that nobody deleted.
 * @throws {FlagwrightError} `refused` for manifests that only the commit has.
 */
export function refuseAbsent(manifests: ManifestCommit): void {
  const [first, ...others] = manifests.kind === 'not_committed' ? (manifests.absent ?? []) : [];
  if (first === undefined) return;
  const all =
    others.length === 0 ? quoteShort(first) : `${quoteShort(first)} and ${count(others.length, 'other manifest')}`;
  const words = `The commit has ${all}, and this checkout does not: whether the flags in it are still managed is not known.`;
  throw new FlagwrightError('refused', words, {
    remedy:
      'If they were deleted on purpose, commit that. If the checkout is sparse, add their folder with `git sparse-checkout add`, or restore them with `git checkout -- FILE`.',
  });
}

/** The same for a run that makes no plan. */
export async function refuseAbsentOnDisk(session: Session, loaded: LoadedProject): Promise<void> {
  const { config } = loaded;
  const { files } = await diskSource(config.root).find(config.manifests);
  // Only the names matter here, so nothing is read.
  const known = { ...createKnownFiles(), names: () => files };
  await withCheckout(session, config, async (checkout) =>
    refuseAbsent(await findManifestCommit({ loaded, checkout, known })),
  );
}

function not(reason: NotRecordedReason): Extract<ManifestCommit, { kind: 'not_committed' }> {
  return { kind: 'not_committed', reason };
}
