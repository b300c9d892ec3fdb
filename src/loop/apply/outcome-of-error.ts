/** The outcome of a change whose write failed: failed, pending approval, skipped or unknown. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { ChangeRequest } from '../../core/engine/change-request.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { type Failure, type FailureOf } from '../../posthog/client/failure.ts';
import { mayStillHappen, statusOf } from '../../posthog/client/failure-table.ts';
import { NotRecordedError } from './recorder.ts';
import type { Outcome, OutcomeError, PendingRequest } from './result.ts';

/** The code of a 409 after which an earlier write's change request is still open. */
const STILL_OPEN = 'change_request_pending';

const POLICY_CONFLICT = 'policy_conflict';

/** Codes of a 409 that asks for approval and does not mean a conflict (docs/service/approvals.md). */
const APPROVAL_CODES: ReadonlySet<string> = new Set(['approval_required', STILL_OPEN]);

/**
 * The outcome of an error after which nothing can have happened, or whose look-up failed too. A bug of ours becomes an outcome too, since
 * throwing it would lose all other outcomes.
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
  if (isApproval(failure)) return { outcome: 'pending', error: describe(error), ...requestOf(failure) };
  return { outcome: 'failed', error: describe(error) };
}

/**
 * The outcome of attempts at one write, each followed by a look-up that did not find it: failed, unless the service may still execute one
 * of them.
 */
export function outcomeOfAttempts(all: readonly unknown[]): Outcome {
  const sent = all.filter((error) => !(error instanceof NotRecordedError));
  // An attempt that was not sent tells nothing about the earlier ones.
  const errors = sent.length === 0 ? all : sent;
  const outcome = outcomeOfError(errors.at(-1));
  const late = errors.find(mayComeLate);
  if (late !== undefined && outcome.outcome !== 'pending') return outcomeOfError(late);
  return outcome.outcome === 'unknown' ? { outcome: 'failed', error: outcome.error } : outcome;
}

/**
 * The outcome of a change that a look-up after these attempts found in effect: this run made it if the service may have executed one of
 * them; another user made it if the service refused them all.
 */
export function outcomeOfEffect(id: ResourceId, errors: readonly unknown[]): Outcome {
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

/**
 * 400: the write needs several approvals, and the service takes one at a time. Until September 2026 its error handler moved the
 * code to the detail. (docs/service/approvals.md)
 */
export function needsSeveralApprovals(error: unknown): boolean {
  return error instanceof ServiceError && isPolicyConflict(error.failure);
}

function isPolicyConflict(failure: Failure): boolean {
  if (failure.kind !== 'validation') return false;
  return failure.code === POLICY_CONFLICT || (failure.attr === 'code' && failure.detail === POLICY_CONFLICT);
}

export function isUncertain(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.mayHaveHappened;
}

export function isKeyTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.failure.kind === 'validation' && error.failure.code === 'unique';
}

/** The change request that the service names in its refusal. */
export function requestIn(error: unknown): ChangeRequest | undefined {
  const failure = error instanceof ServiceError ? error.failure : undefined;
  return failure !== undefined && isApproval(failure) ? failure.changeRequest : undefined;
}

function requestOf({ code, changeRequest }: FailureOf<'conflict'>): { readonly request?: PendingRequest } {
  if (changeRequest === undefined) return {};
  const { id, action, key } = changeRequest;
  const wasOpen = code === STILL_OPEN;
  return { request: { id, ...defined({ action, key }), wasOpen, ...(wasOpen ? {} : { asks: 'this_change' }) } };
}

function isApproval(failure: Failure): failure is FailureOf<'conflict'> {
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
  if (isPolicyConflict(failure)) return POLICY_CONFLICT;
  return 'code' in failure && failure.code !== null ? failure.code : failure.kind;
}
