/**
 * The record of what was applied last: where it is found, in the remote that shares it or else in this clone, and what it says. The ref names
 * the applied commit or, if an apply left something, a commit of ours. That one has the same files, and its message lists what was left and the
 * commit at which each part was applied last. These commits are its parents, so that git keeps and fetches them with it.
 */

import { basename } from 'node:path';
import type { ApplyResult } from '../../loop/apply/result.ts';
import { comparing } from '../../base/compare-strings.ts';
import { tryParseJson, stringifyJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, objectOrEmpty, type JsonValue, memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { isSameHost } from '../../base/service-host.ts';
import type { Config } from '../../config/config.ts';
import type { EarlierBase, RecordedIds } from '../../core/engine/base.ts';
import type { DesiredResource } from '../../core/engine/desired.ts';
import type { Identified } from '../../core/engine/plan.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import { contains } from '../../loop/git/ancestry.ts';
import type { StoredObject } from '../../loop/git/objects.ts';
import {
  fetchCommits,
  fetchRef,
  mayHaveRef,
  readRemoteRef,
  resolveName,
  writeRef,
  deepen,
  deepenSince,
} from '../../loop/git/refs.ts';
import type { Repository } from '../../loop/git/repository.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { OwnKind } from '../../posthog/kind-types.ts';
import { nameResource } from '../../posthog/names/resource-name.ts';
import type { Plan } from '../../posthog/plan.ts';
import { parseProgress } from '../../core/rollout/record.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import type { Checkout, Recorded, RecordedSince } from './open-checkout.ts';

export type AppliedRecord =
  | ({ readonly kind: 'commit'; readonly commit: string } & Recorded)
  /** Somebody reset the record: the commit has no file and no parent. */
  | { readonly kind: 'nothing' }
  /** A later release wrote it. */
  | { readonly kind: 'unknown' };

const SUBJECT = 'flagwright: applied, but for what was left';
const AUTHOR = 'flagwright <flagwright@localhost>';

export function readRecord({ id, bytes }: StoredObject): AppliedRecord {
  const text = bytes?.toString() ?? '';
  const { tree, parents, message } = partsOf(text);
  if (parents.length === 0 && EMPTY_TREES.has(tree)) return { kind: 'nothing' };
  const isOurs = message.startsWith(`${SUBJECT}\n`) && text.includes(`\nauthor ${AUTHOR} `);
  if (!isOurs) return { kind: 'commit', commit: id, earlier: [], rollouts: [] };
  const lines = message.split('\n');
  const earlier = lines.filter((line) => line.startsWith(LEFT)).map(parseLeft);
  const rollouts = lines
    .filter((line) => line.startsWith(STEP))
    .map((line) => parseProgress(tryParseJson(line.slice(STEP.length))));
  const written = lines.find((line) => line.startsWith(IDS))?.slice(IDS.length);
  const ids = written === undefined ? undefined : parseIds(tryParseJson(written));
  const commit = lines.find((line) => line.startsWith(APPLIED))?.slice(APPLIED.length);
  if (commit === undefined || commit !== parents[0]) return { kind: 'unknown' };
  const knownEarlier = earlier.filter((one) => one !== undefined);
  const knownRollouts = rollouts.filter((one) => one !== undefined);
  const isWhole = knownEarlier.length === earlier.length && knownRollouts.length === rollouts.length;
  if (!isWhole || (written !== undefined && ids === undefined)) return { kind: 'unknown' };
  const since = parseSince(lines.find((line) => line.startsWith(SINCE))?.slice(SINCE.length));
  return { kind: 'commit', commit, earlier: knownEarlier, rollouts: knownRollouts, ...defined({ ids, since }) };
}

export function commitsIn({ commit, earlier }: Pick<Recorded, 'earlier'> & { commit: string }): readonly string[] {
  return [...new Set([commit, ...earlier.flatMap((one) => one.commit ?? [])])];
}

/**
 * The text of the commit object to write; `undefined` if the ref can name the applied commit itself. An applied commit that looks like one
 * of ours would be read as a record, so it gets a record of its own.
 */
export function recordText(
  applied: StoredObject,
  { earlier, rollouts, ids, since }: Recorded,
  { project, seconds }: { readonly project: string; readonly seconds: number },
): string | undefined {
  const own = readRecord(applied);
  const isEmpty = earlier.length + rollouts.length === 0 && ids === undefined && since === undefined;
  if (isEmpty && own.kind === 'commit' && own.commit === applied.id) return undefined;
  const { tree } = partsOf(applied.bytes?.toString() ?? '');
  const parents = commitsIn({ commit: applied.id, earlier });
  const by = `${AUTHOR} ${seconds} +0000`;
  return [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${by}`,
    `committer ${by}`,
    '',
    SUBJECT,
    '',
    `The commit below was applied to ${stringifyJson(project)}. What an apply left is listed with the commit`,
    'at which it was applied last, or with a dash if it never was. Values that change over time are listed',
    'with the step that was applied last, and resources of the service with their ids.',
    '',
    `${APPLIED}${applied.id}`,
    ...earlier.map(leftLine),
    ...rollouts.map((one) => `${STEP}${stringifyJson(one as unknown as JsonValue)}`),
    ...(ids === undefined ? [] : [`${IDS}${stringifyJson(ids as unknown as JsonValue)}`]),
    ...(since === undefined ? [] : [`${SINCE}${stringifyJson(since)}`]),
    '',
  ].join('\n');
}

const APPLIED = 'Applied: ';
const LEFT = 'Left: ';
const STEP = 'Step: ';
const IDS = 'Ids: ';
const SINCE = 'Since: ';

/** An example: `Left: 1a2b… "checkout" ["filters"]`. */
function leftLine({ key, fields, commit = '-' }: EarlierBase): string {
  const names = fields === undefined ? '' : ` ${stringifyJson(fields as unknown as JsonValue)}`;
  return `${LEFT}${commit} ${stringifyJson(key)}${names}`;
}

function parseLeft(line: string): EarlierBase | undefined {
  const [, commit = '', name = '', names = 'null'] =
    /^Left: ([0-9a-f]{40,64}|-) ("(?:[^"\\]|\\.)*")(?: (\[.*\]))?$/s.exec(line) ?? [];
  if (commit === '') return undefined;
  const [key, fields] = [tryParseJson(name), tryParseJson(names)];
  if (typeof key !== 'string' || (fields !== null && !isListOfStrings(fields))) return undefined;
  return { key, ...defined({ fields: fields ?? undefined, commit: commit === '-' ? undefined : commit }) };
}

function parseIds(value: JsonValue | undefined): RecordedIds | undefined {
  const { host, project_id: projectId, ids } = objectOrEmpty(value);
  if (typeof host !== 'string' || typeof projectId !== 'string' || !isJsonObject(ids)) return undefined;
  const all = Object.entries(ids);
  const isId = (one: [string, JsonValue | undefined]): one is [string, ResourceId] =>
    typeof one[1] === 'number' || typeof one[1] === 'string';
  return all.every(isId) ? { host, project_id: projectId, ids: Object.fromEntries(all) } : undefined;
}

/** What cannot be read says of no flag since when it was there, so that the policy that asks for it refuses. */
function parseSince(text: string | undefined): RecordedSince | undefined {
  const value = text === undefined ? undefined : tryParseJson(text);
  const isDigest = (one: JsonValue | undefined): boolean => one === null || typeof one === 'string';
  const isAt = ([at, parts]: [string, JsonValue | undefined]): boolean =>
    !Number.isNaN(Date.parse(at)) && isJsonObject(parts) && Object.values(parts).every(isDigest);
  const isWhole = (one: JsonValue | undefined): boolean => isJsonObject(one) && Object.entries(one).every(isAt);
  return isJsonObject(value) && Object.values(value).every(isWhole) ? (value as RecordedSince) : undefined;
}

function isListOfStrings(value: JsonValue | undefined): value is readonly string[] {
  return isJsonArray(value) && value.every((one) => typeof one === 'string');
}

const EMPTY_TREES: ReadonlySet<string> = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

function partsOf(text: string) {
  const end = text.indexOf('\n\n');
  const head = (end === -1 ? text : text.slice(0, end)).split('\n');
  const valuesOf = (name: string): string[] =>
    head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

export const APPLIED_REFS = 'refs/flagwright/applied/';

/**
 * The name of a project's ref. A repository may have several configurations with projects of the same name, so the folder and the name of
 * the configuration precede that of the project, unless it is flagwright.yaml at the top. Without a configuration there is no ref: a
 * project from the environment has no name of its own.
 */
export function appliedRef(
  { file }: Pick<Config, 'file'>,
  project: { readonly name: string },
  { prefix }: Pick<Repository, 'prefix'>,
): string | undefined {
  if (file === undefined) return undefined;
  const name = basename(file);
  const parts = [prefix, /^flagwright\.ya?ml$/.test(name) ? '' : name, project.name];
  return `${APPLIED_REFS}${encode(parts.filter((part) => part !== '').join('/'))}`;
}

/** Keeps characters that git allows anywhere in a name; others become `%` and their bytes. With a `/`, a ref could forbid another. */
function encode(name: string): string {
  const bytes = (text: string): string => Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&');
  return name.replaceAll(/[^\w.-]|\.(?=\.|$|lock$)|^[.-]/gu, bytes);
}

export interface RecordPlace {
  /** The files that the configuration may be, from the top of the repository. */
  readonly files: readonly string[];
  readonly project: string;
}

/** The place that a ref is of; `undefined` for a name that is none of ours. */
export function placeOfRef(ref: string): RecordPlace | undefined {
  try {
    const parts = decodeURIComponent(ref.slice(APPLIED_REFS.length)).split('/');
    const [project = '', folder] = [parts.at(-1), parts.slice(0, -1)];
    const named = ['flagwright.yaml', 'flagwright.yml'].map((name) => [...folder, name].join('/'));
    return { files: folder.length === 0 ? named : [...named, folder.join('/')], project };
  } catch {
    return undefined;
  }
}

/** The declarations with the ids of the live resources that they were applied to, if it was in the same project. */
export function withRecordedIds(
  desired: DesiredState,
  recorded: RecordedIds | undefined,
  { project }: LoadedProject,
): DesiredState {
  const { host, project_id: projectId } = identityOf(project);
  if (recorded === undefined || !isSameHost(recorded.host, host) || recorded.project_id !== projectId) return desired;
  const withId = <One extends DesiredResource>(kind: OwnKind, one: One): One => {
    const id = memberOf(recorded.ids, nameResource(kind, one.key));
    return one.kind === 'declared' && id !== undefined ? { ...one, recordedId: id } : one;
  };
  return {
    ...desired,
    flags: desired.flags.map((one) => withId('flag', one)),
    ...(desired.cohorts === undefined ? {} : { cohorts: desired.cohorts.map((one) => withId('cohort', one)) }),
  };
}

export interface IdentifiedIn {
  readonly project: ProjectIdentity;
  readonly ids: Identified;
}

/** The ids of the plan, and of what the run created. */
export function identifiedBy(
  { project }: Pick<LoadedProject, 'project'>,
  { identified = {} }: Pick<Plan, 'identified'>,
  result: Pick<ApplyResult, 'changes'> | undefined,
): IdentifiedIn {
  const made = (result?.changes ?? []).flatMap(({ change, result: one }): [string, ResourceId][] => {
    const isNamed = change.action === 'create' && (change.resource === 'flag' || change.resource === 'cohort');
    const id = one.outcome === 'applied' ? one.id : undefined;
    return isNamed && id !== undefined ? [[nameResource(change.resource, change.key), id]] : [];
  });
  return { project: identityOf(project), ids: { ...identified, ...Object.fromEntries(made) } };
}

/** The recorded ids with those of the plan. Ids of another project mean nothing in this one. */
export function idsAfter({ project, ids: own }: IdentifiedIn, recorded?: RecordedIds): RecordedIds | undefined {
  const { host, project_id: projectId } = project;
  const isSame = recorded !== undefined && isSameHost(recorded.host, host) && recorded.project_id === projectId;
  const all = Object.entries({ ...(isSame ? recorded.ids : {}), ...own });
  const known = all.flatMap(([name, id]): [string, ResourceId][] => (id === null ? [] : [[name, id]]));
  const ids = Object.fromEntries(known.toSorted(comparing(([name]) => name)));
  return known.length === 0 ? undefined : { host, project_id: projectId, ids };
}

export interface InRepository {
  readonly checkout: Checkout;
  readonly repository: Repository;
}

export type ReadRecord =
  | AppliedRecord
  /** The repository lacks the object, or one that the record names. */
  | { readonly kind: 'missing'; readonly commit: string }
  | { readonly kind: 'not_a_commit' };

export async function readAt(id: string, { checkout, repository }: InRepository): Promise<ReadRecord> {
  const objects = checkout.objectsOf(repository);
  const commit = await objects.read(`${id}^{commit}`);
  if (commit === undefined) {
    return (await objects.read(id)) === undefined ? { kind: 'missing', commit: id } : { kind: 'not_a_commit' };
  }
  const record = readRecord(commit);
  if (record.kind !== 'commit') return record;
  for (const named of commitsIn(record)) {
    if ((await objects.read(`${named}^{commit}`)) === undefined) return { kind: 'missing', commit: named };
  }
  return record;
}

/** The id that a ref of this clone names. The repository may lack that object; git is asked for the id only if it may have the ref. */
export async function idOf(ref: string, { checkout, repository }: InRepository): Promise<string | undefined> {
  const object = await checkout.objectsOf(repository).read(ref);
  if (object !== undefined) return object.id;
  return (await mayHaveRef(repository, ref)) ? resolveName(repository, ref) : undefined;
}

export interface Unread {
  readonly remote: string;
  readonly detail: string;
}

export type FoundRef =
  /** `remote`: the one that has it. `unread`: the remote that may have a newer one, but could not be read. */
  | { readonly kind: 'found'; readonly id: string; readonly remote?: string; readonly unread?: Unread }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly unread: Unread };

/** Copies the ref of the first remote that has it. If none has one, the ref of this clone stays. `local`: what that one names. */
export async function findRef(
  ref: string,
  { remotes, local }: { readonly remotes: readonly string[]; readonly local: string | undefined },
  within: InRepository,
): Promise<FoundRef> {
  for (const remote of remotes) {
    const taken = await take(ref, { remote, local }, within);
    if (taken.kind === 'found') return taken;
    // A less trusted remote must not answer in its place.
    if (taken.kind === 'unread') {
      return local === undefined ? taken : { kind: 'found', id: local, unread: taken.unread };
    }
  }
  return local === undefined ? { kind: 'none' } : { kind: 'found', id: local };
}

async function take(
  ref: string,
  { remote, local }: { readonly remote: string; readonly local: string | undefined },
  within: InRepository,
): Promise<FoundRef> {
  const { checkout, repository } = within;
  const found = await readRemoteRef(repository, remote, ref);
  if (found.kind === 'none') return found;
  if (found.kind === 'unreachable') return { kind: 'unread', unread: { remote, detail: found.detail } };
  const { commit: id } = found;
  if (local !== id) {
    const isHere = (await checkout.objectsOf(repository).read(`${id}^{commit}`)) !== undefined;
    const run = isHere
      ? await writeRef(repository, ref, { commit: id, former: local })
      : await fetchRef(repository, remote, ref);
    if (run.kind !== 'done') return { kind: 'unread', unread: { remote, detail: run.detail } };
  }
  await completeRecord(id, remote, within);
  return { kind: 'found', id, remote };
}

/** Fetches the record into a shallow clone without the commits that it names. */
async function completeRecord(id: string, remote: string, within: InRepository): Promise<void> {
  const { checkout, repository } = within;
  if (!repository.shallow) return;
  const object = await checkout.objectsOf(repository).read(`${id}^{commit}`);
  const record = object && readRecord(object);
  if (record?.kind !== 'commit') return;
  const missing: string[] = [];
  for (const commit of commitsIn(record)) {
    if ((await checkout.objectsOf(repository).read(`${commit}^{commit}`)) === undefined) missing.push(commit);
  }
  if (missing.length > 0) await fetchCommits(repository, remote, missing);
}

export async function isContained(
  { earlier, later, remote }: { readonly earlier: string; readonly later: string; readonly remote: string | undefined },
  { repository, checkout }: InRepository,
): ReturnType<typeof contains> {
  const objects = checkout.objectsOf(repository);
  const ask = async (): ReturnType<typeof contains> => contains({ repository, objects }, { earlier, later });
  const found = await ask();
  if (found !== 'unknown' || remote === undefined || earlier === later) return found;
  const ids = [later, earlier];
  const run = await deepen(repository, remote, ids);
  const again = run.kind === 'done' ? await ask() : found;
  if (again !== 'unknown') return again;
  const madeAt = committedAt((await objects.read(`${earlier}^{commit}`))?.bytes);
  if (madeAt === undefined) return again;
  const further = await deepenSince(repository, remote, { ids, seconds: madeAt - DAY_SECONDS });
  return further.kind === 'done' ? ask() : again;
}

/** When the commit was made, in milliseconds since 1970; `undefined` if it cannot be read. */
export async function readCommitTime(commit: string, checkout: Checkout): Promise<number | undefined> {
  const opened = await checkout.opened;
  if (opened.kind !== 'open') return undefined;
  const seconds = committedAt((await checkout.objectsOf(opened.repository).read(`${commit}^{commit}`))?.bytes);
  return seconds === undefined ? undefined : seconds * 1000;
}

function committedAt(bytes: Buffer | undefined): number | undefined {
  const [, seconds] = /^committer .* (\d+) [+-]\d{4}$/m.exec(bytes?.toString() ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** A margin, since the clocks of committers differ. */
const DAY_SECONDS = 86_400;
