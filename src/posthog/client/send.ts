/** Completes a call: attempts within the pace, repeats where that is safe, and reports what is known when it fails. */

import type { LimitFunction } from 'p-limit';
import { defined } from '../../base/optional.ts';
import { readAnswer, readDownload } from './answer.ts';
import {
  attemptOnce,
  describeBreak,
  impatience,
  type AnySpec,
  type AttemptContext,
  type AttemptFailure,
  type PreparedCall,
} from './attempt.ts';
import { BrokenStream } from './body-stream.ts';
import { waitOut, type Patience } from './clock.ts';
import type { Failure } from './failure.ts';
import type { Callee } from './failure-words.ts';
import type { Download, DownloadSpec, RequestSpec, Send } from './request-spec.ts';
import { ServiceError } from './service-error.ts';
import type { WireAnswer, WireStream } from './transport.ts';
import { decideRetry, DEFAULT_ATTEMPTS, LONGEST_THROTTLE_MS, type RetryDecision, type RetryLimits } from './retry.ts';

export interface SendContext extends AttemptContext {
  /** Bounds the requests in flight, so that a pause still holds back those that wait for their turn. */
  readonly limit: LimitFunction;
  readonly random: () => number;
  /** No call is repeated. */
  readonly once: boolean;
  readonly callee: Callee;
  readonly counters: Counters;
}

/** Totals of a client so far. */
interface Counters {
  requests: number;
  retries: number;
}

export function createSend(context: SendContext): Send {
  const { redactor, clock } = context;
  return async <T>(spec: RequestSpec<T>): Promise<T> => {
    const { read } = spec;
    const call = newCall(context);
    const understand: PreparedCall<T>['understand'] = (wire) =>
      readAnswer(whole(wire), { read, redactor, now: clock.now() });
    const completed = await complete(context, { spec, understand }, call);
    // An earlier attempt removed it, but its answer was lost.
    return completed.kind === 'gone' ? read(undefined, GONE) : completed.value;
  };
}

/** The status of a removal. */
const GONE = 204;

export function createDownload(context: SendContext): Download {
  return async function* (spec: DownloadSpec): AsyncGenerator<Uint8Array, void, undefined> {
    const { redactor, clock } = context;
    const call = newCall(context);
    const understand: PreparedCall<AsyncIterable<Uint8Array>>['understand'] = (wire) =>
      readDownload(wire, { accept: spec.accept, redactor, now: clock.now() });
    const completed = await complete(context, { spec, understand }, call);
    if (completed.kind === 'gone') return;
    try {
      yield* completed.value;
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      throw createError(context, spec, { call, attempt: describeBreak(context, error.why) });
    }
  };
}

function whole(wire: WireAnswer | WireStream): WireAnswer {
  if (wire.kind === 'stream') throw new Error('only downloads are streamed');
  return wire;
}

function newCall({ clock }: SendContext): CallState {
  return { beganAt: clock.now(), requests: 0, failures: 0, throttles: 0, ambiguous: false };
}

type Completed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'gone' };

async function complete<T>(context: SendContext, prepared: PreparedCall<T>, call: CallState): Promise<Completed<T>> {
  const { spec } = prepared;
  for (;;) {
    const attempt = await context.limit(() => attemptOnce(context, prepared, choosePatience(context, spec, call)));
    call.requests += attempt.requests;
    context.counters.requests += attempt.requests;
    if (attempt.ok) return { kind: 'done', value: attempt.value };
    if (spec.repeat === 'until_gone' && call.ambiguous && isSaidToBeGone(attempt)) return { kind: 'gone' };
    call.ambiguous ||= attempt.ambiguous;
    if (attempt.failure.kind === 'rate_limited') call.throttles += 1;
    else call.failures += 1;
    const decision = decideRetry(
      {
        failure: attempt.failure,
        repeat: spec.repeat,
        ambiguous: attempt.ambiguous,
        failures: call.failures,
        throttles: call.throttles,
        elapsedMs: context.clock.now() - call.beganAt,
        retryAfterMs: attempt.retryAfterMs,
      },
      limitsOf(context),
      context.random,
    );
    if (decision.kind === 'give_up') throw createError(context, spec, { call, attempt });
    call.last = attempt.failure;
    context.counters.retries += 1;
    if (!(await holdBack(context, spec, { call, attempt, decision }))) {
      throw createError(context, spec, { call, attempt: { failure: impatience(choosePatience(context, spec, call)) } });
    }
  }
}

/** Recognizes a 404 with the service's own detail: the page of a proxy tells nothing about the service. */
function isSaidToBeGone({ failure }: AttemptFailure): boolean {
  return failure.kind === 'not_found' && failure.detail !== null;
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

interface Failed {
  readonly call: CallState;
  readonly attempt: AttemptFailure;
}

function limitsOf({ once, signal }: SendContext): RetryLimits {
  if (once) return { attempts: 1, throttledMs: 0 };
  // A signal lets the caller decide how long is too long.
  return { attempts: DEFAULT_ATTEMPTS, throttledMs: signal === undefined ? LONGEST_THROTTLE_MS : Infinity };
}

interface WaitingRetry extends Failed {
  readonly decision: Exclude<RetryDecision, { readonly kind: 'give_up' }>;
}

/** Whether the call may continue. A pause holds back every call, and the next attempt waits for its end. */
async function holdBack(
  context: SendContext,
  spec: AnySpec,
  { call, attempt, decision }: WaitingRetry,
): Promise<boolean> {
  const { operation } = spec;
  switch (decision.kind) {
    case 'pause':
      context.emit({ kind: 'pause', operation, waitMs: decision.ms });
      context.pace.pause(decision.ms);
      return true;
    case 'wait':
      context.emit({
        kind: 'retry',
        operation,
        failure: attempt.failure.kind,
        why: attempt.failure,
        attempt: call.failures + 1,
        attempts: DEFAULT_ATTEMPTS,
        waitMs: decision.ms,
      });
      return waitOut(context.clock, decision.ms, choosePatience(context, spec, call));
  }
}

interface Ended {
  readonly call: CallState;
  readonly attempt: Pick<AttemptFailure, 'failure' | 'cause'>;
}

function createError({ callee }: SendContext, spec: AnySpec, { call, attempt }: Ended): ServiceError {
  return new ServiceError({
    failure: attempt.failure,
    operation: spec.operation,
    method: spec.method,
    path: spec.path,
    attempts: call.requests,
    mayHaveHappened: call.ambiguous,
    callee,
    ...defined({ cause: attempt.cause, last: attempt.failure.kind === 'aborted' ? call.last : undefined }),
  });
}
