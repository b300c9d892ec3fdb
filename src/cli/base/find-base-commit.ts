/** Finds the commit of the base: the one that `--base` names, else that of the ref, else that of the newest applied run. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NoBaseReason } from '../../engine/base.ts';
import { listRemotes, resolveName } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { quoteShort } from '../../report/escape.ts';
import { findApplied } from '../runs/find-applied.ts';
import type { Session } from '../session/session.ts';
import { commitsIn } from './applied-record.ts';
import { appliedRef } from './applied-ref.ts';
import type { Checkout } from './checkout.ts';
import type { BaseSearch } from './base-types.ts';
import { findRef, readAt, type FoundRef, type InRepository, type ReadRecord } from './find-record.ts';
import { findRemotes } from './find-remotes.ts';
import { identityOf } from '../project/open-project.ts';

/** @throws {FlagwrightError} `usage` if there is no such commit. */
export async function findNamedCommit(name: string, checkout: Checkout, repository: Repository): Promise<BaseFacts> {
  const id = await resolveName(repository, name);
  const found = id === undefined ? undefined : await readAt(id, { checkout, repository });
  if (found?.kind === 'commit') return { kind: 'commit', commit: found.commit, from: 'option', ...earlierOf(found) };
  throw new FlagwrightError('usage', `--base ${quoteShort(name)} names no commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only a part of the history. `git fetch --unshallow` gets the rest.'
      : 'Name a commit, a branch or a tag; `auto` stands for the last apply, `none` for no base.',
  });
}

/** Never a guess: where the ref or the journal should have the answer and cannot give it, there is no base. */
export async function findBaseCommit(
  session: Session,
  search: Omit<BaseSearch, 'known'>,
  repository: Repository,
): Promise<BaseFacts> {
  const { loaded, checkout, snapshot } = search;
  const { config, project } = loaded;
  const within = { checkout, repository };
  if (snapshot?.commit !== undefined) {
    const { commit, earlier = [] } = snapshot;
    return checkCommits({ commit, earlier }, { from: 'snapshot', ...within, remotes: [] });
  }
  const ref = appliedRef(config, project, repository);
  const remotes = ref === undefined ? [] : await findRemotes(session, search, await localOf(ref, within));
  const asksNone = snapshot !== undefined || search.offline === true;
  if (ref !== undefined) {
    const found = await findRef(ref, asksNone ? [] : remotes, within);
    if (found.kind === 'unread') return none({ code: 'remote_unreachable', ref, ...found.unread });
    if (found.kind === 'found') return readFound(found, ref, { ...within, remotes });
  }
  const applied = await findApplied(session, identityOf(project));
  if (applied.kind === 'unreadable') return none({ code: 'journal_unreadable', detail: applied.detail });
  if (applied.kind === 'found') return checkCommits(applied, { from: 'journal', ...within, remotes });
  const [remote] = remotes;
  // A snapshot was taken by a run that asked.
  if (search.offline === true && ref !== undefined && remote !== undefined) {
    return none({ code: 'not_fetched', remote, ref });
  }
  return none({ code: 'not_recorded' });
}

async function localOf(
  ref: string,
  { repository }: InRepository,
): Promise<{ readonly repository: Repository; readonly local: string | undefined }> {
  return { repository, local: await resolveName(repository, ref) };
}

function none(reason: NoBaseReason): BaseFacts {
  return { kind: 'none', reason };
}

interface Looking extends InRepository {
  /** Those that share the record. */
  readonly remotes: readonly string[];
}

async function readFound(
  { id, unread }: Extract<FoundRef, { readonly kind: 'found' }>,
  ref: string,
  looking: Looking,
): Promise<BaseFacts> {
  const record = await readAt(id, looking);
  switch (record.kind) {
    case 'commit':
      return { kind: 'commit', commit: record.commit, from: 'ref', ...earlierOf(record), ...defined({ unread }) };
    case 'nothing':
      return none({ code: 'not_recorded' });
    case 'not_a_commit':
      return none({ code: 'not_a_commit', name: ref });
    case 'unknown':
      return none({ code: 'record_unknown', name: ref });
    case 'missing':
      return missing(record.commit, looking);
  }
}

async function checkCommits(
  { commit, earlier }: Pick<RecordedCommit, 'commit' | 'earlier'>,
  { from, ...looking }: Looking & { readonly from: 'journal' | 'snapshot' },
): Promise<BaseFacts> {
  const objects = looking.checkout.objectsOf(looking.repository);
  for (const id of commitsIn({ kind: 'commit', commit, earlier })) {
    if ((await objects.read(`${id}^{commit}`)) !== undefined) continue;
    const isThere = (await objects.read(id)) !== undefined;
    return isThere ? none({ code: 'not_a_commit', name: id }) : missing(id, looking);
  }
  return { kind: 'commit', commit, from, ...earlierOf({ earlier }) };
}

type RecordedCommit = Extract<ReadRecord, { readonly kind: 'commit' }>;

function earlierOf({ earlier }: Pick<RecordedCommit, 'earlier'>): Partial<Pick<RecordedCommit, 'earlier'>> {
  return earlier.length === 0 ? {} : { earlier };
}

async function missing(commit: string, { repository, remotes: [shared] }: Looking): Promise<BaseFacts> {
  const remote = shared ?? (await usualRemote(repository));
  return none({ code: 'commit_missing', commit, shallow: repository.shallow, ...defined({ remote }) });
}

async function usualRemote(repository: Repository): Promise<string | undefined> {
  const remotes = await listRemotes(repository);
  return remotes.includes('origin') || remotes.length !== 1 ? remotes.find((name) => name === 'origin') : remotes[0];
}
