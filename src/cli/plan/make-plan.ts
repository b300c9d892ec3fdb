/** Makes a plan from the command line's options, for plan, drift and apply. */

import { isDeepStrictEqual } from 'node:util';
import { jsonEquals, memberOf } from '../../base/json.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import type { KnownRequest } from '../../core/engine/change-request.ts';
import { addToPlan } from '../../core/engine/seal-plan.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import type { Attributions, Attribution } from '../../posthog/authors/attribution.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { loggedFlag, withTurnedOff } from '../../posthog/flag/explain.ts';
import type { Disabling } from '../../posthog/flag/snapshot.ts';
import { scopesOfKind } from '../../posthog/key-scopes.ts';
import type { PostHog } from '../../posthog/kind.ts';
import { KINDS } from '../../posthog/kinds.ts';
import {
  declaredFamilies,
  joinSelections,
  listing,
  selectionOfTargets,
  selectionOf,
} from '../../posthog/live-selection.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { Plan } from '../../posthog/plan.ts';
import { findMissingRetired } from '../../posthog/planning/base.ts';
import { findKnownRequests, findUndecided, warnOfEnabling } from '../../posthog/planning/change-requests.ts';
import { chooseInquiries, readAttributions } from '../../posthog/reading/read-attributions.ts';
import {
  readFamilies,
  readLiveState,
  readChangeRequests,
  type ReadRequests,
} from '../../posthog/reading/live-state.ts';
import { readRetired } from '../../posthog/reading/flags-by-id.ts';
import { attributeAccess } from '../../posthog/role-access/attribution.ts';
import { findRoleIds, type UnlistedAccess } from '../../posthog/role-access/read.ts';
import { rolloutsIn, undecidedOrRefused } from '../../posthog/rollouts/rollouts.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { consultGit, type GitFacts } from '../applied/find-base.ts';
import { readCommitTime } from '../applied/applied-record.ts';
import { findExceptions } from '../applied/find-exceptions.ts';
import { findJudge } from '../applied/find-judge.ts';
import { type ManifestCommit, refuseAbsent } from '../applied/find-manifest-commit.ts';
import { loadRecorded } from '../applied/load-recorded.ts';
import { type BaseSearch, type Checkout, withCheckout } from '../applied/open-checkout.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadDesiredState, loadProject, type LoadedProject } from '../project/load-project.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';
import { momentOf, noteClock, refuseRecordedLater, refuseToBegin } from '../project/service-clock.ts';
import { findLastWrites, findRecorded, findOwnWrites, declaredAndOff, findSwitched } from '../runs/find-recorded.ts';
import { watchRuns } from '../runs/find-runs.ts';
import { advise, atTime, type Session } from '../session/session.ts';
import { askGuards } from './ask-guards.ts';
import { desiredNow, type FoundStep, valueIn } from './desired-now.ts';
import { prepareJudging, prepareJudgingOfSteps } from './judge-plan.ts';
import { planStates, type MakingOptions, type MadePlan, type PlanStates } from './plan-states.ts';

/** A plan while its project is open. */
export interface FreshPlan extends MadePlan {
  /** Who made the differences; absent if the run does not ask. */
  readonly attributions?: Attributions;
  /** Change requests of the service that concern the changes; absent for runs that do not show them. */
  readonly requests?: readonly KnownRequest[];
  readonly opened: OpenProject;
  /** The commit that has the manifests as they were read. */
  readonly manifests: ManifestCommit;
}

export async function withPlan<Result>(
  session: Session,
  options: MakingOptions,
  use: (made: FreshPlan) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadProject(session);
  return withProject(session, loaded, async (opened) => {
    const { clear } = opened.progress;
    const refuseUnsettled = options.settled === true ? await watchRuns(session, opened.identity) : undefined;
    const states = await readStates(session, options, { loaded, opened }).finally(clear);
    await refuseUnsettled?.();
    const { live } = states;
    const planning = { states, options };
    const timed = atTime(session, options.at);
    const first = await planStates(timed, planning);
    const [attributions, requested] = await Promise.all([
      findAttributions(session, { plan: first.attributed, live, opened }, options.who),
      options.requests === true ? findRequests(first.plan, states, opened) : undefined,
    ]).finally(clear);
    const asked = stepsThatWait(first.plan, { requested, live }, options);
    const made = asked.size === 0 ? first : await planStates(timed, { ...planning, asked });
    const plan = addToPlan<PostHog>(made.plan, { warnings: requested?.warnings ?? [] }, KINDS);
    const known = { ...made, plan, ...defined({ attributions, requests: requested?.requests }) };
    return use({ ...known, manifests: states.git.manifests, opened });
  });
}

