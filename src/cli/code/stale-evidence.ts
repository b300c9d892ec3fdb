/** Collects what manifests, services and git say about a flag, as evidence of whether it can be removed. */

import path from 'node:path';
import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Place, PlaceTree } from '../../base/place.ts';
import { isDate } from '../../base/times.ts';
import type { ProjectConfig, Config } from '../../config/config.ts';
import { blameLines, type BlamedLine } from '../../loop/git/blame.ts';
import { ownerOf, type OwnerRules } from '../../core/manifest/code-owners.ts';
import type { PolicySet } from '../../review/policy/built-in.ts';
import { dayOf, lastDayOf } from '../../review/policy/rules/expires.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DeclaredFlag } from '../../posthog/desired.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { dependencyIds } from '../../posthog/live-selection.ts';
import { withArchived } from '../../posthog/reading/live-state.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import {
  type FlagOwner,
  type FlagState,
  type Holder,
  type LiveEvidence,
  type Tendency,
  type StaleFlag,
  isOfOthers,
  sameAnswer,
} from '../../code/references/staleness.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import { withProject } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';

export interface FlagOfProjects {
  readonly key: string;
  /** The key and its earlier keys: code may still read the flag under one of them, and the service may still have it so. */
  readonly keys: readonly string[];
  readonly declared: ReadonlyMap<string, DeclaredFlag>;
}

export function flagOfProjects(key: string, declared: FlagOfProjects['declared']): FlagOfProjects {
  const former = [...declared.values()].flatMap(({ previousKeys }) => previousKeys);
  return { key, keys: [...new Set([key, ...former])], declared };
}

export interface LiveFlagOf {
  readonly of: LiveProject;
  readonly flag: Flag;
}

interface ServiceEvidence {
  readonly flags: readonly LiveFlagOf[];
  readonly evidence: readonly LiveEvidence[];
  /** One tendency for each project that has the flag or declares it. */
  readonly calls: readonly Tendency[];
  readonly state: FlagState;
  /** The times of the last changes that services know; none unless each knows one. */
  readonly changed: readonly string[];
  /** If a service does not know when the flag changed, the flag is as git says there, so that the time of git counts. */
  readonly isAsDeclared: boolean;
}

type Aging = Readonly<Record<'now' | 'days', number>>;

export function serviceEvidence(flag: FlagOfProjects, live: LiveRead, aging: Aging): ServiceEvidence {
  const flags = live.projects.flatMap((of): LiveFlagOf[] => {
    const found = flag.keys.flatMap((key) => of.byKey.get(key) ?? [])[0];
    return found === undefined ? [] : [{ of, flag: found }];
  });
  const unread = [...flag.declared.keys()].filter((name) => !live.projects.some((of) => of.project.name === name));
  const times = flags.map((one) => one.flag.updated_at);
  return {
    flags,
    evidence: flags.map(evidenceOf),
    calls: [...flags.map((one) => tendencyOfCalls(one.flag, aging)), ...unread.map((): Tendency => 'unknown')],
    state: unread.length > 0 ? 'absent' : stateOf(flags.map((one) => one.flag)),
    changed: times.every(isTime) ? times : [],
    isAsDeclared: flags.every(
      ({ of, flag: one }) =>
        isTime(one.updated_at) || flag.declared.get(of.project.name)?.fields['active'] === (one.active !== false),
    ),
  };
}

function isTime(time: JsonValue | undefined): time is string {
  return typeof time === 'string' && !Number.isNaN(Date.parse(time));
}

function evidenceOf({ of, flag }: LiveFlagOf): LiveEvidence {
  const { id, active, archived, created_at } = flag;
  const { status: given, last_called_at: called } = flag as JsonObject;
  const status = typeof given === 'string' ? given : undefined;
  const last_called_at = typeof called === 'string' || called === null ? called : undefined;
  const known = defined({ archived, status, last_called_at, created_at });
  return { project: of.project.name, id, active: active !== false, ...known };
}

