/**
 * What the policy `soaked` knows of another project: since when its record has had each part of a flag, which an apply carries over from record
 * to record, and whether its live values and its activity log say the same.
 */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, memberOf, type JsonValue } from '../../base/json.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import { parseDuration } from '../../base/times.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { indexResources } from '../../core/engine/snapshot.ts';
import { GitError } from '../../loop/git/objects.ts';
import { parseLog } from '../../posthog/authors/log-entry.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { ActivityEntry } from '../../posthog/client/operations/flag-insight.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { loggedFlag } from '../../posthog/flag/explain.ts';
import type { LiveState } from '../../posthog/live.ts';
import { resolveDesired } from '../../posthog/manifests/load.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { findRoleIds } from '../../posthog/role-access/read.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { withoutProgress } from '../../core/rollout/record.ts';
import { differingParts, partsOf, type Parts, type SoakedFlag, type Soaking } from '../../review/policy/basis/soak.ts';
import type { Policy, PolicyFor, PolicySet } from '../../review/policy/built-in.ts';
import { createKnownFiles } from '../project/known-files.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import { appliedRef, findRef, idOf, type InRepository, readAt } from './applied-record.ts';
import { findRemotes, type RecordedCommit } from './find-base.ts';
import type { Judge } from './find-judge.ts';
import { compareProjects } from './former-config.ts';
import { loadBase } from './load-base.ts';
import type { BaseSearch, Recorded, RecordedSince } from './open-checkout.ts';

type NameCohort = (value: JsonValue) => JsonValue;

/** The part of a flag in a record that says that the flag is known. */
const KNOWN = '';
/** The digest of a part that two projects declare differently, under the name of the other one. */
const APART = 'differs';

const apartName = (project: string, part: string): string => `${project}:${part}`;

/**
 * Since when each part of the flags of a project was applied, after an apply; absent unless a policy `soaked` names the project, or if what was
 * applied cannot be read. `former`: what the record said before.
 */
export async function sinceAfter(
  session: Session,
  { loaded, ...within }: InRepository & { readonly loaded: LoadedProject },
  given: {
    readonly commit: string;
    readonly recorded: Recorded;
    readonly former: RecordedSince | undefined;
    readonly now: number;
  },
): Promise<RecordedSince | undefined> {
  const { config, project } = loaded;
  const others = judgedBy(config, project.name);
  if (others.length === 0) return undefined;
  const { commit, former, now } = given;
  const { earlier, rollouts, ids } = given.recorded;
  const findRoles = once(async () => withProject(session, { project }, async ({ client }) => findRoleIds(client)));
  const desiredOf = async (one: ProjectConfig, own: Partial<Recorded>): Promise<DesiredState> => {
    const search = {
      loaded: { config, project: one },
      checkout: within.checkout,
      known: createKnownFiles(),
      findRoles,
    };
    const facts = { kind: 'commit', commit, from: 'option', ...own } as const;
    const base = await loadBase(session, search, { repository: within.repository, facts });
    if (!('desired' in base)) throw new GitError('the manifests cannot be read');
    return base.desired;
  };
  try {
    const own = await desiredOf(project, { earlier, rollouts });
    const apart: (readonly [string, ReadonlyMap<string, readonly string[]>])[] = [];
    for (const other of others)
      apart.push([other.name, partsApart([own, project], [await desiredOf(other, {}), other])]);
    const keys = new Set([...keysOf(own), ...apart.flatMap(([, byKey]) => [...byKey.keys()])]);
    const cohort = cohortsOf(project, ids);
    const flags = new Map(own.flags.map((flag) => [flag.key, flag]));
    const entries = [...keys].toSorted().map((key) => {
      const flag = flags.get(key);
      const between = apart.flatMap(([name, byKey]) => (byKey.get(key) ?? []).map((part) => apartName(name, part)));
      const parts = new Map([
        [KNOWN, KNOWN],
        ...(flag?.kind === 'declared' ? partsOf(flag.fields, cohort) : []),
        ...between.map((part) => [part, APART] as const),
      ]);
      return [key, carryOver(parts, memberOf(former ?? {}, key), new Date(now).toISOString())] as const;
    });
    return Object.fromEntries(entries);
  } catch (error) {
    return passUnread(session, error);
  }
}

/** What cannot be read is unknown; any other error is thrown. */
function passUnread(session: Session, error: unknown): undefined {
  session.interrupts.checkpoint();
  const isUnread = error instanceof ServiceError && error.failure.kind !== 'aborted';
  if (!isUnread && !(error instanceof GitError) && !(error instanceof FlagwrightError)) throw error;
}

