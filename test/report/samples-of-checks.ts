/** A result of `doctor` with each code, with strings of others in every place where there may be some. */

import { FlagwrightError } from '../../src/base/errors.ts';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import {
  resultOf,
  type CheckCode,
  type CheckFacts,
  type CheckResult,
  type CheckStatus,
} from '../../src/report/check-result.ts';

export function checkSamples(evil: string, diagnostic: Diagnostic): CheckResult[] {
  const error = { error: new FlagwrightError('file', evil).code, message: evil, remedy: evil };
  const reason = { code: 'git_refused', detail: evil } as const;
  const facts: CheckFacts = {
    not_checked: { because: 'host_unusable' },
    check_failed: error,
    node_version: { version: '1.0.0', node: '20.20.0', needs: '>=20.19', system: evil },
    sqlite: { installed: false, needed: true, reason: evil },
    configuration: { file: evil, projects: [evil] },
    no_configuration: { environment: false },
    diagnostic,
    more_diagnostics: { count: 3 },
    manifests: { files: 1, flags: 2 },
    host_answers: { ms: 20 },
    host_slow: { ms: 4000 },
    host_unreachable: { why: 'network', error: evil },
    certificate_refused: { error: evil },
    host_redirects: { status: 302, location: evil },
    not_the_service: { why: evil },
    host_failing: { status: 502 },
    rate_limited: { retry_after_seconds: 30 },
    clock: { seconds: -400 },
    proxy_refuses: { status: 407 },
    proxy_unreachable: { proxy: evil, error: evil },
    proxy_used: { variables: ['HTTPS_PROXY'] },
    proxy_not_used: { variables: ['ALL_PROXY'] },
    certificates_unchecked: { variable: 'NODE_TLS_REJECT_UNAUTHORIZED' },
    extra_certificates: { variable: 'NODE_EXTRA_CA_CERTS', file: evil, readable: false },
    embedded: { profile: 'posthog' },
    key_missing: { variable: 'POSTHOG_API_KEY', empty: false },
    key_of_other_kind: { variable: 'POSTHOG_API_KEY', kind: 'project_token' },
    key_malformed: { variable: 'POSTHOG_API_KEY' },
    key_refused: { variable: 'POSTHOG_API_KEY', detail: evil },
    key_accepted: { variable: 'POSTHOG_API_KEY', label: evil, expires_at: evil },
    key_expires: { variable: 'POSTHOG_API_KEY', expires_at: evil, days: -1 },
    key_unknown: { variable: 'POSTHOG_API_KEY', status: 404 },
    key_of_other_projects: { project_id: '1', projects: [evil] },
    key_cannot_edit: { variable: 'POSTHOG_API_KEY', flags: 3 },
    scopes_present: { scopes: ['feature_flag:read'] },
    scopes_missing: { use: 'applies', scopes: [{ scope: 'feature_flag:write', why: 'flags' }] },
    project_answers: { project_id: '1', age: 'today' },
    project_shared: { project_id: '1', names: [evil] },
    project_unknown: { project_id: '1', detail: evil },
    project_forbidden: { project_id: '1', detail: evil },
    project_failing: { project_id: '1', failure: evil },
    guard_alert: {
      ...{ guard: evil, source: { alert: evil } },
      ...{ says: 'unknown', why: 'failed', at: '2026-12-01T09:00:00Z', detail: evil },
    },
    guard_slow: { guard: evil, alert: evil, interval: 'daily', max_age_seconds: 60 },
    guards_idle: { guards: [evil] },
    checkout: { branch: evil, commit: 'a'.repeat(40), shallow: true, remotes: [evil] },
    no_checkout: { reason, shared_by: evil },
    manifests_committed: { commit: 'a'.repeat(40) },
    manifests_not_committed: { reason: { code: 'manifest_differs', file: evil, how: 'new' } },
    base: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref', unread: { remote: evil, detail: evil } },
    no_base: { reason },
    no_runs: {},
    newest_run: { run: evil, started_at: evil, state: 'interrupted' },
    journal_unreadable: error,
    rollouts: { open: 3, due: 2, overdue: 1, last_step_at: '2026-12-01T08:00:00.000Z' },
    rollout_job: { file: evil },
    no_ci: {},
    ci: { system: 'GitHub Actions', event: evil, base: evil, fork: true, tokens: ['GITHUB_TOKEN'] },
  };
  const place = { file: evil, line: 3, column: 4 };
  return (Object.keys(facts) as CheckCode[]).map((code, index) =>
    resultOf({ section: SECTIONS[code], project: evil, host: evil, place }, STATUSES[index % 4] ?? 'ok', [
      code,
      facts[code],
    ]),
  );
}

const STATUSES: readonly CheckStatus[] = ['problem', 'warning', 'skipped', 'ok'];

const SECTIONS: Readonly<Record<CheckCode, CheckResult['section']>> = Object.fromEntries(
  (
    [
      ['program', 'not_checked', 'check_failed', 'node_version', 'sqlite'],
      ['configuration', 'configuration', 'no_configuration', 'diagnostic', 'more_diagnostics'],
      ['manifests', 'manifests'],
      ['service', 'host_answers', 'host_slow', 'host_unreachable', 'certificate_refused', 'host_redirects'],
      [
        'service',
        'not_the_service',
        'host_failing',
        'rate_limited',
        'clock',
        'proxy_refuses',
        'proxy_unreachable',
        'proxy_used',
        'proxy_not_used',
      ],
      ['service', 'certificates_unchecked', 'extra_certificates'],
      ['project', 'embedded', 'key_missing', 'key_of_other_kind', 'key_malformed', 'key_refused', 'key_accepted'],
      [
        'project',
        'key_expires',
        'key_unknown',
        'key_of_other_projects',
        'key_cannot_edit',
        'scopes_present',
        'scopes_missing',
      ],
      ['project', 'project_answers', 'project_shared', 'project_unknown', 'project_forbidden', 'project_failing'],
      ['project', 'guard_alert', 'guard_slow'],
      ['configuration', 'guards_idle'],
      ['git', 'checkout', 'no_checkout', 'manifests_committed', 'manifests_not_committed', 'base', 'no_base'],
      ['journal', 'no_runs', 'newest_run', 'journal_unreadable'],
      ['ci', 'rollouts', 'rollout_job', 'no_ci', 'ci'],
    ] as const
  ).flatMap(([section, ...codes]) => codes.map((code) => [code, section])),
) as Record<CheckCode, CheckResult['section']>;
