/** The outcome of a change whose write failed: failed, pending approval, skipped or unknown. */

import { FlagwrightError } from '../base/errors.ts';
import { defined } from '../base/optional.ts';
import { ServiceError } from '../posthog/client/errors.ts';
import { mayStillHappen, statusOf } from '../posthog/client/failure-table.ts';
import type { Failure } from '../posthog/client/failure.ts';
import { NotRecordedError } from './recorder.ts';
import type { Outcome, OutcomeError } from './result.ts';

/** Codes of a 409 that asks for approval and is no conflict (docs/service.md, "Approval gate"). */
const APPROVAL_CODES: ReadonlySet<string> = new Set(['approval_required', 'change_request_pending']);

/**
 * For an error after which nothing can have happened, or whose look-up failed too. A bug of ours becomes an outcome too,
 * since throwing it would lose all other outcomes.
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
 * For attempts at one write, each followed by a look-up that did not find it: the write failed, unless the service may
 * still execute one of them.
 */
export function outcomeOfAttempts(all: readonly unknown[]): Outcome {
  const sent = all.filter((error) => !(error instanceof NotRecordedError));
  // An attempt that was not sent says nothing about the earlier ones.
  const errors = sent.length === 0 ? all : sent;
  const outcome = outcomeOfError(errors.at(-1));
  const late = errors.find(mayComeLate);
  if (late !== undefined && outcome.outcome !== 'pending') return outcomeOfError(late);
  return outcome.outcome === 'unknown' ? { outcome: 'failed', error: outcome.error } : outcome;
}

/**
 * For a change that a look-up after these attempts found in effect: ours if the service may have executed one of them,
 * another user's if it refused each.
 */
export function outcomeOfEffect(id: number, errors: readonly unknown[]): Outcome {
  return errors.some(isUncertain) ? { outcome: 'applied', id } : { outcome: 'applied', id, already: true };
}

/** Any other error is a bug of ours, after which the write may still happen. */
function mayComeLate(error: unknown): boolean {
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
    ...defined({ status }),
    ...(failure.kind === 'validation' && failure.attr !== null ? { field: failure.attr } : {}),
  };
}

/** The service's own code where it gave one, otherwise the kind of failure. */
function codeOf(failure: Failure): string {
  return 'code' in failure && failure.code !== null ? failure.code : failure.kind;
}
