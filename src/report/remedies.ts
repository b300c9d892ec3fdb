/** What a person can do about a failed change, by the code or status that came with it. */

import type { OutcomeError, SkipReason } from '../apply/result.ts';

const BY_CODE: Readonly<Record<string, string>> = {
  unique:
    'Another flag holds this key. Plan again: a flag that is listed is adopted; one that is not is archived, made for a survey, or hidden from this API key.',
  conflict: 'Somebody changed the flag meanwhile. Plan again to see what moved.',
  approval_required: 'Have the change request approved in the service, then plan again.',
  change_request_pending: 'A change request for this flag is open. Have it approved or withdrawn, then plan again.',
  does_not_exist:
    'The service does not know what the change refers to. Check ids of roles and cohorts in flagwright.yaml.',
  network: 'Check the network and the host, then run the same command again; what was applied stays applied.',
  timeout: 'Run the same command again; what was applied stays applied.',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'The API key was not accepted. Check that the variable holds a personal API key that is still valid.',
  403: 'The API key may not do this. It needs the scope feature_flag:write and edit rights on this flag.',
  404: 'It is gone from the service. Plan again.',
  409: 'Somebody changed the flag, or a change request is open for it. Plan again to see what moved.',
  429: 'The request budget is spent. Run again later, or allow more time with --deadline.',
};

/** The service of 2023 knows no conditions on flags and has no code for that, only this text. */
const NO_FLAG_CONDITIONS = /can only (have|use) person and cohort/i;

export function outcomeRemedy(error: OutcomeError): string | undefined {
  if (error.field === 'filters' && NO_FLAG_CONDITIONS.test(error.message)) {
    return 'This service takes no conditions on other flags (type: flag), nor on groups without aggregation. The embedded service takes them with profile: posthog.';
  }
  if (Object.hasOwn(BY_CODE, error.code)) return BY_CODE[error.code];
  if (error.status === undefined) return undefined;
  if (error.status >= 500)
    return 'The service had a failure. Run the same command again; what was applied stays applied.';
  return BY_STATUS[error.status];
}

export function skipRemedy(reason: SkipReason): string | undefined {
  switch (reason.code) {
    case 'stale':
      return 'Plan again, look at what moved, and apply the new plan.';
    case 'interrupted':
    case 'deadline':
      return 'Run the same command again; what was applied stays applied.';
    case 'needs_failed':
    // The run as a whole says what to do about its journal.
    case 'not_recorded':
      return undefined;
  }
}
