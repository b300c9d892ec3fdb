/** Finds the base of a comparison, the manifests at the commit that was last applied to the project, and refuses a base that moved since. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { BaseFacts, NoBaseReason } from '../../engine/base.ts';
import { compareCheckout } from '../../git/ancestry.ts';
import { GitError } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import type { Plan } from '../../posthog/plan.ts';
import { isDue } from '../../posthog/rollouts/rollouts.ts';
import { quoteShort, escapeLine } from '../../report/escape.ts';
import { noBaseText, unreadText } from '../../report/words/base.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { findBaseCommit, findNamedCommit } from './find-base-commit.ts';
import { findManifestCommit, type ManifestCommit } from './find-manifest-commit.ts';
import { loadBase } from './load-base.ts';
import { type RunBase, type BaseSearch, whyNotOpen, withCheckout } from './open-checkout.ts';

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
export async function findRecorded(session: Session, search: Omit<BaseSearch, 'known'>): Promise<BaseFacts> {
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
  const later = await findRecorded(session, search);
  return later.kind === 'commit' || made?.kind !== 'commit' ? later : made;
}

/** The declarations of the commit that was found as applied last. */
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
    findRecorded(session, { loaded: { config, project }, checkout }),
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
    findRecorded(session, { loaded, checkout, ...defined({ offline }) }),
  );
  const progress = base.kind === 'commit' ? base.rollouts : undefined;
  if (project.moment === undefined || progress === undefined) return loaded;
  const timed = { ...project, moment: { ...project.moment, progress, reach } };
  return { config: { ...config, projects: { ...config.projects, [project.name]: timed } }, project: timed };
}
