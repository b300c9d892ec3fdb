/** What git says of the manifests of a run: what was applied last, and the commit that has them. */

import type { Session } from '../session/session.ts';
import type { RunBase, BaseSearch } from './base-types.ts';
import { findBase } from './find-base.ts';
import { findManifestCommit, type ManifestCommit } from './find-manifest-commit.ts';

export interface GitFacts {
  /** Absent where nobody asked for a base. */
  readonly base: RunBase | undefined;
  readonly manifests: ManifestCommit;
}

/** To be called when the manifests on disk were read. */
export async function consultGit(session: Session, search: BaseSearch): Promise<GitFacts> {
  const [base, manifests] = await Promise.all([findBase(session, search), findManifestCommit(search)]);
  return { base, manifests };
}
