/** What a failed call means for its change: refused, stale, pending approval, interrupted, or unknown. */

import { FlagwrightError } from '../base/errors.ts';
import { ServiceError } from '../posthog/client/errors.ts';
import { mayStillHappen, statusOf } from '../posthog/client/failure-table.ts';
import type { Failure } from '../posthog/client/failure.ts';
import { NotRecordedError } from './recorder.ts';
import type { Outcome, OutcomeError } from './result.ts';

/** Codes of a 409 that asks for approval instead of telling of a conflict (docs/service.md, "Approval gate"). */
const APPROVAL_CODES: ReadonlySet<string> = new Set(['approval_required', 'change_request_pending']);

/**
 * For an error after which nothing can have happened, or whose look-up failed too. A bug of ours makes an outcome as
 * well, since throwing it on would lose all others.
 */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof NotRecordedError) return { outcome: 'skipped', reason: { code: 'not_recorded' } };
  if (error instanceof FlagwrightError) {
    return { outcome: 'failed', error: { code: error.code, message: error.message } };
  }
  if (!(error instanceof ServiceError)) {
    return {
      outcome: 'unknown',
      error: { code: 'internal', message: error instanceof Error ? error.message : String(error) },
    };
  }
  const { failure } = error;
  if (error.mayHaveHappened) return { outcome: 'unknown', error: describe(error) };
  if (failure.kind === 'aborted') return { outcome: 'skipped', reason: { code: failure.code } };
  if (isApproval(failure)) return { outcome: 'pending', error: describe(error) };
  return { outcome: 'failed', error: describe(error) };
}

/**
 * For attempts at one write of which the last failed, each looked up afterwards and not found: it failed, unless one of
 * them may still be carried out.
 */
export function outcomeOfAttempts(all: readonly unknown[]): Outcome {
  const sent = all.filter((error) => !(error instanceof NotRecordedError));
  // An attempt that was not sent says nothing about those before it.
  const errors = sent.length === 0 ? all : sent;
  const outcome = outcomeOfError(errors.at(-1));
  const late = errors.find(isPending);
  if (late !== undefined && outcome.outcome !== 'pending') return outcomeOfError(late);
  return outcome.outcome === 'unknown' ? { outcome: 'failed', error: outcome.error } : outcome;
}

/**
 * For a change that a look-up after these attempts found in effect: ours where one of them may have been carried out,
 * somebody else's where the service refused each.
 */
export function outcomeOfEffect(id: number, errors: readonly unknown[]): Outcome {
  return errors.some(isUncertain) ? { outcome: 'applied', id } : { outcome: 'applied', id, already: true };
}

/** An error that the client did not make is a bug of ours: nothing is known of what it left behind. */
function isPending(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return !(error instanceof FlagwrightError);
  return error.mayHaveHappened && mayStillHappen(error.failure);
}

export function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && error.failure.kind === 'conflict' && !isApproval(error.failure);
}

export function isUncertain(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.mayHaveHappened;
}

export function isKeyTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.failure.kind === 'validation' && error.failure.code === 'unique';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.failure.kind === 'not_found';
}

function isApproval(failure: Failure): boolean {
  return failure.kind === 'conflict' && failure.code !== null && APPROVAL_CODES.has(failure.code);
}

function describe(error: ServiceError): OutcomeError {
  const { failure } = error;
  const status = statusOf(failure);
  return {
    code: codeOf(failure),
    message: error.said,
    ...(status === undefined ? {} : { status }),
    ...(failure.kind === 'validation' && failure.attr !== null ? { field: failure.attr } : {}),
  };
}

/** The service's own code where it gave one, otherwise the kind of failure. */
function codeOf(failure: Failure): string {
  return 'code' in failure && failure.code !== null ? failure.code : failure.kind;
}
