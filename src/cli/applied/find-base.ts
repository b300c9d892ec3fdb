/**
 * Finds the base of a comparison, the manifests at the commit that was last applied to the project, and refuses a base that moved since. The
 * commit is the one that `--base` names, or else that of the ref, or else that of the newest applied run.
 */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonValue, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NoBaseReason } from '../../core/engine/base.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { compareCheckout } from '../../loop/git/ancestry.ts';
import { GitError } from '../../loop/git/objects.ts';
import { listRemotes, resolveName, listRefs, readRemoteRefs } from '../../loop/git/refs.ts';
import type { Repository } from '../../loop/git/repository.ts';
import { isComplete, NoRunError } from '../../loop/journal/read.ts';
import type { Plan } from '../../posthog/plan.ts';
import { isDue } from '../../posthog/rollouts/rollouts.ts';
import { quoteShort, escapeLine } from '../../report/escape.ts';
import { noBaseText, unreadText } from '../../report/words/base.ts';
import { progressAfterRun } from '../../core/rollout/record.ts';
import type { Moment } from '../../core/rollout/rollout.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import { belongsTo, readRunOrder, readRuns, type RunEntry } from '../runs/find-runs.ts';
import type { Session } from '../session/session.ts';
import {
  appliedRef,
  commitsIn,
  APPLIED_REFS,
  placeOfRef,
  type RecordPlace,
  findRef,
  idOf,
  readAt,
  type FoundRef,
  type InRepository,
  type ReadRecord,
  type Unread,
  isContained,
} from './applied-record.ts';
import { findManifestCommit, type ManifestCommit } from './find-manifest-commit.ts';
import { findFormerConfig, compareProjects, readConfigAt, type Sameness } from './former-config.ts';
import { loadBase } from './load-base.ts';
import {
  type RunBase,
  type BaseSearch,
  whyNotOpen,
  withCheckout,
  type Checkout,
  type Recorded,
} from './open-checkout.ts';

export interface GitFacts {
  /** Absent if no base was requested. */
  readonly base: RunBase | undefined;
  readonly manifests: ManifestCommit;
}

/** Asks git which commit was applied last, and which one has the manifests of the run. Call this after reading the manifests on disk. */
export async function consultGit(session: Session, search: BaseSearch): Promise<GitFacts> {
  const [base, manifests] = await Promise.all([findBase(session, search), findManifestCommit(search)]);
  return { base, manifests };
}

/**
 * `undefined` if no base was requested.
 * @throws {FlagwrightError} `usage` if `--base` names no commit.
 */
export async function findBase(session: Session, search: BaseSearch): Promise<RunBase | undefined> {
  const { option } = search;
  if (option === 'none') return undefined;
  const opened = await search.checkout.opened;
  if (opened.kind === 'none' && option === undefined && search.loaded.config.base.push === undefined) return undefined;
  const name = option === 'auto' ? undefined : option;
  if (opened.kind === 'open') return findIn(opened.repository, session, { ...search, name });
  const reason = whyNotOpen(opened);
  if (name !== undefined) {
    throw new FlagwrightError('usage', `--base ${quoteShort(name)} cannot be used: ${noBaseText(reason)}.`, {
      remedy: 'Leave out --base, or run the command in a checkout that git can read.',
    });
  }
  return { facts: { kind: 'none', reason } };
}

/** The commit that was applied last, even if the run is compared with another one. */
export async function findLastApplied(session: Session, search: Omit<BaseSearch, 'known'>): Promise<BaseFacts> {
  const opened = await search.checkout.opened;
  if (opened.kind !== 'open') return { kind: 'none', reason: whyNotOpen(opened) };
  try {
    return await findBaseCommit(session, search, opened.repository);
  } catch (error) {
    return { kind: 'none', reason: refusedBy(session, error) };
  }
}

/**
 * The base of a saved plan: the commit that was applied last, since its policies may be stricter; else the plan's own base. A commit that
 * `--base` named when the plan was made stays.
 */
export async function findLaterBase(
  session: Session,
  search: BaseSearch,
  made: BaseFacts | undefined,
): Promise<BaseFacts> {
  if (made?.kind === 'commit' && made.from === 'option') return made;
  const later = await findLastApplied(session, search);
  return later.kind === 'commit' || made?.kind !== 'commit' ? later : made;
}

