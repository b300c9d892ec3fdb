/**
 * Completes a call: attempts within the pace, each with its redirects, repeats where that is safe, and reports what is known when it fails.
 */

import type { LimitFunction } from 'p-limit';
import { FlagwrightError } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { headerText, readAnswer, readDownload, type ServiceAnswer, errorCode, type Redactor } from './answer.ts';
import { waitOut, type Clock, type Patience, type Pace } from './pace.ts';
import type { Emit } from './events.ts';
import { mayHaveHappened, isOutage, isRetried, isLogin, type Callee } from './failure-table.ts';
import { ServiceError } from './service-error.ts';
import { type Failure, type FailureOf } from './failure.ts';
import type { Download, DownloadSpec, Repeat, RequestSpec, Send } from './request-spec.ts';
import { ProxyRefusal } from './proxies.ts';
import {
  BrokenStream,
  type BrokenOff,
  type Transport,
  type WireAnswer,
  type WireResult,
  type WireStream,
} from './transport.ts';

export interface SendContext {
  readonly transport: Transport;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal;
  /** Once aborted, no new work starts; running work may finish. */
  readonly stop?: AbortSignal;
  readonly emit: Emit;
  /** Bounds the requests in flight, so that a pause still holds back those that wait for their turn. */
  readonly limit: LimitFunction;
  readonly random: () => number;
  /** No call is repeated. */
  readonly once: boolean;
  /** Reads wait for the end of an outage too, as writes do. */
  readonly urgent: boolean;
  readonly callee: Callee;
  /** Milliseconds until `stop` aborts by itself; absent or not positive: nothing is known. */
  readonly leftMs?: () => number;
  /** Totals of a client so far. */
  readonly counters: { requests: number; retries: number };
}

export function createSend(context: SendContext): Send {
  const { redactor, clock } = context;
  return async <T>(spec: RequestSpec<T>): Promise<T> => {
    const { read } = spec;
    const understand: Understand<T> = (wire) => {
      if (wire.kind === 'stream') throw new Error('only downloads are streamed');
      return readAnswer(wire, { read, redactor, now: clock.now() });
    };
    const completed = await complete(context, { spec, understand }, newCall(context));
    // An earlier attempt removed it, but its answer was lost: a removal is answered with 204.
    return completed === GONE ? read(undefined, 204) : completed.value;
  };
}

export function createDownload(context: SendContext): Download {
  return async function* (spec: DownloadSpec): AsyncGenerator<Uint8Array, void, undefined> {
    const { redactor, clock } = context;
    const call = newCall(context);
    const understand: Understand<AsyncIterable<Uint8Array>> = (wire) =>
      readDownload(wire, { accept: spec.accept, redactor, now: clock.now() });
    const completed = await complete(context, { spec, understand }, call);
    if (completed === GONE) return;
    try {
      yield* completed.value;
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      throw createError(context, spec, { call, attempt: describeBreak(context, error.why) });
    }
  };
}

function newCall({ clock }: SendContext): CallState {
  return { beganAt: clock.now(), requests: 0, failures: 0, throttles: 0, ambiguous: false };
}

/** What the call removes is gone already. */
const GONE = 'gone';

