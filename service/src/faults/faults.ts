/** Applies the active rules of a fault script to a request. */

import type { ServerResponse } from 'node:http';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { type JsonValue, isJsonArray, isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { AnsweringOptions, RequestRecord, ServiceRequest, Sleep } from '../answering/request.ts';
import type { Answer, ServiceContext } from '../handler/call.ts';
import {
  buildFaultReply,
  type WireReply,
  ENDINGS,
  type Effects,
  type Ending,
  type FaultRule,
  type When,
  type ContentEffects,
  type EditEffect,
  EFFECTS,
  type FaultScript,
  type FaultMatch,
} from './script.ts';
import { setTimeout as realPause } from 'node:timers/promises';
import { answer } from '../answering/answer.ts';
import { answerFor } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { validateFaults } from '../../../src/base/generated/fault-validators.ts';
import { checkShape } from '../../../src/base/shape/check.ts';
import { type ShapeDiagnostic, SHAPE_WORDS } from '../../../src/base/shape/problems.ts';
import { describeWith, docsPage } from '../../../src/base/wording.ts';
import picomatch from 'picomatch';

interface FaultyExchange {
  readonly request: ServiceRequest;
  readonly response: ServerResponse;
  /** Handles the request; a refusal is also an answer. */
  readonly handle: () => Answer;
}

/** Returns the answer to send, or `undefined` if it has sent the response itself. */
export type Faults = (exchange: FaultyExchange) => Promise<Answer | undefined>;

export interface FaultOptions extends AnsweringOptions {
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
  readonly sleep: Sleep;
}

/** Throws `FlagwrightError('usage')` for an invalid script. */
export function createFaults(script: JsonValue, options: FaultOptions): Faults {
  const { faults: rules } = readFaults(script);
  let history = newHistory(rules);
  return async (exchange) => {
    const line = readRequestLine(exchange.request);
    const found = findActive(rules, history, { ...line, now: options.context.now().getTime() });
    history = found.history;
    return found.active.length === 0 ? exchange.handle() : applyFaults(exchange, found.active, options);
  };
}

function readRequestLine({ method, target }: ServiceRequest): RequestLine {
  return { method, path: target.replace(/\?.*$/s, '') };
}

async function applyFaults(
  exchange: FaultyExchange,
  active: readonly FaultRule[],
  options: FaultOptions,
): Promise<Answer | undefined> {
  // Only the first ending of the script applies.
  const ending = active.find((rule) => ENDINGS.some((name) => rule[name] !== undefined)) ?? {};
  const sleep = async (ms: number): Promise<void> => options.sleep(ms, readRequestLine(exchange.request));
  await wait(sleep, { active, when: 'before' });
  editBeside(exchange, { active, when: 'before' }, options);
  const discards = [ending.answer, ending.reset, ending.hang].some(
    (one) => one !== undefined && (one.when ?? 'before') === 'before',
  );
  const answer = discards ? undefined : withContents(exchange.handle(), active);
  if (!discards) editBeside(exchange, { active, when: 'after' }, options);
  await wait(sleep, { active, when: 'after' });
  const contentType = active.find((rule) => rule.content_type !== undefined)?.content_type;
  const isWhole = ENDINGS.every((name) => ending[name] === undefined);
  if (isWhole && contentType === undefined) return answer;
  const reply =
    ending.answer === undefined
      ? writeReply(answer, contentType)
      : buildFaultReply(ending.answer, options.context.now());
  await end(exchange.response, { ending, reply, sleep });
  return undefined;
}

async function wait(sleep: Pause, { active, when }: FaultMoment): Promise<void> {
  const waits = active.flatMap(({ latency }) => ((latency?.when ?? 'after') === when ? (latency?.ms ?? 0) : 0));
  const ms = waits.reduce((sum, next) => sum + next, 0);
  if (ms > 0) await sleep(ms);
}

interface FaultMoment {
  readonly active: readonly Effects[];
  readonly when: When;
}

function editBeside({ request }: FaultyExchange, { active, when }: FaultMoment, options: FaultOptions): void {
  for (const { edit: effect } of active) {
    if (effect === undefined || (effect.when ?? 'before') !== when) continue;
    const { path, answer, error } = edit(effect, request, options);
    const record = { method: effect.method, path, status: answer.status, durationMs: 0 };
    options.onRequest?.({ ...record, ...defined({ error }) });
  }
}

function writeReply(answer: Answer | undefined, contentType: string | undefined): WireReply {
  const body = answer?.body === undefined ? '' : stringifyJson(answer.body);
  const text = answer?.text === undefined ? body : [...answer.text.chunks].join('');
  const usual = answer?.text?.type ?? 'application/json';
  const type = text === '' ? {} : { 'Content-Type': contentType ?? usual };
  return { status: answer?.status ?? 200, headers: { ...answer?.headers, ...type }, text };
}

interface ExchangeEnd {
  readonly ending: Ending;
  readonly reply: WireReply;
  readonly sleep: Pause;
}

async function end(response: ServerResponse, { ending, reply, sleep }: ExchangeEnd): Promise<void> {
  if (ending.hang !== undefined) return;
  if (ending.reset !== undefined) {
    // As when a process dies: the client reads ECONNRESET.
    response.socket?.resetAndDestroy();
    return;
  }
  if (ending.truncate !== undefined) return sendTruncated(response, reply, ending.truncate);
  if (ending.endless !== undefined) return sendEndless(response, reply);
  if (ending.drip !== undefined) return sendDripping(response, reply, { ...ending.drip, sleep });
  const { status, headers, text } = reply;
  const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...length }).end(text);
}