/** The projects whose changes are judged by what this one has had. */
function judgedBy({ policies, projects }: Config, name: string): readonly ProjectConfig[] {
  const named = new Set(
    soakedRules(policies?.rules ?? [])
      .filter((policy) => policy.in === name)
      .flatMap((policy) => policy.projects ?? Object.keys(projects)),
  );
  return Object.values(projects).filter((one) => one.name !== name && named.has(one.name));
}

function soakedRules(rules: readonly Policy[]): PolicyFor<'soaked'>[] {
  return rules.flatMap((policy) => (policy.rule === 'soaked' ? policy : []));
}

/** A part that stays keeps its time, also one that stays away. */
function carryOver(parts: Parts, former: RecordedSince[string] | undefined, now: string): RecordedSince[string] {
  const known = readSince(former);
  const all = [...new Set([...parts.keys(), ...known.keys()])].toSorted().map((part) => {
    const digest = parts.get(part) ?? null;
    const before = known.get(part);
    // A part that a known flag never had was away since the flag was known.
    return { part, digest, at: before !== undefined && before.digest === digest ? before.at : now };
  });
  const times = [...new Set(all.map(({ at }) => at))].toSorted();
  return Object.fromEntries(
    times.map((time) => [
      time,
      Object.fromEntries(all.filter(({ at }) => at === time).map(({ part, digest }) => [part, digest])),
    ]),
  );
}

function readSince(former: RecordedSince[string] = {}): Map<string, { digest: string | null; at: string }> {
  return new Map(
    Object.entries(former).flatMap(([at, parts]) =>
      Object.entries(parts).map(([part, digest]) => [part, { digest, at }] as const),
    ),
  );
}

function keysOf({ flags }: DesiredState): string[] {
  return flags.flatMap((flag) => (flag.kind === 'declared' ? [flag.key] : []));
}

function declaredIn({ flags }: DesiredState, key: string): DeclaredFlag | undefined {
  return flags.find((flag): flag is DeclaredFlag => flag.kind === 'declared' && flag.key === key);
}

type Declared = readonly [DesiredState, ProjectConfig];

/** By key, the parts that two projects declare differently; a value that changes over time differs where its steps do. */
function partsApart([one, project]: Declared, [other, second]: Declared): ReadonlyMap<string, readonly string[]> {
  const [cohort, cohortOfOther] = [cohortsOf(project), cohortsOf(second)];
  const byKey = new Map(other.flags.map((flag) => [flag.key, flag]));
  const own = new Map(one.flags.map((flag) => [flag.key, flag]));
  const found = [...new Set([...keysOf(one), ...keysOf(other)])].map((key) => {
    const [flag, twin] = [own.get(key), byKey.get(key)].map((each) => (each?.kind === 'declared' ? each : undefined));
    const parts = differingParts(
      flag === undefined ? new Map() : partsOf(flag.fields, cohort),
      twin === undefined ? new Map() : partsOf(twin.fields, cohortOfOther),
    );
    return [key, [...new Set([...parts, ...rolloutsApart(flag, twin)])].toSorted()] as const;
  });
  return new Map(found.filter(([, parts]) => parts.length > 0));
}

function rolloutsApart(...flags: readonly (DeclaredFlag | undefined)[]): string[] {
  const [one = [], other = []] = flags.map((flag) => flag?.rollouts ?? []);
  const textOf = (rollouts: typeof one, path: string): JsonValue => {
    const found = rollouts.find((each) => each.path === path);
    return found === undefined ? null : (withoutProgress(found) as unknown as JsonValue);
  };
  const paths = [...one, ...other].map(({ path }) => path);
  return paths.filter((path) => !jsonEquals(textOf(one, path), textOf(other, path)));
}

/** Names cohorts by their alias, whatever id they have in the project. */
function cohortsOf({ cohorts }: Pick<ProjectConfig, 'cohorts'>, recorded?: Recorded['ids']): NameCohort {
  const named = Object.entries(recorded?.ids ?? {}).flatMap(([name, id]) =>
    name.startsWith('cohort:') ? [[String(id), name.slice('cohort:'.length)] as const] : [],
  );
  const aliases = new Map([...named, ...Object.entries(cohorts).map(([alias, id]) => [String(id), alias] as const)]);
  return (value) => (typeof value === 'number' ? (aliases.get(String(value)) ?? value) : value);
}

/** Reads what the projects that `soaked` names have had; the flags with these keys change. */
export type ReadSoaking = (keys: readonly string[]) => Promise<ReadonlyMap<string, Soaking>>;