async function complete<T>(
  context: SendContext,
  prepared: PreparedCall<T>,
  call: CallState,
): Promise<AttemptSuccess<T> | typeof GONE> {
  const { spec } = prepared;
  const { once, urgent, signal, clock, counters, random } = context;
  // A signal lets the caller decide how long is too long.
  const throttledMs = once ? 0 : signal === undefined ? LONGEST_THROTTLE_MS : Infinity;
  for (;;) {
    const attempt = await context.limit(() => attemptOnce(context, prepared, choosePatience(context, spec, call)));
    call.requests += attempt.requests;
    counters.requests += attempt.requests;
    if (attempt.ok) return attempt;
    const { failure, ambiguous, retryAfterMs } = attempt;
    // The pace is closed.
    if (failure.kind === 'rate_limited' && failure.until !== undefined)
      throw createError(context, spec, { call, attempt });
    // A 404 has the service's own detail: the page of a proxy tells nothing about the service.
    const isConfirmedGone = failure.kind === 'not_found' && failure.detail !== null;
    if (spec.repeat === 'until_gone' && call.ambiguous && isConfirmedGone) return GONE;
    call.ambiguous ||= ambiguous;
    if (failure.kind === 'rate_limited') call.throttles += 1;
    else call.failures += 1;
    const { failures, throttles } = call;
    const elapsedMs = clock.now() - call.beganAt;
    const failed = { failure, repeat: spec.repeat, ambiguous, failures, throttles, elapsedMs, retryAfterMs };
    const waits = isOutage(failure) && (urgent || spec.repeat !== 'freely');
    const attempts = once ? 1 : waits ? OUTAGE_ATTEMPTS : DEFAULT_ATTEMPTS;
    const decision = decideRetry(failed, { attempts, throttledMs, pauseMs: longestPauseMs(context) }, random);
    if (decision.kind === 'give_up') throw createError(context, spec, { call, attempt });
    if (decision.kind === 'close') {
      const until = Math.ceil(clock.now() + decision.ms);
      context.pace.close(until);
      throw createError(context, spec, { call, attempt: { failure: { ...decision.failure, until } } });
    }
    call.last = failure;
    counters.retries += 1;
    const { operation } = spec;
    const waitMs = decision.ms;
    if (decision.kind === 'pause') {
      // It holds back every call, and the next attempt waits for its end.
      context.emit({ kind: 'pause', operation, waitMs });
      context.pace.pause(waitMs);
      continue;
    }
    const about = { failure: failure.kind, why: failure, attempt: failures + 1, attempts };
    context.emit({ kind: 'retry', operation, ...about, waitMs });
    const patience = choosePatience(context, spec, call);
    if (!(await waitOut(clock, waitMs, patience))) {
      throw createError(context, spec, { call, attempt: { failure: impatience(patience) } });
    }
  }
}

/** No pause goes on after the deadline, so one that would is not begun. */
function longestPauseMs({ leftMs }: SendContext): number {
  const left = leftMs?.() ?? 0;
  return left > 0 ? Math.min(left, LONGEST_ASKED_PAUSE_MS) : LONGEST_ASKED_PAUSE_MS;
}

/** Waits before a write is sent again that a look-up did not find. `false`: it has been sent often enough, or the run stops. */
export async function waitToRepeat(
  { clock, random, emit, stop, signal }: SendContext,
  { failure, operation }: ServiceError,
  sent: number,
): Promise<boolean> {
  const attempts = isOutage(failure) ? OUTAGE_ATTEMPTS : WRITE_ATTEMPTS;
  if (sent >= attempts) return false;
  const waitMs = backoffMs(sent, LONGEST_DELAY_MS, random);
  emit({ kind: 'retry', operation, failure: failure.kind, why: failure, attempt: sent + 1, attempts, waitMs });
  return waitOut(clock, waitMs, { signal: stop ?? signal });
}

/** Reads continue while a run stops, since they look up the outcome of a write; so does a write that was sent. */
function choosePatience({ signal, stop }: SendContext, { repeat }: AnySpec, { ambiguous }: CallState): Patience {
  return repeat === 'freely' || ambiguous ? { signal, stop } : { signal: stop ?? signal };
}

interface CallState {
  readonly beganAt: number;
  requests: number;
  /** Attempts that failed for another reason than 429. */
  failures: number;
  throttles: number;
  /** The failure of the latest attempt that is repeated. */
  last?: Failure;
  /** The service may have executed one of the attempts. */
  ambiguous: boolean;
}

function createError(
  { callee, transport }: SendContext,
  { operation, method, path }: AnySpec,
  { call, attempt }: { call: CallState; attempt: Pick<AttemptFailure, 'failure' | 'cause'> },
): ServiceError {
  return new ServiceError({
    failure: attempt.failure,
    operation,
    method,
    path,
    attempts: call.requests,
    mayHaveHappened: call.ambiguous,
    callee: { ...callee, ...defined({ proxy: transport.proxy() }) },
    ...defined({ cause: attempt.cause, last: attempt.failure.kind === 'aborted' ? call.last : undefined }),
  });
}

interface AttemptSuccess<T> {
  readonly ok: true;
  readonly value: T;
  /** Requests sent; more than one after redirects. */
  readonly requests: number;
}

interface AttemptFailure {
  readonly ok: false;
  readonly failure: Failure;
  /** A write was sent, and the answer is no definite refusal. */
  readonly ambiguous: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: Error;
  readonly requests: number;
}

type AnySpec = RequestSpec<unknown> | DownloadSpec;

