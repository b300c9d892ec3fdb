/** The findings of `doctor`: the result of each check as facts, and the source of each value of the configuration. */

import type { Diagnostic } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { BaseFacts, NoBaseReason, NotRecordedReason } from '../core/engine/base.ts';
import type { GuardReading } from '../core/rollout/guard.ts';
import type { NeededScope, ScopeUse } from '../posthog/key-scopes.ts';
import type { RunStatus } from './run-record.ts';

/** `skipped`: it could not be checked, so that nothing is said about it. */
export type CheckStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** The topics of checks, in the order of the report. */
export const CHECK_SECTIONS = [
  'program',
  'configuration',
  'manifests',
  'service',
  'project',
  'git',
  'journal',
  'ci',
] as const;

export type CheckSection = (typeof CHECK_SECTIONS)[number];

/** The subject of a result. */
export interface CheckSubject {
  readonly section: CheckSection;
  /** The name of a project. */
  readonly project?: string;
  /** The origin of a service. */
  readonly host?: string;
  readonly place?: Place;
}

/** The facts of each code. Their names are those of the JSON document. */
export interface CheckFacts {
  /** The reason is a result of another check. */
  readonly not_checked: { readonly because: CheckSkipReason };
  /** A check ended with an error of the program. */
  readonly check_failed: ErrorFacts;

  readonly node_version: {
    readonly version: string;
    readonly node: string;
    readonly needs: string;
    readonly system: string;
  };
  readonly sqlite: { readonly installed: boolean; readonly needed: boolean; readonly reason?: string };

  readonly configuration: { readonly file?: string; readonly projects: readonly string[] };
  readonly no_configuration: { readonly environment: boolean };
  readonly diagnostic: Diagnostic;
  readonly more_diagnostics: { readonly count: number };
  readonly manifests: { readonly files: number; readonly flags: number };

  readonly host_answers: { readonly ms: number };
  readonly host_slow: { readonly ms: number };
  readonly host_unreachable: { readonly why: 'name' | 'refused' | 'timeout' | 'network'; readonly error: string };
  readonly certificate_refused: { readonly error: string };
  readonly host_redirects: { readonly status: number; readonly location: string | null };
  readonly not_the_service: { readonly why: string };
  readonly host_failing: { readonly status: number };
  readonly rate_limited: { readonly retry_after_seconds?: number };
  readonly clock: { readonly seconds: number };
  readonly proxy_refuses: { readonly status: number; readonly proxy?: string };
  /** The proxy cannot be reached, or does not let the answer of the host through. */
  readonly proxy_unreachable: { readonly proxy: string; readonly error: string };
  readonly proxy_used: { readonly variables: readonly string[] };
  readonly proxy_not_used: { readonly variables: readonly string[] };
  readonly certificates_unchecked: { readonly variable: string };
  readonly extra_certificates: { readonly variable: string; readonly file: string; readonly readable: boolean };

  readonly embedded: { readonly profile: string };
  readonly key_missing: { readonly variable: string; readonly empty: boolean };
  readonly key_of_other_kind: { readonly variable: string; readonly kind: 'project_token' | 'project_secret' };
  readonly key_malformed: { readonly variable: string };
  readonly key_refused: { readonly variable: string; readonly detail: string | null };
  readonly key_accepted: { readonly variable: string; readonly label?: string; readonly expires_at?: string };
  readonly key_expires: { readonly variable: string; readonly expires_at: string; readonly days: number };
  readonly key_unknown: { readonly variable: string; readonly status?: number };
  readonly key_of_other_projects: { readonly project_id: string; readonly projects: readonly string[] };
  readonly key_cannot_edit: { readonly variable: string; readonly flags: number };
  readonly scopes_present: { readonly scopes: readonly string[] };
  readonly scopes_missing: { readonly use: ScopeUse; readonly scopes: readonly MissingScope[] };
  readonly project_answers: { readonly project_id: string; readonly age: ServiceAge };
  readonly project_shared: { readonly project_id: string; readonly names: readonly string[] };
  readonly project_unknown: { readonly project_id: string; readonly detail: string | null };
  readonly project_forbidden: { readonly project_id: string; readonly detail: string | null };
  readonly project_failing: { readonly project_id: string; readonly failure: string };

  readonly guard_alert: GuardReading & { readonly source: { readonly alert: string } };
  /** PostHog checks the alert more rarely than the guard wants it. */
  readonly guard_slow: {
    readonly guard: string;
    readonly alert: string;
    readonly interval: string;
    readonly max_age_seconds: number;
  };
  /** No rollout names them. */
  readonly guards_idle: { readonly guards: readonly string[] };

  readonly checkout: {
    /** Absent for a detached head. */
    readonly branch?: string;
    readonly commit?: string;
    readonly shallow: boolean;
    readonly remotes: readonly string[];
  };
  readonly no_checkout: { readonly reason: NoBaseReason; readonly shared_by?: string };
  readonly manifests_committed: { readonly commit: string };
  readonly manifests_not_committed: { readonly reason: NotRecordedReason };
  readonly base: Extract<BaseFacts, { readonly kind: 'commit' }>;
  readonly no_base: { readonly reason: NoBaseReason };

  readonly no_runs: Readonly<Record<never, never>>;
  readonly newest_run: { readonly run: string; readonly started_at: string; readonly state: RunStatus };
  readonly journal_unreadable: ErrorFacts;

  readonly rollouts: {
    /** Those that have steps left. */
    readonly open: number;
    readonly due: number;
    readonly overdue: number;
    /** Absent if none was made yet. */
    readonly last_step_at?: string;
  };
  /** The first file with a job that makes due steps. */
  readonly rollout_job: { readonly file?: string };

  readonly no_ci: Readonly<Record<never, never>>;
  readonly ci: {
    readonly system: string;
    readonly event?: string;
    readonly base?: string;
    readonly fork?: boolean;
    /** Names of variables. */
    readonly tokens: readonly string[];
  };
}

type MissingScope = Pick<NeededScope, 'scope' | 'why'>;

/** `unknown`: the project has no flag from which it could be told. */
export type ServiceAge = 'today' | '2023' | 'unknown';

export type CheckSkipReason = 'configuration_unusable' | 'manifests_unusable' | 'key_unusable' | 'host_unusable';

interface ErrorFacts {
  readonly error: string;
  readonly message: string;
  readonly remedy?: string;
}

export type CheckCode = keyof CheckFacts;

export type CheckResultOf<Code extends CheckCode> = CheckSubject & {
  readonly code: Code;
  readonly status: CheckStatus;
  readonly facts: CheckFacts[Code];
};

export type CheckResult = { [Code in CheckCode]: CheckResultOf<Code> }[CheckCode];

/** A value that counts, by its JSON pointer in the configuration. */
export interface ConfigurationValue {
  readonly name: string;
  readonly value: JsonValue;
  readonly from: ValueOrigin;
}

export type ValueOrigin =
  | { readonly kind: 'file'; readonly place: Place }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'default' };

/** Results with one code each, checked against its facts. */
export function resultOf<Code extends CheckCode>(
  subject: CheckSubject,
  status: CheckStatus,
  [code, facts]: readonly [code: Code, facts: CheckFacts[Code]],
): CheckResult {
  return { ...subject, code, status, facts } as unknown as CheckResult;
}

export function countStatus(results: readonly Pick<CheckResult, 'status'>[], wanted: CheckStatus): number {
  return results.filter(({ status }) => status === wanted).length;
}
