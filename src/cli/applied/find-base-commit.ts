/** Finds the commit of the base: the one that `--base` names, or else that of the ref, or else that of the newest applied run. */

import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NoBaseReason } from '../../engine/base.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import { GitError } from '../../git/objects.ts';
import { listRemotes, resolveName } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { isComplete, NoRunError } from '../../journal/read.ts';
import { quoteShort } from '../../report/escape.ts';
import { progressOfPlan } from './record-applied.ts';
import { identityOf } from '../project/open-project.ts';
import { belongsTo, readRunOrder, readRuns, type RunEntry } from '../runs/find-runs.ts';
import type { Session } from '../session/session.ts';
import { appliedRef, commitsIn, type Recorded } from './applied-record.ts';
import type { BaseSearch } from './base-types.ts';
import type { Checkout } from './open-checkout.ts';
import { findRef, idOf, readAt, type FoundRef, type InRepository, type ReadRecord } from './find-record.ts';
import { findMovedRecord } from './find-moved-record.ts';
import { findFormerConfig } from './former-config.ts';

type AppliedCommit =
  | ({ readonly kind: 'found'; readonly commit: string } & Recorded)
  | { readonly kind: 'none' }
  /** The newest run may be in a journal that cannot be used, or is one of several whose order is unknown. */
  | { readonly kind: 'unreadable'; readonly detail: string };

interface AppliedRun {
  readonly name: string;
  readonly applied: Extract<AppliedCommit, { readonly kind: 'found' }>;
}