/** How the result of a call is read from the answer. */
type Understand<T> = (wire: WireAnswer | WireStream) => ServiceAnswer<T>;

interface PreparedCall<T> {
  readonly spec: AnySpec;
  readonly understand: Understand<T>;
}

const MOST_REDIRECTS = 3;

async function attemptOnce<T>(
  context: SendContext,
  call: PreparedCall<T>,
  patience: Patience,
): Promise<AttemptSuccess<T> | AttemptFailure> {
  const { spec } = call;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(spec.query ?? {})) if (value !== undefined) query.set(name, String(value));
  let path = query.size === 0 ? spec.path : `${spec.path}?${query.toString()}`;
  const onBudget = (waitMs: number): void => context.emit({ kind: 'budget', operation: spec.operation, waitMs });
  for (let requests = 0; ;) {
    if (!(await context.pace.take(patience, onBudget))) {
      const until = patience.signal?.aborted || patience.stop?.aborted ? undefined : context.pace.closedUntil();
      const failure: Failure =
        until === undefined ? impatience(patience) : { kind: 'rate_limited', detail: null, until };
      return { ok: false, failure, ambiguous: false, requests };
    }
    requests += 1;
    const wire = await exchange(context, spec, path);
    const target = requests > MOST_REDIRECTS ? undefined : redirectTarget(context.origin + path, spec, wire);
    if (target === undefined) return { ...judge(context, call, wire), requests };
    path = target;
  }
}

async function exchange(context: SendContext, spec: AnySpec, path: string): Promise<WireResult> {
  const { operation, method, body } = spec;
  const shownPath = context.redactor.text(path);
  context.emit({ kind: 'request', operation, method, path: shownPath });
  const { clock } = context;
  const busyMs = (): number => clock.busyMs?.() ?? 0;
  const [sentAt, busyBefore] = [clock.now(), busyMs()];
  const wire = await context.transport.exchange({
    method,
    path,
    headers: {
      ...context.headers,
      ...('accept' in spec ? { accept: spec.accept } : {}),
      ...(spec.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: stringifyJson(body) }),
    timeoutMs: context.timeoutMs,
    maxBodyBytes: context.maxBodyBytes,
    streams: 'accept' in spec,
    ...defined({ signal: context.signal }),
  });
  const ms = clock.now() - sentAt;
  const serviceTime = wire.kind === 'broken' ? Number.NaN : Date.parse(headerText(wire.headers, 'date') ?? '');
  context.emit({
    kind: 'response',
    operation,
    method,
    path: shownPath,
    ...(wire.kind === 'broken' ? {} : { status: wire.status }),
    ...(Number.isNaN(serviceTime) ? {} : { serviceTime }),
    bytes: wire.kind === 'answer' ? wire.body.length : 0,
    ms,
    waitedMs: Math.max(0, ms - (busyMs() - busyBefore)),
  });
  return wire;
}

/** Path and query of a redirect that is followed: of a read, within the origin, to no login. The key is sent nowhere else. */
function redirectTarget(from: string, spec: AnySpec, wire: WireResult): string | undefined {
  if (wire.kind === 'broken' || spec.method !== 'GET' || ![301, 302, 303, 307, 308].includes(wire.status)) {
    return undefined;
  }
  const location = headerText(wire.headers, 'location');
  if (location === undefined || isLogin(location) || !URL.canParse(location, from)) return undefined;
  const url = new URL(location, from);
  return url.origin === new URL(from).origin ? url.pathname + url.search : undefined;
}

function judge<T>(
  context: SendContext,
  { spec, understand }: PreparedCall<T>,
  wire: WireResult,
): Omit<AttemptSuccess<T>, 'requests'> | Omit<AttemptFailure, 'requests'> {
  const writes = spec.repeat !== 'freely';
  if (wire.kind === 'broken') {
    const broken = describeBreak(context, wire);
    return { ok: false, ...broken, ambiguous: writes && wire.sent && mayHaveHappened(broken.failure) };
  }
  const answer = understand(wire);
  return answer.ok ? answer : { ...answer, ambiguous: writes && mayHaveHappened(answer.failure) };
}