/**
 * The flags whose due steps wait, unless a run names the flag: they were requested from the service, where people have not decided or decided
 * against it, or nobody knows which changes the service is to make itself. If the requests cannot be read, the record has those that an earlier
 * run requested. Services before autumn 2026 let no key read scheduled changes, and steps do not wait for these forever.
 */
function stepsThatWait(
  { rollouts = [] }: Plan,
  { requested, live }: { readonly requested: Requested | undefined; readonly live: LiveState },
  { due, approvedBy, target }: MakingOptions,
): ReadonlySet<string> {
  if (requested === undefined || approvedBy === undefined || target !== undefined) return new Set();
  const keys = undecidedOrRefused(requested.requests);
  const waits = (one: PlannedRollout): boolean =>
    live.unknownSchedules === 'failed' ||
    (requested.unread === undefined ? keys.has(one.key) : one.asked !== undefined);
  const steps = rollouts.filter((one) => due === true || one.due_by === 'plan');
  return new Set(steps.filter(waits).map(({ key }) => key));
}

interface Requested extends Pick<ReadRequests, 'unread'> {
  readonly requests: readonly KnownRequest[];
  /** Warnings about flags that are disabled because their enabling was not approved, and that the requests are not known. */
  readonly warnings: Plan['warnings'];
}

async function findRequests(plan: Plan, { desired, live }: PlanStates, { client }: OpenProject): Promise<Requested> {
  const undecided = findUndecided(plan, desired.flags, live.flags);
  const { listed, unread } = await readChangeRequests(client, { ...plan, undecided }, live);
  const isAsked = plan.rollouts?.some((one) => one.asked !== undefined) === true;
  const unknown =
    unread !== undefined && isAsked ? [{ code: 'not_known', key: 'change_requests', why: unread } as const] : [];
  return {
    requests: findKnownRequests(plan, live, listed),
    warnings: [...warnOfEnabling(undecided, listed, plan.project), ...unknown],
    ...defined({ unread }),
  };
}

/** Reads the service while it parses the manifests and consults git. Errors of the manifests are reported first. */
async function readStates(
  session: Session,
  options: MakingOptions,
  { loaded, opened }: { readonly loaded: LoadedProject; readonly opened: OpenProject },
): Promise<PlanStates> {
  return withCheckout(session, loaded.config, async (checkout) => {
    const findRoles = once(() => findRoleIds(opened.client));
    const search = { loaded, checkout, known: createKnownFiles(), findRoles, ...defined({ option: options.base }) };
    const { loading, asking, files } = await readDeclared(session, search, options);
    const selection = loading.then((desired) =>
      joinSelections([selectionOfTargets(desired, options.target), listing(options.listed ?? [])]),
    );
    const findIds = async (keys: readonly string[]): ReturnType<typeof findRecorded> =>
      findRecorded(session, opened.identity, keys);
    let unlisted: UnlistedAccess | undefined;
    const reading = readLiveState(opened.client, selection, {
      findRecorded: findIds,
      ...defined({ schedules: options.schedules }),
      onUnlistedAccess: (one) => (unlisted = one),
    });
    // These may fail before they are awaited, which must not count as unhandled.
    for (const later of [asking, reading]) later.catch(() => undefined);
    const declared = await loading;
    const git = await asking;
    const { prune, divides, unmanaged } = options;
    if (prune === true || divides === true || unmanaged === true) refuseAbsent(git.manifests);
    const facts = git.base?.facts;
    const judge = options.approvedBy && (await findJudge(session, search, facts));
    const prepare = options.due === true ? prepareJudgingOfSteps : prepareJudging;
    const exceptions = judge && (await findExceptions(loaded, { ...options, judge }));
    const judging = judge && (await prepare(session, search, { judge, exceptions: exceptions ?? [] }));
    // If the rules of the checkout differ, a merge that is not applied may give a flag the key that a rule of it names.
    const { protected: former } = judge?.from === 'base' ? judge.config : loaded.config;
    const isSame = judging?.checkout === undefined && isDeepStrictEqual(former, loaded.config.protected);
    const checkedOut = options.due !== true || isSame ? undefined : await loadDesiredState(session, loaded);
    const read = await readReleased(opened, await reading, git);
    if (unlisted !== undefined) await noteUnlisted(session, unlisted);
    const { clock } = opened;
    const moment = momentOf(clock, options);
    const timed = await desiredNow({
      ...{ loaded, desired: declared, files, live: read, git, moment, findRoles },
      override: options.override,
      findWrites: async (values) => findLastWrites(session, opened.identity, values),
      findApproved: async (values) => findApproved(opened, values),
    });
    const desired = await askGuards(session, timed.desired, {
      ...{ loaded, search, base: git.base, moment },
      ...defined({ judge, client: opened.client, verdicts: options.verdicts }),
    });
    const rollouts = rolloutsIn(desired, read);
    refuseToBegin(rollouts, clock, options);
    refuseRecordedLater(rollouts, options);
    if (timed.loaded !== loaded && moment.reach !== 'planned') await noteClock(session, clock);
    const missing = findMissingRetired(desired, git.base, read);
    const found = await readRetired(opened.client, read, { missing, findRecorded: findIds });
    const { turnedOff, turnedOn } = await findSwitched(session, opened.identity, declaredAndOff(desired, found));
    const switched = { ...found, ...defined({ turnedOff, turnedOn }) };
    const disablings =
      judge === undefined
        ? undefined
        : await findDisablings(session, { desired, live: switched, git, opened }, checkout);
    const live = { ...switched, ...defined({ disablings }) };
    return { loaded: timed.loaded, desired, live, git, ...defined({ checkedOut, judge, judging, exceptions }) };
  });
}