/** @throws {FlagwrightError} `usage` if there is no such commit. */
export async function findNamedCommit(name: string, checkout: Checkout, repository: Repository): Promise<BaseFacts> {
  const id = await resolveName(repository, name);
  const found = id === undefined ? undefined : await readAt(id, { checkout, repository });
  if (found?.kind === 'commit')
    return { kind: 'commit', commit: found.commit, from: 'option', ...nonEmptyLists(found) };
  throw new FlagwrightError('usage', `--base ${quoteShort(name)} names no commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only a part of the history. `git fetch --unshallow` gets the rest.'
      : 'Name a commit, a branch or a tag; `auto` stands for the last apply, `none` for no base.',
  });
}

/** Never guesses: if the ref or the journal should have the answer and cannot give it, there is no base. */
export async function findBaseCommit(
  session: Session,
  search: Omit<BaseSearch, 'known'>,
  repository: Repository,
): Promise<BaseFacts> {
  const { loaded, checkout, snapshot } = search;
  const { config, project } = loaded;
  const within = { checkout, repository };
  if (snapshot?.commit !== undefined) {
    const { commit, earlier = [], rollouts = [] } = snapshot;
    return checkCommits({ commit, earlier, rollouts }, { from: 'snapshot', ...within, remotes: [] });
  }
  const ref = appliedRef(config, project, repository);
  const local = ref === undefined ? undefined : await idOf(ref, within);
  const remotes = await findRemotes(session, search, { repository, local });
  const asked = snapshot !== undefined || search.offline === true ? [] : remotes;
  if (ref !== undefined) {
    const found = await findRef(ref, { remotes: asked, local }, within);
    if (found.kind === 'unread') return none({ code: 'remote_unreachable', ref, ...found.unread });
    if (found.kind === 'found') return readFound(found, ref, { ...within, remotes });
  }
  const moved = await findMovedRecord(session, { ...within, loaded, remotes: asked });
  if (moved.kind === 'unread') {
    return none({ code: 'remote_unreachable', ...defined({ ref: moved.ref }), ...moved.unread });
  }
  if (moved.kind === 'apart') return none({ code: 'records_moved', names: moved.names });
  if (moved.kind === 'found') return readFound(moved.found, moved.ref, { ...within, remotes });
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

function none(reason: NoBaseReason): BaseFacts {
  return { kind: 'none', reason };
}

interface Looking extends InRepository {
  /** The remotes that share the record. */
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
      return { kind: 'commit', commit: record.commit, from: 'ref', ...nonEmptyLists(record), ...defined({ unread }) };
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
  { commit, ...recorded }: Omit<RecordedCommit, 'kind'>,
  { from, ...looking }: Looking & { readonly from: 'journal' | 'snapshot' },
): Promise<BaseFacts> {
  const objects = looking.checkout.objectsOf(looking.repository);
  for (const id of commitsIn({ commit, ...recorded })) {
    if ((await objects.read(`${id}^{commit}`)) !== undefined) continue;
    const isThere = (await objects.read(id)) !== undefined;
    return isThere ? none({ code: 'not_a_commit', name: id }) : missing(id, looking);
  }
  return { kind: 'commit', commit, from, ...nonEmptyLists(recorded) };
}

type RecordedCommit = Extract<ReadRecord, { readonly kind: 'commit' }>;

function nonEmptyLists({ earlier, rollouts, ids }: Recorded): Partial<Recorded> {
  return {
    ...(earlier.length === 0 ? {} : { earlier }),
    ...(rollouts.length === 0 ? {} : { rollouts }),
    ...defined({ ids }),
  };
}

async function missing(commit: string, { repository, remotes: [shared] }: Looking): Promise<BaseFacts> {
  const remote = shared ?? (await usualRemote(repository));
  return none({ code: 'commit_missing', commit, shallow: repository.shallow, ...defined({ remote }) });
}

async function usualRemote(repository: Repository): Promise<string | undefined> {
  const remotes = await listRemotes(repository);
  return remotes.includes('origin') || remotes.length !== 1 ? remotes.find((name) => name === 'origin') : remotes[0];
}

/**
 * The remotes that may share the record of what was applied, the most trusted first: those in the configuration as it was applied last,
 * before the checked-out commit, at it, and on disk. A change must not decide alone where its own judge is looked for. `local`: the commit
 * that the ref of this clone names.
 */
async function findRemotes(
  session: Session,
  { loaded: { config, project }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  { repository, local }: { readonly repository: Repository; readonly local: string | undefined },
): Promise<readonly string[]> {
  if (project.service !== 'remote') return [];
  const objects = checkout.objectsOf(repository);
  const commits = await Promise.all(['HEAD^1', 'HEAD'].map((name) => objects.read(`${name}^{commit}`)));
  const applied = local === undefined ? undefined : await appliedCommit(local);
  const path = resolve(session.context.cwd, config.file ?? join(config.root, 'flagwright.yaml'));
  const seen = new Set<string>();
  const remotes: (string | undefined)[] = [];
  for (const commit of [applied, ...commits.map((found) => found?.id)]) {
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

/** An unreadable configuration names no remote. Another check decides whether it may judge. */
function passOver(error: unknown): undefined {
  if (error instanceof GitError || error instanceof FlagwrightError) return undefined;
  throw error;
}

/** The commit of the newest run that applied a whole plan of committed manifests. */
async function findApplied(session: Session, project: ProjectIdentity): Promise<AppliedCommit> {
  const found: AppliedRun[] = [];
  try {
    const order = await readRunOrder(session);
    const isOlder = (name: string): boolean => found.some((run) => order.follows(run.name, name));
    for await (const entry of readRuns(session, order, isOlder)) {
      const examined = examine(entry, project);
      if (examined.kind === 'unreadable') return examined;
      if (examined.kind === 'found') found.push({ name: entry.name, applied: examined });
    }
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    return { kind: 'unreadable', detail: error.message };
  }
  const [newest, other] = found.filter((run, index) => index === found.findIndex((one) => isSameBase(one, run)));
  if (newest === undefined) return { kind: 'none' };
  if (other === undefined) return newest.applied;
  const detail = `Runs ${newest.name} and ${other.name} applied different commits, and neither followed the other.`;
  return { kind: 'unreadable', detail };
}

function isSameBase({ applied: one }: AppliedRun, { applied: other }: AppliedRun): boolean {
  return one.commit === other.commit && isDeepStrictEqual(nonEmptyLists(one), nonEmptyLists(other));
}

function examine(entry: RunEntry, project: ProjectIdentity): AppliedCommit {
  if ('problem' in entry) {
    if (entry.problem instanceof NoRunError) return { kind: 'none' };
    return { kind: 'unreadable', detail: entry.problem.message };
  }
  const { commit, unrecorded: earlier = [] } = entry.run.plan;
  if (commit === undefined || !belongsTo(entry.run, project) || !isComplete(entry.run)) return { kind: 'none' };
  const now = Date.parse(entry.run.startedAt);
  const rollouts = progressOfPlan(entry.run.plan, { judgement: undefined, unmade: [], now });
  return { kind: 'found', commit, earlier, rollouts };
}