/** The service does not judge a disabled flag, but it still counts that nobody called it. */
function tendencyOfCalls(flag: Flag, { now, days }: Aging): Tendency {
  const { status, last_called_at: called } = flag as JsonObject;
  const time = typeof called === 'string' ? Date.parse(called) : Number.NaN;
  if (!Number.isNaN(time)) {
    const isQuiet = now - time >= days * DAY && (flag.active === false || status === undefined || status === 'STALE');
    return isQuiet ? 'for' : 'against';
  }
  return status === 'STALE' ? 'for' : 'unknown';
}

const DAY = 86_400_000;

function stateOf(flags: readonly Flag[]): FlagState {
  if (flags.length === 0) return 'absent';
  if (flags.some(({ active, archived }) => active !== false && archived !== true)) return 'on';
  if (flags.every(({ archived }) => archived === true)) return 'archived';
  return flags.some((flag) => flag.archived !== true && Object.hasOwn(flag, 'archived')) ? 'unarchived' : 'off';
}

/** Whether everyone gets the same value in every project, by the manifests and by live state. */
export function answerEvidence(
  { declared }: FlagOfProjects,
  live: readonly LiveFlagOf[],
): { readonly tendency: Tendency; readonly answer: boolean | string | undefined } {
  const liveOf = new Map(live.map(({ of, flag }) => [of.project.name, flag as JsonObject]));
  const ofManifests = [...declared].flatMap(([name, flag]) => {
    const known = liveOf.get(name);
    if (isOfOthers(flag)) return known === undefined ? [{}] : [];
    const { active = known?.['active'], filters = known?.['filters'] } = flag.fields;
    return [defined({ active, filters })];
  });
  const [first, ...others] = [...ofManifests, ...liveOf.values()];
  if (first === undefined) return { tendency: 'unknown', answer: undefined };
  const answer = sameAnswer(first);
  const isSame = answer !== undefined && others.every((one) => sameAnswer(one) === answer);
  return { tendency: isSame ? 'for' : 'against', answer: isSame ? answer : undefined };
}

/** The expiry by the policy `expires`; unknown without that policy. */
export function expiryEvidence(
  flag: FlagOfProjects,
  live: readonly LiveFlagOf[],
  { policies, now }: { readonly policies: PolicySet | undefined; readonly now: number },
): { readonly expiry: Tendency; readonly expires: string | undefined } {
  const prefixes = (policies?.rules ?? []).flatMap((policy) => (policy.rule === 'expires' ? [policy.tag] : []));
  if (prefixes.length === 0) return { expiry: 'unknown', expires: undefined };
  const days = bodiesOf(flag, live).flatMap((holder) => prefixes.flatMap((prefix) => lastDayOf(holder, prefix) ?? []));
  const expires = days.filter(isDate).toSorted().at(-1);
  if (expires === undefined || !days.every(isDate)) return { expiry: 'unknown', expires };
  return { expiry: expires < dayOf(now) ? 'for' : 'against', expires };
}

function bodiesOf({ declared }: FlagOfProjects, live: readonly LiveFlagOf[]): readonly JsonObject[] {
  return [...[...declared.values()].map(({ fields }) => fields), ...live.map(({ flag }) => flag)];
}

export function holdersOf(live: readonly LiveFlagOf[]): readonly Holder[] {
  return live.flatMap(({ of, flag }) => {
    const holder = (what: Holder['what'], names: readonly string[]): readonly Holder[] =>
      names.length === 0 ? [] : [{ project: of.project.name, what, names }];
    return [
      ...holder('flags', of.dependents.get(flag.id) ?? []),
      ...holder('experiments', namesIn(runningExperiments(flag))),
      ...holder('early_access_features', namesIn(flag['features'])),
      ...holder('surveys', namesIn(flag['surveys'])),
      ...holder('session_replay', flag['is_used_in_replay_settings'] === true ? [flag.key] : []),
    ];
  });
}