export async function readRecorded(
  session: Session,
  search: BaseSearch,
  facts: Extract<BaseFacts, { readonly kind: 'commit' }>,
): Promise<RunBase> {
  const opened = await search.checkout.opened;
  if (opened.kind !== 'open') return { facts: { kind: 'none', reason: whyNotOpen(opened) } };
  try {
    return await loadBase(session, search, { repository: opened.repository, facts });
  } catch (error) {
    return { facts: { kind: 'none', reason: refusedBy(session, error) } };
  }
}

function refusedBy(session: Session, error: unknown): NoBaseReason {
  if (!(error instanceof GitError)) throw error;
  session.interrupts.checkpoint();
  return { code: 'git_refused', detail: error.message };
}

/** `name`: the commit that the user names. */
async function findIn(
  repository: Repository,
  session: Session,
  search: BaseSearch & { readonly name: string | undefined },
): Promise<RunBase> {
  const { name, checkout } = search;
  try {
    const facts =
      name === undefined
        ? await findBaseCommit(session, search, repository)
        : await findNamedCommit(name, checkout, repository);
    if (facts.kind === 'none') return { facts };
    const base = await loadBase(session, search, { repository, facts });
    // A user who names a commit knows its relation to the checkout.
    if (!('desired' in base) || name !== undefined) return base;
    const history = { repository, objects: checkout.objectsOf(repository) };
    const state = await compareCheckout(history, base.facts.commit);
    return { ...base, facts: { ...base.facts, ...defined({ checkout: state }) } };
  } catch (error) {
    return { facts: { kind: 'none', reason: refusedBy(session, error) } };
  }
}

/**
 * Call this right before the first write. What another run writes afterwards is noticed when the flags are read again, or refused by the
 * service.
 * @throws {FlagwrightError} `plan_stale` if the plan makes steps, and the record is not the one that it was made with.
 */
export async function refuseMoved(
  session: Session,
  { config, project }: LoadedProject,
  { base, rollouts = [], changes }: Pick<Plan, 'base' | 'rollouts' | 'changes'>,
): Promise<void> {
  if (changes.length === 0 || !rollouts.some(isDue)) return;
  if (base === undefined || (base.kind === 'commit' && base.from === 'option')) return;
  const now = await withCheckout(session, config, async (checkout) =>
    findLastApplied(session, { loaded: { config, project }, checkout }),
  );
  const old = now.kind === 'none' ? noBaseText(now.reason) : unreadText(now);
  if (old !== undefined && base.kind === 'commit' && unreadText(base) === undefined)
    throw refused('base_unreadable', `${old}, so it is not known whether another run made them`);
  if (base.kind === 'none' ? now.kind === 'none' : now.kind === 'commit' && isSame(base, now)) return;
  const name = escapeLine(project.name);
  throw refused('plan_stale', `Another run has recorded what it applied to ${name} since the plan was made`);
}

function refused(code: 'base_unreadable' | 'plan_stale', why: string): FlagwrightError {
  return new FlagwrightError(code, `The steps that are due were not made, and nothing else was written: ${why}.`, {
    remedy: 'Run `apply --due` again, or make a new plan: it makes what is still due.',
  });
}

function isSame(...bases: readonly Extract<BaseFacts, { readonly kind: 'commit' }>[]): boolean {
  const [former, current] = bases.map(({ commit, earlier = [], rollouts = [] }) => ({ commit, earlier, rollouts }));
  return jsonEquals(former as unknown as JsonValue, current as unknown as JsonValue);
}

/** Rollouts without a record are as planned. `offline`: the run asks no remote. */
export async function atRecord(
  session: Session,
  loaded: LoadedProject,
  { reach, offline }: Pick<Moment, 'reach'> & { readonly offline?: true },
): Promise<LoadedProject> {
  const { config, project } = loaded;
  const base = await withCheckout(session, config, async (checkout) =>
    findLastApplied(session, { loaded, checkout, ...defined({ offline }) }),
  );
  const progress = base.kind === 'commit' ? base.rollouts : undefined;
  if (project.moment === undefined || progress === undefined) return loaded;
  const timed = { ...project, moment: { ...project.moment, progress, reach } };
  return { config: { ...config, projects: { ...config.projects, [project.name]: timed } }, project: timed };
}