/** Resolves after so many milliseconds. */
type Pause = (ms: number) => Promise<void>;

/** Announces the length of the whole body. */
function sendTruncated(
  response: ServerResponse,
  { status, headers, text }: WireReply,
  { bytes }: NonNullable<Ending['truncate']>,
): void {
  const body = Buffer.from(text);
  // A byte must be missing, also from an empty body.
  const promised = Math.max(1, body.length);
  response.writeHead(status === 204 ? 200 : status, { ...headers, 'Content-Length': promised });
  response.write(body.subarray(0, Math.min(bytes ?? Math.floor(body.length / 2), promised - 1)), () =>
    response.socket?.destroy(),
  );
  response.flushHeaders();
}

const SPACES = Buffer.alloc(16 * 1024, ' ');

/** Runs until the client disconnects. */
async function sendEndless(response: ServerResponse, { status, headers, text }: WireReply): Promise<void> {
  response.writeHead(status === 204 ? 200 : status, headers);
  response.write(text);
  while (!response.destroyed) {
    if (response.write(SPACES)) await realPause(1);
    else await waitForDrain(response);
  }
}

async function sendDripping(
  response: ServerResponse,
  { status, headers, text }: WireReply,
  { bytes = 1, every_ms: everyMs = 100, sleep }: NonNullable<Ending['drip']> & { readonly sleep: Pause },
): Promise<void> {
  const body = Buffer.from(text);
  response.writeHead(status, status === 204 ? headers : { ...headers, 'Content-Length': body.length });
  response.flushHeaders();
  for (let sent = 0; sent < body.length && !response.destroyed; sent += bytes) {
    await sleep(everyMs);
    response.write(body.subarray(sent, sent + bytes));
  }
  response.end();
}

