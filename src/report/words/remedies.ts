/** What to do about a change that was not applied. */

import type { Outcome, OutcomeError, SkipReason, Parts } from '../../apply/result.ts';
import type { Asking } from '../../engine/change-request.ts';
import { changeRemedy } from '../../posthog/client/failure-table.ts';

/** Codes of the service that say more than the status. */
const BY_CODE: Readonly<Record<string, string>> = {
  unique:
    'Another flag has this key. Plan again: a listed flag is adopted. A flag that is not listed is archived, belongs to a survey, or is hidden from this API key.',
  conflict: 'Another user changed the flag in the meantime. Plan again to see what changed.',
  approval_required: 'Have the change request approved in the service, then plan again.',
  change_request_pending: 'A change request for this flag is open. Have it approved or withdrawn, then plan again.',
  policy_conflict:
    'Several approval policies of the service match this one write. Change the policies, or apply the change in parts.',
  name_shared: 'Run `flagwright plan`: it says which flags use each of them, and how to merge them.',
  does_not_exist:
    'The change refers to something that does not exist. Check the ids of roles and cohorts in flagwright.yaml.',
};

export function remedyOf(result: Exclude<Outcome, { outcome: 'applied' }>): string | undefined {
  switch (result.outcome) {
    case 'skipped':
      return skipRemedy(result.reason);
    case 'pending':
      return pendingRemedy(result);
    case 'failed':
    case 'unknown':
      return outcomeRemedy(result.error);
  }
}

/** The service of 2023 does not know conditions on flags and answers with this message and no code. */
const NO_FLAG_CONDITIONS = /can only (have|use) person and cohort/i;

export function outcomeRemedy(error: OutcomeError): string | undefined {
  if (error.field === 'filters' && NO_FLAG_CONDITIONS.test(error.message)) {
    return 'This service accepts neither conditions on other flags (type: flag) nor group conditions without aggregation. The embedded service accepts them with profile: posthog.';
  }
  return Object.hasOwn(BY_CODE, error.code) ? BY_CODE[error.code] : changeRemedy(error);
}

const BY_ASKING: Readonly<Record<Asking, string>> = {
  this_change: 'Once it is approved, the service makes the change by itself; the next plan no longer has it.',
  other_values:
    'Have it rejected or withdrawn, then apply again. If it is approved instead, the flag gets the values that it asks for.',
  other_resource: 'Have it approved, rejected or withdrawn, then apply again: nobody was asked to approve this change.',
  outdated_version: 'Have it rejected or withdrawn, then apply again.',
};

export function pendingRemedy({ error, request, parts }: Extract<Outcome, { outcome: 'pending' }>): string | undefined {
  if (request?.asks === 'this_change' && parts !== undefined && parts.unsent.length > 0) {
    return `Once it is approved, the service makes this part by itself. Then apply again: the rest is not requested yet.${declareActive(parts)}`;
  }
  return request?.asks === undefined ? outcomeRemedy(error) : BY_ASKING[request.asks];
}

/** A flag that exists already is only enabled where the manifests say so. */
function declareActive({ waiting, unsent }: Parts): string {
  const isCreate = waiting.includes('key') && unsent.includes('active');
  return isCreate ? ' That takes active: true in the manifests.' : '';
}

const RUN_AGAIN = 'Run the same command again; what was applied stays applied.';

/** A run whose journal failed has a remedy of its own; a change that waited for another has that change's remedy. */
const BY_REASON: { readonly [Code in SkipReason['code']]: string | undefined } = {
  stale: 'Plan again, review what changed, and apply the new plan.',
  interrupted: RUN_AGAIN,
  deadline: RUN_AGAIN,
  key_refused: 'Give the API key the permission, or use another one, and run `flagwright apply --resume`.',
  needs_failed: undefined,
  not_recorded: undefined,
};

export function skipRemedy(reason: SkipReason): string | undefined {
  return BY_REASON[reason.code];
}
