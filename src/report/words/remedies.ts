/** What to do about a change that was not applied. */

import type { OutcomeError, SkipReason } from '../../apply/result.ts';
import { changeRemedy } from '../../posthog/client/failure-table.ts';

/** Codes of the service that say more than the status. */
const BY_CODE: Readonly<Record<string, string>> = {
  unique:
    'Another flag has this key. Plan again: a listed flag is adopted. A flag that is not listed is archived, belongs to a survey, or is hidden from this API key.',
  conflict: 'Another user changed the flag in the meantime. Plan again to see what changed.',
  approval_required: 'Have the change request approved in the service, then plan again.',
  change_request_pending: 'A change request for this flag is open. Have it approved or withdrawn, then plan again.',
  does_not_exist:
    'The change refers to something that does not exist. Check the ids of roles and cohorts in flagwright.yaml.',
};

/** The service of 2023 does not know conditions on flags and answers with this message and no code. */
const NO_FLAG_CONDITIONS = /can only (have|use) person and cohort/i;

export function outcomeRemedy(error: OutcomeError): string | undefined {
  if (error.field === 'filters' && NO_FLAG_CONDITIONS.test(error.message)) {
    return 'This service accepts neither conditions on other flags (type: flag) nor group conditions without aggregation. The embedded service accepts them with profile: posthog.';
  }
  return Object.hasOwn(BY_CODE, error.code) ? BY_CODE[error.code] : changeRemedy(error);
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