/** Call this while the checkout is open. The records are read now; manifests, live values and activity logs only if flags change. */
export async function prepareSoaking(
  session: Session,
  search: BaseSearch,
  { judge, set, project }: { readonly judge: Judge; readonly set: PolicySet; readonly project: string },
): Promise<ReadSoaking | undefined> {
  const rules = soakedRules(set.rules).filter(
    (rule) => rule.in !== project && (rule.projects?.includes(project) ?? true),
  );
  if (rules.length === 0) return undefined;
  const prepared = new Map<string, Prepared>();
  for (const name of new Set(rules.map((rule) => rule.in)))
    prepared.set(name, await prepare(session, search, { judge, name }));
  const longest = Math.max(...rules.map((rule) => parseDuration(rule.for) ?? Infinity));
  const made = new Map<string, Promise<ReadonlyMap<string, Soaking>>>();
  const read = async (keys: readonly string[]): Promise<ReadonlyMap<string, Soaking>> => {
    const all = new Map<string, Soaking>();
    for (const [name, one] of prepared)
      all.set(name, 'why' in one ? one : await readSoaking(session, one, { keys, longest }));
    return all;
  };
  return async (keys) => {
    const id = keys.toSorted().join('\n');
    const found = made.get(id) ?? read(keys);
    made.set(id, found);
    return found;
  };
}

type Prepared =
  | Extract<Soaking, { readonly kind: 'unknown' }>
  | {
      readonly other: ProjectConfig;
      readonly since: RecordedSince;
      /** Names the cohorts of the project that is judged, and of the other one. */
      readonly cohort: NameCohort;
      readonly cohortOfOther: NameCohort;
      readonly judged: string;
      readonly declared: () => Promise<Declarations>;
    };

/** `apart`: by key, what the manifests of the checkout declare differently for the two. */
interface Declarations {
  readonly desired: DesiredState;
  readonly apart: ReadonlyMap<string, readonly string[]>;
}

async function prepare(
  session: Session,
  search: BaseSearch,
  { judge, name }: { readonly judge: Judge; readonly name: string },
): Promise<Prepared> {
  const { config, project } = search.loaded;
  const other = memberOf(config.projects, name);
  const then = judge.from === 'base' ? memberOf(judge.config.projects, name) : other;
  // A change must not choose the project that judges it.
  if (other === undefined || then === undefined || compareProjects(then, other) !== 'same')
    return { kind: 'unknown', why: 'moved' };
  const record = await findOwnRecord(session, { ...search, loaded: { config, project: other } });
  if (record?.since === undefined) return { kind: 'unknown', why: 'record' };
  const own = await findOwnRecord(session, search);
  return {
    ...{ other, since: record.since, judged: project.name },
    cohort: cohortsOf(project, own?.ids),
    cohortOfOther: cohortsOf(other, record.ids),
    declared: once(async () => readDeclared(session, config, [other, project])),
  };
}

/** What the record of a project says; absent if there is none at its name, or if it may be old. */
async function findOwnRecord(
  session: Session,
  search: Pick<BaseSearch, 'loaded' | 'checkout' | 'snapshot' | 'offline'>,
): Promise<RecordedCommit | undefined> {
  const { loaded, checkout } = search;
  const opened = await checkout.opened;
  if (opened.kind !== 'open' || search.snapshot !== undefined || search.offline === true) return undefined;
  const { repository } = opened;
  const within = { checkout, repository };
  const ref = appliedRef(loaded.config, loaded.project, repository);
  if (ref === undefined) return undefined;
  try {
    const local = await idOf(ref, within);
    const remotes = await findRemotes(session, search, { repository, local });
    const found = await findRef(ref, { remotes, local }, within);
    if (found.kind !== 'found' || found.unread !== undefined) return undefined;
    const record = await readAt(found.id, within);
    return record.kind === 'commit' ? record : undefined;
  } catch (error) {
    return passUnread(session, error);
  }
}

/** What the manifests of the checkout declare for the other project and the one that is judged. */
async function readDeclared(
  session: Session,
  config: Config,
  projects: readonly [ProjectConfig, ProjectConfig],
): Promise<Declarations> {
  const { checkpoint } = session.interrupts;
  const source = defined({ source: session.manifests });
  const read = await readManifests({ root: config.root, patterns: config.manifests, checkpoint, ...source });
  const allProjects = Object.keys(config.projects);
  const load = async (project: ProjectConfig): Promise<DesiredState> => {
    const findRoles = async (): Promise<ProjectConfig['roles']> =>
      withProject(session, { project }, async ({ client }) => findRoleIds(client));
    return (await resolveDesired(read, { project, allProjects, findRoles, checkpoint })).desired;
  };
  const [other, project] = projects;
  const desired = await load(project);
  return { desired, apart: partsApart([await load(other), other], [desired, project]) };
}

