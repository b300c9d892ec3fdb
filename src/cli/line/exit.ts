/** Exit codes: what each means, and which one a result or an error gets. */

import type { ApplyResult, ChangeResult } from '../../loop/apply/result.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { isDecision, type Plan } from '../../posthog/plan.ts';
import { hasDrifted, type DriftStanding, type ValidationStanding } from '../../report/report-status.ts';

export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/** What exit codes mean for a command. */
export type CommandExits = { readonly [code in ExitCode]?: string };

export const EXIT_CODES: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'failed; nothing was applied',
  2: 'differences',
  3: 'incomplete: something was left out, failed, waits for approval or has an unknown outcome',
  4: 'refused: a safety rule or a policy forbids it, or it was not confirmed',
  5: 'stale: live flags, or what was applied last, changed since the plan was made',
  130: 'interrupted; changes already begun were finished',
};

export const NOT_CONFIRMED = 'it was not confirmed';

/** What the exit codes of a command mean; every command may succeed, fail and be interrupted. */
export function exitsOf(exits: CommandExits): CommandExits {
  return { 0: 'success', 1: 'failed', 130: 'interrupted', ...exits };
}

/** Every error code of a JSON document with its exit code and its meaning, for docs/commands.md. */
export const ERRORS: Readonly<Record<ErrorCode, { readonly exit: ExitCode; readonly meaning: string }>> = {
  usage: { exit: 1, meaning: 'the command line is wrong' },
  config_invalid: { exit: 1, meaning: '`flagwright.yaml` or the environment is wrong, or the key is missing' },
  manifest_invalid: { exit: 1, meaning: 'the manifests have errors' },
  tests_invalid: { exit: 1, meaning: 'the test files have errors' },
  plan_invalid: {
    exit: 1,
    meaning: 'the saved plan or the journal is damaged, edited, of another version or another project',
  },
  plan_stale: {
    exit: 5,
    meaning:
      'live flags changed since the plan was saved, or since the run that `undo` would revert; or another run was recorded before this one made due steps',
  },
  snapshot_invalid: {
    exit: 1,
    meaning:
      'the snapshot is damaged, edited, of another version or another project, or lacks what the manifests need; or the service answers values that no snapshot can hold',
  },
  snapshot_stale: { exit: 5, meaning: 'the snapshot is older than `--max-age` allows, or its time is in the future' },
  refused: {
    exit: 4,
    meaning:
      'a safety rule forbids it (`hazards` names the rule and the permission) or a policy (`findings`), or it was not confirmed',
  },
  run_under_way: {
    exit: 3,
    meaning:
      'another run (`run` names it) writes to the project, or wrote while `drift` read it: what was read may be inconsistent',
  },
  base_unreadable: {
    exit: 1,
    meaning: 'the commit that was applied last cannot be read, and only its policies may judge a change',
  },
  unauthorized: { exit: 1, meaning: 'the service does not accept the API key' },
  forbidden: { exit: 1, meaning: 'the API key lacks a scope or a permission' },
  project_not_found: { exit: 1, meaning: 'the service does not know the project' },
  rate_limited: { exit: 1, meaning: 'the request budget stayed exhausted for too long' },
  service_failed: { exit: 1, meaning: 'the service failed' },
  service_refused: { exit: 1, meaning: 'the service refused a request' },
  answer_invalid: { exit: 1, meaning: 'the response of the service is invalid' },
  network: { exit: 1, meaning: 'the service could not be reached' },
  deadline: { exit: 1, meaning: 'the deadline passed before anything was applied' },
  interrupted: { exit: 130, meaning: 'Ctrl-C or SIGTERM before anything was applied' },
  file: { exit: 1, meaning: 'a file could not be read or written' },
  internal: { exit: 1, meaning: 'a bug in flagwright' },
};

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return ERRORS[code].exit;
}

/** An approval may still come. */
export function exitCodeOfValidation({ errors, refusals }: ValidationStanding): ExitCode {
  if (errors > 0) return 1;
  return refusals > 0 ? 4 : 0;
}

export function exitCodeOfDrift(standing: DriftStanding): ExitCode {
  return hasDrifted(standing) ? 2 : 0;
}

/** The exit code of `plan --detailed-exitcode`. `refusals`: by policies. A plan that apply would refuse has its own code. */
export function exitCodeOfPlan(
  plan: Pick<Plan, 'changes' | 'hazards' | 'rollout_changes' | 'rollouts'>,
  refusals: number,
): ExitCode {
  if (plan.hazards.length + refusals > 0) return 4;
  return isDecision(plan) ? 2 : 0;
}

/**
 * 0 if all changes were applied, even with a remainder: the run did what was planned, and the report lists the rest.
 * 1 if no change was applied, may have been applied or waits for approval.
 */
export function exitCodeOfResult({ outcomes, changes }: ApplyResult): ExitCode {
  if (outcomes.applied === changes.length) return 0;
  if (changes.some(wasInterrupted)) return 130;
  const stale = changes.some(({ result }) => result.outcome === 'skipped' && result.reason.code === 'stale');
  if (stale && outcomes.failed + outcomes.pending + outcomes.unknown === 0) return 5;
  const isPartlyApplied = changes.some(
    ({ result }) => result.outcome !== 'applied' && result.parts !== undefined && result.parts.written.length > 0,
  );
  return outcomes.applied + outcomes.pending + outcomes.unknown === 0 && !isPartlyApplied ? 1 : 3;
}

/** Of a run over several projects that writes nothing: the code that needs attention most. */
export function exitCodeOfReads(codes: readonly ExitCode[]): ExitCode {
  return BY_ATTENTION.find((code) => codes.includes(code)) ?? 0;
}

const BY_ATTENTION = [130, 1, 4, 5, 3, 2] as const;

/**
 * Of a run over several projects that writes. What is left anywhere is 3 once something was written anywhere, or may have been: 1, 4, 5 and
 * 130 say that nothing was. A project that is held is left.
 */
export function exitCodeOfWrites(ran: readonly { readonly code: ExitCode; readonly hasWritten: boolean }[]): ExitCode {
  const worst = exitCodeOfReads(ran.map(({ code }) => code));
  return worst !== 0 && ran.some(({ hasWritten }) => hasWritten) ? 3 : worst;
}

/** The change was not begun, or was cut off before its response. */
function wasInterrupted({ result }: ChangeResult): boolean {
  if (result.outcome === 'applied') return false;
  return (result.outcome === 'skipped' ? result.reason.code : result.error.code) === 'interrupted';
}