/** Finds the steps that people approved in the service: it makes what a run asked for. */
async function findApproved({ client }: OpenProject, values: readonly FoundStep[]): Promise<readonly FoundStep[]> {
  const requests = await client.listChangeRequests({ applied: true }).catch(noneUnlessAborted);
  // The service makes what was requested, and nothing else tells of it where the requests cannot be read.
  if (requests === undefined) return values.filter(({ rollout, progress }) => rollout.asked === progress.step);
  return values.filter(({ id, path, value }) => {
    const newest = requests.find(
      ({ resourceId, state, asked }) =>
        resourceId === id && state === 'applied' && valueIn(asked?.(), path) !== undefined,
    );
    return newest !== undefined && jsonEquals(valueIn(newest.asked?.(), path), value);
  });
}

function noneUnlessAborted(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
}

/** Reads the manifests on disk; `files` are complete once `loading` resolves. A run that only makes due steps reads those of the commit applied last: only these were reviewed. */
async function readDeclared(session: Session, search: BaseSearch, { due }: MakingOptions) {
  if (due === true) {
    const { desired, files, facts, ...base } = await loadRecorded(session, search);
    const git: GitFacts = {
      base: { desired, files, facts, ...base },
      manifests: { kind: 'committed', commit: facts.commit },
    };
    return { loading: Promise.resolve(desired), asking: Promise.resolve(git), files };
  }
  const files: ManifestFile[] = [];
  const onRead: LoadOptions['onRead'] = (read) => {
    files.push(read.parsed.file);
    search.known.remember(read);
  };
  const loading = loadDesiredState(session, search.loaded, { onRead, ...defined({ findRoles: search.findRoles }) });
  return { loading, asking: loading.then(async () => consultGit(session, search)), files };
}

/** Reads the families that only the base declared, so that their released resources can be named, if the key may read them. */
async function readReleased({ client }: OpenProject, live: LiveState, { base }: GitFacts): Promise<LiveState> {
  const former = base !== undefined && 'desired' in base ? base.desired : undefined;
  const unread = declaredFamilies(former).filter((section) => live[section] === undefined);
  const read = unread.map(async (section): Promise<Partial<LiveState>> => {
    const { ids = [] } = selectionOf({ flags: [], [section]: former?.[section] ?? [] })[section] ?? {};
    return (await readFamilies(client, { flags: {}, [section]: { ids } }).catch(noneUnlessAborted)) ?? {};
  });
  return Object.assign({}, live, ...(await Promise.all(read))) as LiveState;
}

/**
 * Costs at most one request for each resource with such differences, and more if its newest entries do not explain them. `who`: absent: only
 * if a base tells edits from what git changed.
 */
export async function findAttributions(
  session: Session,
  given: { readonly plan: Plan; readonly live: LiveState; readonly opened: OpenProject },
  who: boolean = given.plan.base?.kind === 'commit',
): Promise<Attributions | undefined> {
  const asked = who ? await askLogs(session, given) : undefined;
  const found = withTurnedOff(asked ?? new Map(), given.plan, given.live.turnedOff);
  return found.size === 0 ? asked : found;
}