async function readSoaking(
  session: Session,
  prepared: Exclude<Prepared, Soaking>,
  { keys, longest }: { readonly keys: readonly string[]; readonly longest: number },
): Promise<Soaking> {
  const { since, cohort, judged } = prepared;
  const declarations = await prepared.declared().catch((error: unknown): undefined => passUnread(session, error));
  if (declarations === undefined) return { kind: 'unknown', why: 'live' };
  const { desired, apart } = declarations;
  const known = keys.filter((key) => memberOf(since, key) !== undefined);
  const read = known.length === 0 ? undefined : await readLive(session, prepared, { keys: known, longest });
  const offset = read?.offset ?? 0;
  const flags = known.map((key): [string, SoakedFlag] => {
    const parts = readSince(memberOf(since, key));
    const timeOf = (part: string): number => Date.parse(parts.get(part)?.at ?? '') - offset;
    const steps = (declaredIn(desired, key)?.rollouts ?? []).map(({ path }) => path);
    const wanted = partsOf(declaredIn(desired, key)?.fields ?? {}, cohort);
    return [
      key,
      {
        recorded: (part) => {
          const digest = parts.get(part)?.digest ?? undefined;
          const at = parts.has(part) ? timeOf(part) : timeOf(KNOWN);
          return { ...(digest !== undefined && { digest }), since: at };
        },
        apartSince: (part, digest) => {
          const name = apartName(judged, part);
          const isDeclared =
            apart.get(key)?.includes(part) === true && (wanted.get(part) === digest || steps.includes(part));
          return isDeclared && parts.get(name)?.digest === APART ? timeOf(name) : undefined;
        },
        live: read?.flags.get(key) ?? { kind: 'unknown', why: 'live' },
      },
    ];
  });
  return { kind: 'known', cohort, flags: new Map(flags) };
}

interface ReadLive {
  readonly flags: ReadonlyMap<string, SoakedFlag['live']>;
  /** What the clock of the service is ahead of that of this machine, in ms. */
  readonly offset: number;
}

/** A key that is missing or refused, and a service that is down, leave live values unknown. */
async function readLive(
  session: Session,
  { other, cohortOfOther: cohort }: Exclude<Prepared, Soaking>,
  { keys, longest }: { readonly keys: readonly string[]; readonly longest: number },
): Promise<ReadLive | undefined> {
  try {
    return await withProject(session, { project: other }, async ({ client, clock }) => {
      const live = await readLiveState(client, { flags: { keys } });
      const now = clock.now();
      const flags = new Map<string, SoakedFlag['live']>();
      for (const key of keys) flags.set(key, await readFlag(client, live, { key, cohort, after: now - longest }));
      return { flags, offset: now - session.context.now() };
    });
  } catch (error) {
    return passUnread(session, error);
  }
}

async function readFlag(
  client: ServiceClient,
  live: LiveState,
  { key, cohort, after }: { readonly key: string; readonly cohort: NameCohort; readonly after: number },
): Promise<SoakedFlag['live']> {
  const flag = live.flags.find((one) => one.key === key && one.deleted !== true);
  if (flag === undefined) return { kind: 'known', parts: new Map(), movedAt: () => undefined };
  const logged = loggedFlag(flag, indexResources(live.flags));
  const parts = partsOf(logged.current, cohort);
  const entries = await readEntries(client, flag.id, after).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    return undefined;
  });
  const log = entries && parseLog(entries);
  if (log === undefined || (entries !== undefined && entries.length > 0 && log.length === 0))
    return { kind: 'unknown', why: 'log' };
  const moved = new Map<string, number>();
  let whole = -Infinity;
  for (const entry of log) {
    const at = Date.parse(entry.at);
    if (entry.activity !== 'updated') whole = Math.max(whole, at);
    for (const [field, { before, after: value }] of entry.changes) {
      const sides = [before, value].map((one) => partsOf(logged.formOf(field, one), cohort)) as [Parts, Parts];
      for (const part of differingParts(...sides)) moved.set(part, Math.max(at, moved.get(part) ?? -Infinity));
    }
  }
  return { kind: 'known', parts, movedAt: (part) => Math.max(whole, moved.get(part) ?? -Infinity) };
}

const ENTRIES_PER_PAGE = 100;
const MOST_PAGES = 10;

/** The entries of a flag's activity log since a time, and older ones; `undefined` if there are too many. */
async function readEntries(client: ServiceClient, id: number, after: number): Promise<ActivityEntry[] | undefined> {
  const entries: ActivityEntry[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { results, total_count: total } = await client.flagActivity(id, { limit: ENTRIES_PER_PAGE, page });
    entries.push(...results);
    const isOlder = results.some(({ created_at: at }) => at !== undefined && Date.parse(at) < after);
    const isLast =
      results.length === 0 || (total === undefined ? results.length < ENTRIES_PER_PAGE : entries.length >= total);
    if (isOlder || isLast) return entries;
  }
  return undefined;
}