async function waitForDrain(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Applies all effects; effects that do not fit the body do nothing. */
function withContents(answer: Answer, effects: readonly ContentEffects[]): Answer {
  if (!isJsonObject(answer.body)) return answer;
  const apply = (body: JsonObject, { unknown_fields: extra, next, shrink }: ContentEffects): JsonObject =>
    withExtra(shrinkPage(withLinks(body, next), shrink), extra);
  return { ...answer, body: effects.reduce(apply, answer.body) };
}

function withLinks(page: JsonObject, origin: string | undefined): JsonObject {
  if (origin === undefined) return page;
  const moved = (link: JsonValue | undefined): JsonValue | undefined => {
    if (typeof link !== 'string' || !URL.canParse(link)) return link;
    const { pathname, search } = new URL(link);
    return `${origin.replace(/\/+$/, '')}${pathname}${search}`;
  };
  return { ...page, next: moved(page['next']), previous: moved(page['previous']) };
}

/** The count stays: the service counted before the entries disappeared. */
function shrinkPage(page: JsonObject, shrink: ContentEffects['shrink']): JsonObject {
  const { results } = page;
  if (shrink === undefined || !isJsonArray(results)) return page;
  return { ...page, results: results.slice(0, Math.max(0, results.length - (shrink.by ?? 1))) };
}

function withExtra(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const { results } = body;
  const entries = isJsonArray(results)
    ? { results: results.map((entry) => (isJsonObject(entry) ? { ...extra, ...entry } : entry)) }
    : {};
  return { ...extra, ...body, ...entries };
}

const EDITOR: JsonObject = {
  id: 2,
  uuid: '018a0000-0000-7000-8000-0000000000e2',
  distinct_id: 'another-user',
  first_name: 'Another',
  email: 'another.user@example.org',
};

interface InjectedAnswer {
  readonly path: string;
  readonly answer: Answer;
  /** The error behind a 500. */
  readonly error?: unknown;
}

/** Sends the edit; a refusal is also an answer. */
function edit(effect: EditEffect, beside: ServiceRequest, options: AnsweringOptions): InjectedAnswer {
  const path = fillPath(effect, beside, options.context);
  const request: ServiceRequest = {
    method: effect.method,
    target: path,
    origin: beside.origin,
    authorization: 'Bearer another-user',
    contentType: 'application/json',
    body: Buffer.from(effect.body === undefined ? '' : stringifyJson(effect.body)),
  };
  try {
    const asEditor = { ...options, context: seenByEditor(options.context), apiKeys: undefined, checkRate: () => {} };
    return { path, answer: answer(request, asEditor) };
  } catch (error) {
    const refusal = answerFor(error);
    return { path, answer: refusal, ...(refusal.status === 500 && { error }) };
  }
}

/**
 * `{id}` is the id of the flag in the matched request, `{flag:KEY}` the id of the flag with that key; 0 where there is
 * no such flag.
 */
function fillPath({ path }: EditEffect, { target }: ServiceRequest, { store }: ServiceContext): string {
  const [, project = '', id = '0'] = /^\/api\/[^/]+\/([^/]+)(?:\/feature_flags\/(\d+))?/.exec(target) ?? [];
  const filled = path
    .replaceAll('{id}', id)
    .replaceAll(/\{flag:([^}]+)\}/g, (_whole, key: string) => String(store.flags.findByKey(project, key)?.id ?? 0));
  return `/api/projects/${project}/${filled}`;
}

/** The same store, but with every write in the name of the editor. */
function seenByEditor(context: ServiceContext): ServiceContext {
  const { store } = context;
  const { flags, activity } = store;
  const user = { first_name: EDITOR['first_name'], email: EDITOR['email'] };
  const signed = <F extends Pick<StoredFlag, 'fields'>>(flag: F, extra: JsonObject = {}): F => ({
    ...flag,
    fields: { ...flag.fields, last_modified_by: EDITOR, ...extra },
  });
  return {
    ...context,
    store: {
      ...store,
      flags: {
        ...flags,
        insert: (flag) => flags.insert(signed(flag, { created_by: EDITOR })),
        update: (flag) => flags.update(signed(flag)),
      },
      activity: { ...activity, add: (entry, of) => activity.add({ ...entry, user }, of) },
    },
  };
}

/** Throws `FlagwrightError('usage')` with the JSON pointer of the first problem. */
function readFaults(script: JsonValue): FaultScript {
  const [problem] = checkShape(validateFaults, script, NO_PLACES);
  if (problem !== undefined) throw refused(problem.path ?? '', describe(problem));
  const checked = script as unknown as FaultScript;
  checked.faults.forEach((rule, index) => checkRule(rule, `/faults/${index}`));
  return checked;
}

