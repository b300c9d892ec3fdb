/** Asks git about the manifests of a run: the commit that was applied last, and the one that has them. */

import type { Session } from '../session/session.ts';
import type { RunBase, BaseSearch } from './base-types.ts';
import { findBase } from './find-base.ts';
import { findManifestCommit, type ManifestCommit } from './find-manifest-commit.ts';

export interface GitFacts {
  /** Absent if no base was requested. */
  readonly base: RunBase | undefined;
  readonly manifests: ManifestCommit;
}

/** Call it after reading the manifests on disk. */
export async function consultGit(session: Session, search: BaseSearch): Promise<GitFacts> {
  const [base, manifests] = await Promise.all([findBase(session, search), findManifestCommit(search)]);
  return { base, manifests };
}
