/** Finds the commit of the base: the one that `--base` names, else that of the ref, else that of the newest applied run. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NoBaseReason } from '../../engine/base.ts';
import { fetchRef, listRemotes, readRemoteRef, resolveName, writeRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { quoteShort } from '../../report/escape.ts';
import { findApplied } from '../runs/find-applied.ts';
import type { Session } from '../session/session.ts';
import { appliedRef } from './applied-ref.ts';
import type { Checkout } from './checkout.ts';
import type { BaseSearch } from './base-types.ts';
import { identityOf } from './open-project.ts';

/** @throws {FlagwrightError} `usage` if there is no such commit. */
export async function findNamedCommit(name: string, checkout: Checkout, repository: Repository): Promise<BaseFacts> {
  const id = await resolveName(repository, name);
  const found = id === undefined ? undefined : await checkout.objectsOf(repository).read(`${id}^{commit}`);
  if (found !== undefined) return { kind: 'commit', commit: found.id, from: 'option' };
  throw new FlagwrightError('usage', `--base ${quoteShort(name)} names no commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only a part of the history. `git fetch --unshallow` gets the rest.'
      : 'Name a commit, a branch or a tag; `auto` stands for the last apply, `none` for no base.',
  });
}

/** Never a guess: where the ref or the journal should have the answer and cannot give it, there is no base. */
export async function findBaseCommit(
  session: Session,
  { loaded, checkout, snapshot }: BaseSearch,
  repository: Repository,
): Promise<BaseFacts> {
  const { config, project } = loaded;
  if (snapshot?.commit !== undefined) {
    const { commit } = snapshot;
    return checkCommit(commit, { from: 'snapshot', name: commit }, { checkout, repository, remote: config.base.push });
  }
  const ref = appliedRef(config, project, repository);
  if (ref !== undefined) {
    const isShared = project.service === 'remote' && snapshot === undefined;
    const problem = isShared ? await fetchApplied(config.base.push, ref, { checkout, repository }) : undefined;
    if (problem !== undefined) return none(problem);
    const id = await resolveName(repository, ref);
    if (id !== undefined)
      return checkCommit(id, { from: 'ref', name: ref }, { checkout, repository, remote: config.base.push });
  }
  const applied = await findApplied(session, identityOf(project));
  if (applied.kind === 'unreadable') return none({ code: 'journal_unreadable', detail: applied.detail });
  if (applied.kind === 'none') return none({ code: 'not_recorded' });
  const { commit } = applied;
  return checkCommit(commit, { from: 'journal', name: commit }, { checkout, repository, remote: config.base.push });
}

function none(reason: NoBaseReason): BaseFacts {
  return { kind: 'none', reason };
}

/** Takes over the ref of the remote. The local one stays where the remote has none. */
async function fetchApplied(
  remote: string | undefined,
  ref: string,
  { checkout, repository }: Pick<Looking, 'checkout' | 'repository'>,
): Promise<NoBaseReason | undefined> {
  if (remote === undefined) return undefined;
  const found = await readRemoteRef(repository, remote, ref);
  if (found.kind === 'none') return undefined;
  if (found.kind === 'unreachable') return { code: 'remote_unreachable', remote, detail: found.detail };
  const { commit } = found;
  if ((await resolveName(repository, ref)) === commit) return undefined;
  const isHere = (await checkout.objectsOf(repository).read(`${commit}^{commit}`)) !== undefined;
  const run = isHere ? await writeRef(repository, ref, commit) : await fetchRef(repository, remote, ref);
  if (run.kind === 'done') return undefined;
  return { code: 'remote_unreachable', remote, detail: run.detail };
}

interface Looking {
  readonly checkout: Checkout;
  readonly repository: Repository;
  /** The remote that the configuration names. */
  readonly remote: string | undefined;
}

async function checkCommit(
  id: string,
  { from, name }: { readonly from: 'ref' | 'journal' | 'snapshot'; readonly name: string },
  { checkout, repository, remote }: Looking,
): Promise<BaseFacts> {
  const objects = checkout.objectsOf(repository);
  const commit = await objects.read(`${id}^{commit}`);
  if (commit !== undefined) return { kind: 'commit', commit: commit.id, from };
  if ((await objects.read(id)) !== undefined) return none({ code: 'not_a_commit', name });
  const where = remote ?? (await usualRemote(repository));
  return none({ code: 'commit_missing', commit: id, shallow: repository.shallow, ...defined({ remote: where }) });
}

async function usualRemote(repository: Repository): Promise<string | undefined> {
  const remotes = await listRemotes(repository);
  return remotes.includes('origin') || remotes.length !== 1 ? remotes.find((name) => name === 'origin') : remotes[0];
}