/** The script arrives as a value; only the caller that read it from a file knows its lines. */
const NO_PLACES = { place: { file: '', line: 1, column: 1 } };

function describe(problem: ShapeDiagnostic): string {
  const { message, remedy } = describeWith(SHAPE_WORDS, problem);
  return `${message} ${remedy}`;
}

function checkRule(rule: FaultRule, pointer: string): void {
  const excluding = (names: readonly (keyof FaultRule)[]): void => {
    const properties = names.filter((name) => rule[name] !== undefined);
    if (properties.length < 2) return;
    throw refused(pointer, describe({ code: 'combination-forbidden', severity: 'error', args: { properties } }));
  };
  excluding(ENDINGS);
  excluding(['count', 'for_ms']);
  if (EFFECTS.every((name) => rule[name] === undefined)) {
    throw refused(pointer, `The rule does nothing. Give it one of ${EFFECTS.join(', ')}.`);
  }
}

function refused(pointer: string, text: string): FlagwrightError {
  const place = pointer === '' ? 'the top level' : pointer;
  return new FlagwrightError('usage', `The fault script is invalid at ${place}: ${text}`, {
    remedy: `The members of a script: ${docsPage('faults')}`,
  });
}

/** The number of matching requests and the time of the first request since the rule became active, for each rule. */
type FaultHistory = readonly RuleHistory[];

interface RuleHistory {
  readonly matched: number;
  readonly since?: number;
}

export function newHistory(rules: readonly FaultRule[]): FaultHistory {
  return rules.map(() => ({ matched: 0 }));
}

/** The active rules, sorted as in the script. `now`: milliseconds since 1970. */
export function findActive(
  rules: readonly FaultRule[],
  history: FaultHistory,
  request: RequestLine & { readonly now: number },
): { readonly active: readonly FaultRule[]; readonly history: FaultHistory } {
  const active: FaultRule[] = [];
  const next = rules.map((rule, index) => {
    const before = history[index] ?? { matched: 0 };
    if (!fits(rule.match ?? {}, request)) return before;
    const after = { ...before, matched: before.matched + 1 };
    if (after.matched < (rule.from ?? 1)) return after;
    const { since = request.now } = before;
    if (isActive(rule, { ...after, since }, request.now)) active.push(rule);
    return { ...after, since };
  });
  return { active, history: next };
}

function fits({ operation, access, method, path }: FaultMatch, request: RequestLine): boolean {
  const asked = request.method === 'HEAD' ? 'GET' : request.method;
  if (method !== undefined && method !== asked) return false;
  if (access !== undefined && (access === 'read') !== (asked === 'GET')) return false;
  if (operation !== undefined && operation !== findOperationName(request)) return false;
  return path === undefined || picomatch.isMatch(withoutSlash(request.path), withoutSlash(path));
}

