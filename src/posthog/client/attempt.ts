/** One attempt of a call: the request, its redirects, and the result. */

import { stringifyJson } from '../../base/json-text.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { headerText, type ServiceAnswer } from './answer.ts';
import type { BrokenOff } from './body-stream.ts';
import type { Clock, Patience } from './clock.ts';
import { mayHaveHappened } from './failure-table.ts';
import type { Failure } from './failure.ts';
import { isLogin } from './failure-words.ts';
import type { Emit } from './events.ts';
import type { Pace } from './pace.ts';
import { errorCode, type Redactor } from './redact.ts';
import type { DownloadSpec, RequestSpec } from './request-spec.ts';
import type { Transport, WireAnswer, WireResult, WireStream } from './transport.ts';

export interface AttemptContext {
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
}

export type Attempt<T> = AttemptSuccess<T> | AttemptFailure;

interface AttemptSuccess<T> {
  readonly ok: true;
  readonly value: T;
  /** Requests sent; more than one after redirects. */
  readonly requests: number;
}

export interface AttemptFailure {
  readonly ok: false;
  readonly failure: Failure;
  /** A write was sent, and the answer is no definite refusal. */
  readonly ambiguous: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: Error;
  readonly requests: number;
}

export type AnySpec = RequestSpec<unknown> | DownloadSpec;

/** A call, and how its result is read from the answer. */
export interface PreparedCall<T> {
  readonly spec: AnySpec;
  readonly understand: (wire: WireAnswer | WireStream) => ServiceAnswer<T>;
}

const MOST_REDIRECTS = 3;

export async function attemptOnce<T>(
  context: AttemptContext,
  call: PreparedCall<T>,
  patience: Patience,
): Promise<Attempt<T>> {
  const { spec } = call;
  let path = pathWithQuery(spec);
  const onBudget = (waitMs: number): void => context.emit({ kind: 'budget', operation: spec.operation, waitMs });
  for (let requests = 0; ;) {
    if (!(await context.pace.take(patience, onBudget))) {
      return { ok: false, failure: impatience(patience), ambiguous: false, requests };
    }
    requests += 1;
    const wire = await exchange(context, spec, path);
    const target = requests > MOST_REDIRECTS ? undefined : redirectTarget(context.origin + path, spec, wire);
    if (target === undefined) return { ...judge(context, call, wire), requests };
    path = target;
  }
}

function pathWithQuery(spec: AnySpec): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(spec.query ?? {})) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? spec.path : `${spec.path}?${query.toString()}`;
}

async function exchange(context: AttemptContext, spec: AnySpec, path: string): Promise<WireResult> {
  const { operation, method, body } = spec;
  const shownPath = context.redactor.text(path);
  context.emit({ kind: 'request', operation, method, path: shownPath });
  const clock = context.clock;
  const busyMs = (): number => clock.busyMs?.() ?? 0;
  const [sentAt, busyBefore] = [clock.now(), busyMs()];
  const watch = () => {
    const ms = clock.now() - sentAt;
    return { ms, waitedMs: Math.max(0, ms - (busyMs() - busyBefore)) };
  };
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
  context.emit({
    kind: 'response',
    operation,
    method,
    path: shownPath,
    ...(wire.kind === 'broken' ? {} : { status: wire.status, ...serviceTimeOf(wire) }),
    bytes: wire.kind === 'answer' ? wire.body.length : 0,
    ...watch(),
  });
  return wire;
}

function serviceTimeOf({ headers }: WireAnswer | WireStream): { readonly serviceTime?: number } {
  const serviceTime = Date.parse(headerText(headers, 'date') ?? '');
  return Number.isNaN(serviceTime) ? {} : { serviceTime };
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

type JudgedAnswer<T> = { readonly ok: true; readonly value: T } | Omit<AttemptFailure, 'requests'>;

function judge<T>(context: AttemptContext, { spec, understand }: PreparedCall<T>, wire: WireResult): JudgedAnswer<T> {
  const writes = spec.repeat !== 'freely';
  if (wire.kind === 'broken') {
    const { failure, cause } = describeBreak(context, wire);
    return {
      ok: false,
      failure,
      ambiguous: writes && wire.sent && mayHaveHappened(failure),
      ...defined({ cause }),
    };
  }
  const answer = understand(wire);
  return answer.ok ? answer : { ...answer, ambiguous: writes && mayHaveHappened(answer.failure) };
}

/** The failure of an exchange that broke off, without what libraries attach to their errors. */
export function describeBreak(
  context: AttemptContext,
  { reason, error }: BrokenOff,
): { readonly failure: Failure; readonly cause?: Error } {
  const failure = brokenFailure(context, { reason, error });
  return error === undefined ? { failure } : { failure, cause: context.redactor.error(error) };
}

function brokenFailure(context: AttemptContext, { reason, error }: BrokenOff): Failure {
  switch (reason) {
    case 'network':
      return { kind: 'network', code: context.redactor.text(errorCode(error) ?? 'unknown') };
    case 'timeout':
      return { kind: 'timeout', timeoutMs: context.timeoutMs };
    case 'too_large':
      return { kind: 'too_large', limitBytes: context.maxBodyBytes };
    case 'aborted':
      return abortFailure(context.signal);
  }
}

/** Why the wait for a request ended. */
export function impatience({ signal, stop }: Patience): Failure {
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