/** Older services do not say which of them run. */
function runningExperiments({ experiment_set: all, experiment_set_metadata: known }: Flag): JsonValue | undefined {
  return known?.filter(({ is_running: isRunning }) => isRunning !== false) ?? all ?? undefined;
}

function namesIn(list: JsonValue | undefined): readonly string[] {
  return arrayOrEmpty(list).map((one) => {
    const name = isJsonObject(one) ? (one['name'] ?? one['id']) : one;
    return typeof name === 'string' || typeof name === 'number' ? String(name) : '?';
  });
}

/** Who owns the flag, else who declared or created it: somebody to ask. */
export function ownerOrAuthor(
  flag: FlagOfProjects,
  live: readonly LiveFlagOf[],
  { rules, author }: { readonly rules: OwnerRules; readonly author?: string },
): FlagOwner | undefined {
  const tags = bodiesOf(flag, live).flatMap((body) => arrayOrEmpty(body['tags']));
  const [first] = flag.declared.values();
  const owner = ownerOf({ tags, ...defined({ file: first?.places.place.file }) }, rules);
  if (owner !== undefined) return owner;
  if (author !== undefined && author !== '') return { name: author, by: 'git' };
  const creator = live[0]?.flag['created_by'];
  const name = isJsonObject(creator) ? (creator['first_name'] ?? creator['email']) : undefined;
  return typeof name === 'string' && name !== '' ? { name, by: 'service' } : undefined;
}

export interface LiveRead {
  readonly projects: readonly LiveProject[];
  /** The key of the project may not read its flags. */
  readonly refused: readonly { readonly name: string; readonly isForbidden: true }[];
  readonly requests: number;
}

export interface LiveProject {
  readonly project: ProjectConfig;
  /** All flags, including archived ones. */
  readonly flags: readonly Flag[];
  readonly byKey: ReadonlyMap<string, Flag>;
  /** The keys of flags with a condition on another flag, by the id of that flag. Disabled flags count too: they can be enabled. */
  readonly dependents: ReadonlyMap<number, readonly string[]>;
}

export async function readLive(session: Session, projects: readonly ProjectConfig[]): Promise<LiveRead> {
  const read: LiveProject[] = [];
  const refused: LiveRead['refused'][number][] = [];
  let requests = 0;
  for (const project of projects) {
    const { requests: sent, answer } = await ask(session, project, async (client) =>
      withArchived(client, await client.listFlags()),
    );
    requests += sent;
    if (answer === undefined) refused.push({ name: project.name, isForbidden: true });
    else read.push(toLiveProject(project, answer));
  }
  return { projects: read, refused, requests };
}

export function toLiveProject(project: ProjectConfig, flags: readonly Flag[]): LiveProject {
  const dependents = new Map<number, string[]>();
  const edges = flags.flatMap((flag) => [...new Set(dependencyIds(flag))].map((id) => [id, flag.key] as const));
  for (const [id, key] of edges) dependents.set(id, [...(dependents.get(id) ?? []), key]);
  return { project, flags, byKey: new Map(flags.map((flag) => [flag.key, flag])), dependents };
}

/**
 * Reads why the service calls flags stale; it answers for one at a time. `unexplained`: flags whose reasons were not requested, or not
 * answered; absent if there are none.
 */
