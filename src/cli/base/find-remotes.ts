/**
 * Which remotes may share the record of what was applied: those that the configuration names, as it was applied last, before the
 * checked out commit, at it, and on disk. A change must not decide alone where its own judge is looked for.
 */

import { join, resolve } from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { GitError } from '../../git/objects.ts';
import { resolveName } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Session } from '../session/session.ts';
import type { BaseSearch } from './base-types.ts';
import { findFormerConfig } from './former-config.ts';
import { readAt } from './find-record.ts';

/** The most trusted first. `local`: what the ref of this clone names. */
export async function findRemotes(
  session: Session,
  { loaded: { config, project }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  { repository, local }: { readonly repository: Repository; readonly local: string | undefined },
): Promise<readonly string[]> {
  if (project.service !== 'remote') return [];
  const names = await Promise.all(['HEAD^1', 'HEAD'].map((name) => resolveName(repository, `${name}^{commit}`)));
  const applied = local === undefined ? undefined : await appliedCommit(local);
  const path = resolve(session.context.cwd, config.file ?? join(config.root, 'flagwright.yaml'));
  const seen = new Set<string>();
  const remotes: (string | undefined)[] = [];
  for (const commit of [applied, ...names]) {
    const tree = commit === undefined ? undefined : checkout.treeOf(repository, commit);
    const blob = await tree?.blobOf(path);
    if (tree === undefined || (blob !== undefined && seen.has(blob))) continue;
    if (blob !== undefined) seen.add(blob);
    const former = await findFormerConfig(session, { tree, top: repository.top }, { path, project }).catch(passOver);
    remotes.push(former?.config?.base.push);
  }
  return [...new Set([...remotes, config.base.push].filter((one) => one !== undefined))];

  async function appliedCommit(id: string): Promise<string | undefined> {
    const found = await readAt(id, { checkout, repository });
    return found.kind === 'commit' ? found.commit : undefined;
  }
}

/** What cannot be read names no remote. Whether it may judge is asked elsewhere. */
function passOver(error: unknown): undefined {
  if (error instanceof GitError || error instanceof FlagwrightError) return undefined;
  throw error;
}