/** The failure of an exchange that broke off, without what libraries attach to their errors. */
function describeBreak(
  { redactor, timeoutMs, maxBodyBytes, signal }: SendContext,
  { reason, error }: BrokenOff,
): { readonly failure: Failure; readonly cause?: Error } {
  const failures: Readonly<Record<BrokenOff['reason'], () => Failure>> = {
    network: () =>
      error instanceof ProxyRefusal
        ? { kind: 'proxy', status: error.status }
        : { kind: 'network', code: redactor.text(errorCode(error) ?? 'unknown') },
    timeout: () => ({ kind: 'timeout', timeoutMs }),
    too_large: () => ({ kind: 'too_large', limitBytes: maxBodyBytes }),
    aborted: () => abortFailure(signal),
  };
  return { failure: failures[reason](), ...(error === undefined ? {} : { cause: redactor.error(error) }) };
}

/** Why the wait for a request ended. */
function impatience({ signal, stop }: Patience): Failure {
  return abortFailure(signal?.aborted ? signal : stop);
}

function abortFailure(signal: AbortSignal | undefined): Failure {
  const reason: unknown = signal?.reason;
  const deadline =
    reason instanceof FlagwrightError
      ? reason.code === 'deadline'
      : reason instanceof Error && reason.name === 'TimeoutError';
  return { kind: 'aborted', code: deadline ? 'deadline' : 'interrupted' };
}

export interface FailedAttempt {
  readonly failure: Failure;
  readonly repeat: Repeat;
  /** The request was sent, and the answer is no definite refusal. */
  readonly ambiguous: boolean;
  /** Failures of this call so far, including this one, without answers 429. */
  readonly failures: number;
  /** The number of answers 429 to this call, including this one. */
  readonly throttles: number;
  /** The time since the start of the call. */
  readonly elapsedMs: number;
  /** The wait in the answer (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
}

/**
 * `attempts`: the most that may fail for another reason than 429. `throttledMs`: the longest wait of the call after 429. `pauseMs`: the
 * longest single one that the service may ask for.
 */
interface RetryLimits {
  readonly attempts: number;
  readonly throttledMs: number;
  readonly pauseMs: number;
}

type RetryDecision =
  | { readonly kind: 'give_up' }
  /** The call waits alone. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Every call of the client waits. */
  | { readonly kind: 'pause'; readonly ms: number }
  /** The service refuses every call for longer than any waits. */
  | { readonly kind: 'close'; readonly ms: number; readonly failure: FailureOf<'rate_limited'> };

const DEFAULT_ATTEMPTS = 5;
/** The most times that a write is sent if no look-up finds it. */
const WRITE_ATTEMPTS = 3;
/** With their waits 12 to 24 s, 18 s on average: a restart of the service takes seconds. */
const OUTAGE_ATTEMPTS = 10;
const LONGEST_THROTTLE_MS: number = 30 * 60_000;

const BASE_DELAY_MS = 250;
const LONGEST_DELAY_MS = 4000;
/** After 429 without a time. */
const LONGEST_PAUSE_MS = 10_000;
/** The longest that a 429 can ask for: the service counts by the hour, so a longer one is no budget that fills up again. */
const LONGEST_ASKED_PAUSE_MS: number = 60 * 60_000;
/** The longest wait that a 503 can ask for. */
const LONGEST_ASKED_MS = 60_000;

export function decideRetry(attempt: FailedAttempt, limits: RetryLimits, random: () => number): RetryDecision {
  if (attempt.failure.kind === 'rate_limited') {
    // The service did not execute a request that it answered with 429, so any request is repeated.
    const paused = attempt.retryAfterMs ?? 0;
    const ms = paused > 0 ? paused : backoffMs(attempt.throttles, LONGEST_PAUSE_MS, random);
    if (attempt.elapsedMs + ms > limits.throttledMs) return { kind: 'give_up' };
    return paused > limits.pauseMs ? { kind: 'close', ms, failure: attempt.failure } : { kind: 'pause', ms };
  }
  if (!isRetried(attempt.failure) || attempt.failures >= limits.attempts) return { kind: 'give_up' };
  if (attempt.ambiguous && attempt.repeat === 'unless_sent') return { kind: 'give_up' };
  const asked = Math.min(attempt.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return { kind: 'wait', ms: Math.max(asked, backoffMs(attempt.failures, LONGEST_DELAY_MS, random)) };
}

/** Doubles with each failure up to a limit; half of it is random. */
function backoffMs(failures: number, limitMs: number, random: () => number): number {
  const longest = Math.min(limitMs, BASE_DELAY_MS * 2 ** (failures - 1));
  return longest * (0.5 + random() / 2);
}