export async function readReasons(
  session: Session,
  { projects }: LiveRead,
  flags: readonly StaleFlag[],
): Promise<{
  readonly explain: (evidence: LiveEvidence) => LiveEvidence;
  readonly requests: number;
  readonly unexplained?: number;
}> {
  const wanted = flags.flatMap(({ live }) => live.filter(({ status }) => status === 'STALE'));
  const asked = wanted.slice(0, MOST_REASONS);
  const found = new Map<string, string>();
  let requests = 0;
  for (const { project } of projects) {
    const ofProject = asked.filter((one) => one.project === project.name);
    if (ofProject.length === 0) continue;
    const readReason = async (client: ServiceClient, id: number): Promise<void> => {
      // Older services have no reasons, and a key may lack the right to them: the status of the list says enough.
      const answer = await client.flagStatus(id).catch((error: unknown): undefined => {
        const kind = error instanceof ServiceError ? error.failure.kind : undefined;
        if (kind !== 'forbidden' && kind !== 'not_found') throw error;
      });
      if (answer !== undefined) found.set(nameOf(project.name, id), answer.reason);
    };
    const { requests: sent } = await ask(session, project, (client) =>
      Promise.all(ofProject.map(({ id }) => readReason(client, id))),
    );
    requests += sent;
  }
  const unexplained = wanted.length - found.size;
  return {
    explain: (one) => {
      const reason = found.get(nameOf(one.project, one.id));
      return reason === undefined ? one : { ...one, reason };
    },
    requests,
    ...(unexplained === 0 ? {} : { unexplained }),
  };
}

const MOST_REASONS = 20;

function nameOf(project: string, id: number): string {
  return `${id} ${project}`;
}

/** `answer`: absent if the key may not read the flags of the project. `requests`: sent. */
async function ask<Result>(
  session: Session,
  project: ProjectConfig,
  use: (client: ServiceClient) => Promise<Result>,
): Promise<{ readonly requests: number; readonly answer?: Result }> {
  let requests = 0;
  try {
    const answer = await withProject(session, { project }, ({ client }) =>
      use(client).finally(() => (requests = client.stats().requests)),
    );
    return { requests, answer };
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'forbidden') return { requests };
    throw error;
  }
}

export interface BlamedFlag {
  /** The time of the newest line, in ISO 8601; absent if git does not know all lines. */
  readonly at?: string;
  /** The author of the line with the key. */
  readonly author?: string;
  readonly isUncommitted?: true;
}

/** Starts one process for each file, a few at a time; none if there is no git. */
export async function blameFlags(
  { session, checkout }: { readonly session: Session; readonly config: Config; readonly checkout: Checkout },
  flags: readonly FlagOfProjects[],
): Promise<ReadonlyMap<string, BlamedFlag>> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return new Map();
  const places = flags.map((flag) => ({
    flag,
    places: [...flag.declared.values()].flatMap((one) => placesOf(one.places)),
  }));
  const files = [...new Set(places.flatMap((one) => one.places.map(({ file }) => file)))];
  const blamed = new Map<string, ReadonlyMap<number, BlamedLine>>();
  for (let from = 0; from < files.length; from += AT_ONCE) {
    await session.interrupts.breathe();
    await Promise.all(
      files.slice(from, from + AT_ONCE).map(async (file) => {
        const ofFile = places.flatMap((one) => one.places.filter((place) => place.file === file));
        const lines = [...new Set(ofFile.map(({ line }) => line))];
        blamed.set(file, await blameLines(opened.repository, path.normalize(file), lines));
      }),
    );
  }
  const lineAt = ({ file, line }: Place): BlamedLine | undefined => blamed.get(file)?.get(line);
  return new Map(
    places.flatMap(({ flag, places: all }) => (all.length === 0 ? [] : [[flag.key, summarize(all.map(lineAt))]])),
  );
}

const AT_ONCE = 4;

/** The first line is that of a key. */
function summarize(lines: readonly (BlamedLine | undefined)[]): BlamedFlag {
  const [first] = lines;
  const author = first?.kind === 'commit' ? { author: first.author.replace(/ ?<[^<>]*>$/, '') } : {};
  if (lines.some((line) => line?.kind === 'uncommitted')) return { ...author, isUncommitted: true };
  const times = lines.flatMap((line) => (line?.kind === 'commit' ? [line.at] : []));
  if (times.length < lines.length) return author;
  return { ...author, at: times.toSorted().at(-1) as string };
}

function placesOf({ place, children = {} }: PlaceTree): readonly Place[] {
  return [place, ...Object.values(children).flatMap(placesOf)];
}