type AppliedCommit =
  | ({ readonly kind: 'found'; readonly commit: string } & Recorded)
  | { readonly kind: 'none' }
  /** The newest run may be in a journal that cannot be used, or is one of several whose order is unknown. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** @throws {FlagwrightError} `usage` if there is no such commit. */
async function findNamedCommit(name: string, checkout: Checkout, repository: Repository): Promise<BaseFacts> {
  const id = await resolveName(repository, name);
  const found = id === undefined ? undefined : await readAt(id, { checkout, repository });
  if (found?.kind === 'commit')
    return { kind: 'commit', commit: found.commit, from: 'option', ...nonEmptyLists(found) };
  throw new FlagwrightError('usage', `--base ${quoteShort(name)} is not a commit of this repository.`, {
    remedy: repository.shallow
      ? 'This clone has only part of the history. `git fetch --unshallow` gets the rest.'
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

export type RecordedCommit = Extract<ReadRecord, { readonly kind: 'commit' }>;

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
export async function findRemotes(
  session: Session,
  { loaded: { config, project }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  { repository, local }: { readonly repository: Repository; readonly local: string | undefined },
): Promise<readonly string[]> {
  if (project.service !== 'remote') return [];
  const objects = checkout.objectsOf(repository);
  const commits = await Promise.all(['HEAD^1', 'HEAD'].map((name) => objects.read(`${name}^{commit}`)));
  const record = local === undefined ? undefined : await readAt(local, { checkout, repository });
  const applied = record?.kind === 'commit' ? record.commit : undefined;
  const path = resolve(session.context.cwd, config.file ?? join(config.root, 'flagwright.yaml'));
  const seen = new Set<string>();
  const remotes: (string | undefined)[] = [];
  for (const commit of [applied, ...commits.map((found) => found?.id)]) {
    const tree = commit === undefined ? undefined : checkout.treeOf(repository, commit);
    const blob = await tree?.blobOf(path);
    if (tree === undefined || (blob !== undefined && seen.has(blob))) continue;
    if (blob !== undefined) seen.add(blob);
    const former = await findFormerConfig(session, { tree, top: repository.top }, { path, project }).catch(
      (error: unknown): undefined => {
        // An unreadable configuration names no remote. Another check decides whether it may judge.
        if (!(error instanceof GitError || error instanceof FlagwrightError)) throw error;
      },
    );
    remotes.push(former?.config?.base.push);
  }
  return [...new Set([...remotes, config.base.push].filter((one) => one !== undefined))];
}

/** The commit of the newest run that applied a whole plan of committed manifests. */
async function findApplied(session: Session, project: ProjectIdentity): Promise<AppliedCommit> {
  const found: { readonly name: string; readonly applied: Extract<AppliedCommit, { readonly kind: 'found' }> }[] = [];
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
  const [newest, other] = found.filter(({ applied: { commit, ...lists } }, index) => {
    const isSame = ({ applied: one }: (typeof found)[number]): boolean =>
      one.commit === commit && isDeepStrictEqual(nonEmptyLists(one), nonEmptyLists(lists));
    return index === found.findIndex(isSame);
  });
  if (newest === undefined) return { kind: 'none' };
  if (other === undefined) return newest.applied;
  const detail = `Runs ${newest.name} and ${other.name} applied different commits, and neither followed the other.`;
  return { kind: 'unreadable', detail };
}

function examine(entry: RunEntry, project: ProjectIdentity): AppliedCommit {
  if ('problem' in entry) {
    if (entry.problem instanceof NoRunError) return { kind: 'none' };
    return { kind: 'unreadable', detail: entry.problem.message };
  }
  const { commit, unrecorded: earlier = [] } = entry.run.plan;
  if (commit === undefined || !belongsTo(entry.run, project) || !isComplete(entry.run)) return { kind: 'none' };
  const rollouts = progressAfterRun(entry.run.plan, { now: Date.parse(entry.run.startedAt) });
  return { kind: 'found', commit, earlier, rollouts };
}

type MovedRecord =
  | { readonly kind: 'found'; readonly ref: string; readonly found: Extract<FoundRef, { readonly kind: 'found' }> }
  | { readonly kind: 'none' }
  /** Several places that are gone recorded the project. `names`: of their refs. */
  | { readonly kind: 'apart'; readonly names: readonly string[] }
  /** `ref`: the one that may be it; absent if the remote does not list any. */
  | { readonly kind: 'unread'; readonly ref?: string; readonly unread: Unread };

interface MovedSearch extends InRepository {
  readonly loaded: BaseSearch['loaded'];
  /** The remotes that share records, and that may be asked. */
  readonly remotes: readonly string[];
}

/** Call it if the place of the configuration has no record. */
async function findMovedRecord(session: Session, search: MovedSearch): Promise<MovedRecord> {
  const local = await listRefs(search.repository, APPLIED_REFS);
  const names = new Set(local.keys());
  for (const remote of search.remotes) {
    const shared = await readRemoteRefs(search.repository, remote, `${APPLIED_REFS}*`);
    if (shared.kind === 'unreachable') return { kind: 'unread', unread: { remote, detail: shared.detail } };
    for (const name of shared.refs.keys()) names.add(name);
  }
  const all: MovedPlace[] = [];
  for (const ref of names) {
    const place = placeOfRef(ref);
    if (place === undefined || (await isDeclaredElsewhere(session, place, search))) continue;
    const found = await findRef(ref, { remotes: search.remotes, local: local.get(ref) }, search);
    if (found.kind === 'unread') return { kind: 'unread', ref, unread: found.unread };
    if (found.kind === 'none') continue;
    const record = await readAt(found.id, search);
    if (record.kind === 'nothing') continue;
    const commit = record.kind === 'commit' ? record.commit : undefined;
    // What cannot be read may be of the project.
    const sameness = commit === undefined ? 'same' : await declaredAt(session, commit, { place, search });
    if (sameness !== 'different') all.push({ ref, found, commit, sameness });
  }
  const sure = all.filter(({ sameness }) => sameness === 'same');
  const moved = sure.length > 0 ? sure : all;
  // A project that was renamed twice has two: the commit of one contains that of the other.
  for (const one of moved) {
    const others = moved.filter((other) => other !== one);
    const older = await Promise.all(others.map(async (other) => isOlder(other.commit, one.commit, search)));
    if (older.every(Boolean)) return { kind: 'found', ...one };
  }
  return moved.length === 0 ? { kind: 'none' } : { kind: 'apart', names: moved.map(({ ref }) => ref).toSorted() };
}

interface MovedPlace extends Pick<Extract<MovedRecord, { readonly kind: 'found' }>, 'ref' | 'found'> {
  readonly commit: string | undefined;
  readonly sameness: Sameness;
}

async function isOlder(earlier: string | undefined, later: string | undefined, search: MovedSearch): Promise<boolean> {
  if (earlier === undefined || later === undefined) return false;
  return (await isContained({ earlier, later, remote: search.remotes[0] }, search)) === 'yes';
}

/**
 * Whether another configuration still declares the project there: then it owns the record. A second name in the same configuration owns
 * none, since both are about the same manifests.
 */
async function isDeclaredElsewhere(
  session: Session,
  { files, project }: RecordPlace,
  { loaded: { config, project: wanted }, repository: { top } }: MovedSearch,
): Promise<boolean> {
  for (const file of files) {
    const path = join(top, file);
    if (config.file !== undefined && path === resolve(session.context.cwd, config.file)) continue;
    const current = await readConfigAt(session, { readFile }, path);
    const declared = current?.config && memberOf(current.config.projects, project);
    if (declared !== undefined && compareProjects(declared, wanted) !== 'different') return true;
  }
  return false;
}

async function declaredAt(
  session: Session,
  commit: string,
  { place: { files, project: name }, search }: { readonly place: RecordPlace; readonly search: MovedSearch },
): Promise<Sameness> {
  const { config, project } = search.loaded;
  const tree = search.checkout.treeOf(search.repository, commit);
  for (const file of files) {
    const former = await readConfigAt(session, tree, join(search.repository.top, file));
    const declared = former?.config && memberOf(former.config.projects, name);
    if (declared === undefined) continue;
    // A record at another address is that of the project only if the change leaves it behind: no project has it then.
    const isKept = Object.values(config.projects).some((one) => compareProjects(one, declared) === 'same');
    const sameness = compareProjects(declared, project);
    return sameness === 'elsewhere' && isKept ? 'different' : sameness;
  }
  return 'different';
}