/**
 * Asks the activity log who disabled the flags that the manifests declare enabled, where nothing tells which side changed last: a clone in which
 * nothing was applied does not know of an `off` elsewhere. A key that may not read the log learns nothing.
 */
async function findDisablings(
  session: Session,
  { desired, live, git, opened }: Pick<PlanStates, 'desired' | 'live' | 'git'> & { readonly opened: OpenProject },
  checkout: Checkout,
): Promise<LiveState['disablings']> {
  if (git.base?.facts.kind === 'commit') return undefined;
  const declared = new Map(desired.flags.flatMap((one) => (one.kind === 'declared' ? [[one.key, one] as const] : [])));
  const off = live.flags.filter(
    ({ id, key, active, deleted }) =>
      active === false &&
      deleted !== true &&
      declared.get(key)?.fields['active'] === true &&
      live.turnedOff?.has(id) !== true,
  );
  if (off.length === 0) return undefined;
  const names = indexResources(live.flags);
  const sought = [{ path: '/active', place: ['active'] }];
  const asked = off.map((flag) => ({ logged: loggedFlag(flag, names), sought }));
  const answers = await readAttributions(opened.client, asked, await findOwnWrites(session, opened.identity));
  const madeAt = git.manifests.kind === 'committed' ? await readCommitTime(git.manifests.commit, checkout) : undefined;
  const found = off.flatMap(({ id }, index): [number, Disabling][] => {
    const one = answers[index]?.get('/active');
    // A flag that was created so was never on, and this machine knows of its own runs.
    if (one?.kind !== 'known' || one.created === true || one.run !== undefined) return [];
    const afterCommit = madeAt !== undefined && Date.parse(one.at) > madeAt;
    return [[id, { at: one.at, afterCommit, ...defined({ by: one.by }) }]];
  });
  return found.length === 0 ? undefined : new Map(found);
}

async function askLogs(
  session: Session,
  { plan, live, opened }: Parameters<typeof findAttributions>[1],
): Promise<Attributions | undefined> {
  const { logged: inquiries, access } = chooseInquiries(plan, live);
  if (inquiries.length + access.length === 0) return undefined;
  const writes = await findOwnWrites(session, opened.identity);
  const asked = inquiries.map(({ logged, sought }) => ({ logged, sought: [...sought.values()].flat() }));
  const answers = await readAttributions(opened.client, asked, writes);
  const found = new Map<string, ReadonlyMap<string, Attribution>>();
  inquiries.forEach(({ sought }, index) => {
    for (const [ref, ofChange] of sought) found.set(ref, only(answers[index], ofChange));
  });
  for (const change of access) {
    const held = memberOf(live.roleAccess, String(change.id));
    found.set(change.ref, new Map([['', attributeAccess(change, held, writes)]]));
  }
  return found;
}

function only(
  answers: ReadonlyMap<string, Attribution> | undefined,
  sought: readonly { readonly path: string }[],
): ReadonlyMap<string, Attribution> {
  return new Map(
    sought.flatMap(({ path }) => {
      const answer = answers?.get(path);
      return answer === undefined ? [] : [[path, answer] as const];
    }),
  );
}

export async function noteUnlisted(session: Session, { refusal, flags }: UnlistedAccess): Promise<void> {
  const isForbidden = refusal.failure.kind === 'forbidden';
  const why = isForbidden ? lackOf(refusal.operation) : 'since the service does not list it by role (404)';
  const text =
    `Reading the access to ${flags} flags took ${flags} requests, ${why}. ` +
    'Otherwise one for everyone, one for each role and one for each member would be enough.';
  await advise(session, text, isForbidden ? `Give the key ${scopesText()}.` : undefined);
}

const ACCESS_SCOPE = 'access_control:read';

const SCOPES_OF_LISTS: Readonly<Record<string, string>> = {
  getProject: 'project:read',
  getOrganization: 'organization:read',
  listRoles: 'organization:read',
  listMembers: 'organization_member:read',
};

function lackOf(operation: string): string {
  return `since the API key lacks \`${memberOf(SCOPES_OF_LISTS, operation) ?? ACCESS_SCOPE}\``;
}

/** `access_control:read, organization:read, project:read and organization_member:read`. */
function scopesText(): string {
  const scopes = scopesOfKind('role_access').flatMap(({ scope, use }) => (use === 'applies' ? [] : [scope]));
  return `${scopes.slice(0, -1).join(', ')} and ${scopes.at(-1) ?? ACCESS_SCOPE}`;
}
