/** The error that flagwright throws on purpose, with its codes, and what errors of the system mean. */

import type { Diagnostic } from './diagnostic.ts';

/** Why a whole run fails. `cli/line/exit.ts` has the exit codes, `docs/commands.md` the explanations. */
export type ErrorCode =
  | 'usage'
  | 'config_invalid'
  | 'manifest_invalid'
  | 'tests_invalid'
  | 'plan_invalid'
  | 'plan_stale'
  | 'snapshot_invalid'
  | 'snapshot_stale'
  | 'refused'
  | 'run_under_way'
  | 'base_unreadable'
  | 'unauthorized'
  | 'forbidden'
  | 'project_not_found'
  | 'rate_limited'
  | 'service_failed'
  | 'service_refused'
  | 'answer_invalid'
  | 'network'
  | 'deadline'
  | 'interrupted'
  | 'file'
  | 'internal';

export interface ErrorDetails {
  readonly diagnostics?: readonly Diagnostic[];
  /** How to fix the problem; absent if the code alone tells. */
  readonly remedy?: string;
  /** For `run_under_way`. */
  readonly run?: RunUnderWay;
  readonly cause?: unknown;
}

/** The run that is in the way. `ended_at`: it ended meanwhile. */
export interface RunUnderWay {
  readonly name: string;
  readonly started_at: string;
  readonly ended_at?: string;
}

export class FlagwrightError extends Error {
  override readonly name = 'FlagwrightError';
  readonly code: ErrorCode;
  readonly diagnostics: readonly Diagnostic[];
  readonly remedy: string | undefined;
  readonly run: RunUnderWay | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.diagnostics = details.diagnostics ?? [];
    this.remedy = details.remedy;
    this.run = details.run;
  }
}

/**
 * Node's code of a failure of the system, such as `ENOENT`; `unknown` for anything else that was thrown. Test runners run code in contexts of
 * their own, where Node's errors are no instances of `Error`.
 */
export function systemCode(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown';
}

/** Whether a file or folder is not there. Any other failure proves nothing about it. */
export function isMissing(cause: unknown): boolean {
  return MISSING.has(systemCode(cause));
}

/** `ENOTDIR`: a part of the path is a file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