function isActive(rule: FaultRule, { matched, since }: Required<RuleHistory>, now: number): boolean {
  if (rule.for_ms !== undefined) return now - since < rule.for_ms;
  return matched - (rule.from ?? 1) < (rule.count ?? 1);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

interface RequestLine {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
}

const PROJECT = '/api/(?:projects|environments)/[^/]+';
const ORGANIZATION = '/api/organizations/[^/]+';
const FLAGS = `${PROJECT}/feature_flags`;
const COHORTS = `${PROJECT}/cohorts`;
const FEATURES = `${PROJECT}/early_access_feature`;
const ALERTS = `${PROJECT}/alerts`;

/** Method and path of each operation that a script can name. */
const OPERATIONS: readonly (readonly [name: string, method: string, path: RegExp])[] = [
  ['listFlags', 'GET', pathLike(FLAGS)],
  ['getFlag', 'GET', pathLike(`${FLAGS}/\\d+`)],
  ['createFlag', 'POST', pathLike(FLAGS)],
  ['updateFlag', 'PATCH', pathLike(`${FLAGS}/\\d+`)],
  ['disableFlag', 'POST', pathLike(`${FLAGS}/\\d+/disable`)],
  ['deleteFlag', 'DELETE', pathLike(`${FLAGS}/\\d+`)],
  ['listRoleAccess', 'GET', pathLike(`${FLAGS}/\\d+/role_access`)],
  ['createRoleAccess', 'POST', pathLike(`${FLAGS}/\\d+/role_access`)],
  ['getRoleAccess', 'GET', pathLike(`${FLAGS}/\\d+/role_access/\\d+`)],
  ['deleteRoleAccess', 'DELETE', pathLike(`${FLAGS}/\\d+/role_access/\\d+`)],
  ['getAccess', 'GET', pathLike(`${FLAGS}/\\d+/access_controls`)],
  ['setAccess', 'PUT', pathLike(`${FLAGS}/\\d+/access_controls`)],
  ['getAccessSettings', 'GET', pathLike(`${PROJECT}/access_control_management_settings`)],
  ['listDefaultAccess', 'GET', pathLike(`${PROJECT}/access_control_default_objects`)],
  ['listAccessOfRole', 'GET', pathLike(`${PROJECT}/access_control_role_objects`)],
  ['listAccessOfMember', 'GET', pathLike(`${PROJECT}/access_control_member_objects`)],
  ['getCurrentKey', 'GET', pathLike('/api/personal_api_keys/@current')],
  ['getProject', 'GET', pathLike(PROJECT)],
  ['getOrganization', 'GET', pathLike(ORGANIZATION)],
  ['listRoles', 'GET', pathLike(`${ORGANIZATION}/roles`)],
  ['listMembers', 'GET', pathLike(`${ORGANIZATION}/members`)],
  ['listCohorts', 'GET', pathLike(COHORTS)],
  ['getCohort', 'GET', pathLike(`${COHORTS}/\\d+`)],
  ['createCohort', 'POST', pathLike(COHORTS)],
  ['updateCohort', 'PATCH', pathLike(`${COHORTS}/\\d+`)],
  ['listEarlyAccessFeatures', 'GET', pathLike(FEATURES)],
  ['getEarlyAccessFeature', 'GET', pathLike(`${FEATURES}/[^/]+`)],
  ['createEarlyAccessFeature', 'POST', pathLike(FEATURES)],
  ['updateEarlyAccessFeature', 'PATCH', pathLike(`${FEATURES}/[^/]+`)],
  ['deleteEarlyAccessFeature', 'DELETE', pathLike(`${FEATURES}/[^/]+`)],
  ['listChangeRequests', 'GET', pathLike(`${PROJECT}/change_requests`)],
  ['listScheduledChanges', 'GET', pathLike(`${PROJECT}/scheduled_changes`)],
  ['listAlerts', 'GET', pathLike(ALERTS)],
  ['readAlert', 'GET', pathLike(`${ALERTS}/[^/]+`)],
  ['createAlert', 'POST', pathLike(ALERTS)],
  ['updateAlert', 'PATCH', pathLike(`${ALERTS}/[^/]+`)],
  ['deleteAlert', 'DELETE', pathLike(`${ALERTS}/[^/]+`)],
  ['evaluateFlag', 'POST', pathLike('/ofrep/v1/evaluate/flags/[^/]+')],
  ['evaluateFlags', 'POST', pathLike('/ofrep/v1/evaluate/flags')],
];

export const OPERATION_NAMES: readonly string[] = OPERATIONS.map(([name]) => name);

/** `undefined` for a request without such a name. */
export function findOperationName({ method, path }: RequestLine): string | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return OPERATIONS.find(([, itsMethod, itsPath]) => itsMethod === asked && itsPath.test(path))?.[0];
}

function pathLike(pattern: string): RegExp {
  return new RegExp(`^${pattern}/?$`);
}
