/**
 * Checks each host once (reached, trusted, the service, the time of this machine), and each project: its key, the key's rights beyond those that
 * the manifests and the newest run need, and whether the project answers.
 */

import { accessSync, constants } from 'node:fs';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig, RemoteProject } from '../../config/config.ts';
import { statusOf, summarize } from '../../posthog/client/failure-table.ts';
import type { Failure } from '../../posthog/client/failure.ts';
import type { CurrentKey } from '../../posthog/client/operations/current-key.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { hasScope, neededScopes, type NeededScope, type ScopeUse } from '../../posthog/key-scopes.ts';
import { wireOf } from '../../posthog/role-access/access.ts';
import {
  resultOf,
  type CheckResult,
  type CheckSubject,
  type ServiceAge,
  type CheckFacts,
  type CheckStatus,
} from '../../report/check-result.ts';
import { clockDifference } from '../project/service-clock.ts';
import type { Session } from '../session/session.ts';
import { alertGuards } from './check-guards.ts';
import type { Answered, KeyState, ProjectProbe, Surroundings, AnswerTimes, HostProbe } from './surroundings.ts';

/** The required right of the key; absent: reading, with a warning if it cannot write. */
export type Purpose = 'plan' | 'apply';

export async function checkProjects(surroundings: Surroundings, purpose: Purpose | undefined): Promise<CheckResult[]> {
  const { configuration, probes } = surroundings;
  const { projects: probed } = await probes();
  const results: CheckResult[] = [];
  for (const project of configuration.projects) {
    const subject = { section: 'project', project: project.name } as const;
    if (project.service === 'embedded') {
      results.push(resultOf(subject, 'ok', ['embedded', { profile: project.profile }]));
      continue;
    }
    const probe = probed.get(project.name);
    results.push(...checkShared(subject, project, Object.values(configuration.config.projects)));
    if (probe !== undefined) {
      results.push(...checkProbe(subject, probe, surroundings.session.context.now()));
      const { project: remote, readOnly: flags } = probe;
      const status = purpose === 'apply' ? 'problem' : 'warning';
      if (flags !== undefined && purpose !== 'plan')
        results.push(resultOf(subject, status, ['key_cannot_edit', { variable: remote.apiKeyVariable, flags }]));
    }
    const { current } = probe ?? {};
    if (current !== undefined && 'value' in current) {
      results.push(...(await checkScopes(surroundings, { project, subject, purpose, scopes: current.value.scopes })));
    }
  }
  return results;
}

/** Two names of one project look like two projects: what is meant for one is applied to the other. */
function checkShared(
  subject: CheckSubject,
  { name, host, projectId }: RemoteProject,
  projects: readonly ProjectConfig[],
): CheckResult[] {
  const names = projects
    .filter((one) => one.service === 'remote' && one.name !== name && one.host === host && one.projectId === projectId)
    .map((one) => one.name);
  // What `@current` is depends on the key.
  if (names.length === 0 || projectId === '@current') return [];
  return [resultOf(subject, 'warning', ['project_shared', { project_id: projectId, names }])];
}

/** Interprets the answers. Exported for its table of cases. */
export function checkProbe(subject: CheckSubject, probe: ProjectProbe, now: number): CheckResult[] {
  const { project, key, current } = probe;
  const variable = project.apiKeyVariable;
  if (key.kind !== 'usable') return checkEnvironmentKey(subject, variable, key);
  if (current === undefined) return [];
  if ('failure' in current) {
    const { failure } = current;
    if (failure.kind === 'unauthorized')
      return [resultOf(subject, 'problem', ['key_refused', { variable, detail: failure.detail }])];
    if (failure.kind !== 'not_found' && failure.kind !== 'forbidden')
      return [resultOf(subject, 'skipped', ['not_checked', { because: 'host_unusable' }])];
    return [
      ...checkFlag(subject, probe, current),
      resultOf(subject, 'skipped', ['key_unknown', { variable, ...defined({ status: statusOf(failure) }) }]),
    ];
  }
  const { projectId: id } = project;
  const { projects } = current.value;
  // `@current` is whatever project the key has.
  const isOfOthers = projects.length > 0 && id !== '@current' && !projects.includes(id);
  return [
    ...checkKey(subject, { variable, key: current.value, now }),
    ...(isOfOthers ? [resultOf(subject, 'problem', ['key_of_other_projects', { project_id: id, projects }])] : []),
    ...checkFlag(subject, probe, current),
  ];
}

function checkEnvironmentKey(
  subject: CheckSubject,
  variable: string,
  key: Exclude<KeyState, { readonly kind: 'usable' }>,
): CheckResult[] {
  if (key.kind === 'withheld') {
    return key.error.diagnostics.map((diagnostic) => resultOf(subject, 'problem', ['diagnostic', diagnostic]));
  }
  const unchecked = resultOf(subject, 'skipped', ['not_checked', { because: 'key_unusable' }]);
  switch (key.kind) {
    case 'missing':
      return [resultOf(subject, 'problem', ['key_missing', { variable, empty: key.empty }]), unchecked];
    case 'project_token':
    case 'project_secret':
      return [resultOf(subject, 'problem', ['key_of_other_kind', { variable, kind: key.kind }]), unchecked];
    case 'malformed':
      return [resultOf(subject, 'problem', ['key_malformed', { variable }]), unchecked];
  }
}

const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

function checkKey(
  subject: CheckSubject,
  { variable, key, now }: { readonly variable: string; readonly key: CurrentKey; readonly now: number },
): CheckResult[] {
  const { label, expiresAt } = key;
  const accepted = resultOf(subject, 'ok', [
    'key_accepted',
    { variable, ...defined({ label, expires_at: expiresAt }) },
  ]);
  const days = expiresAt === undefined ? Number.NaN : Math.floor((Date.parse(expiresAt) - now) / DAY_MS);
  if (expiresAt === undefined || Number.isNaN(days) || days > SOON_DAYS) return [accepted];
  return [
    resultOf(subject, days < 0 ? 'problem' : 'warning', ['key_expires', { variable, expires_at: expiresAt, days }]),
  ];
}

function checkFlag(
  subject: CheckSubject,
  { project, flag }: ProjectProbe,
  current: Answered<CurrentKey>,
): CheckResult[] {
  if (flag === undefined) return [];
  const { projectId: id, apiKeyVariable: variable } = project;
  if ('value' in flag)
    return [resultOf(subject, 'ok', ['project_answers', { project_id: id, age: ageOf(flag.value, current) }])];
  const { failure } = flag;
  if (failure.kind === 'unauthorized')
    return [resultOf(subject, 'problem', ['key_refused', { variable, detail: failure.detail }])];
  if (failure.kind !== 'not_found' && failure.kind !== 'forbidden')
    return [resultOf(subject, 'problem', ['project_failing', { project_id: id, failure: summarize(failure) }])];
  const code = failure.kind === 'not_found' ? 'project_unknown' : 'project_forbidden';
  return [resultOf(subject, 'problem', [code, { project_id: id, detail: failure.detail }])];
}

function ageOf(flag: Flag | null, current: Answered<CurrentKey>): ServiceAge {
  if ('value' in current) return 'today';
  if (flag === null) return 'unknown';
  return wireOf(flag) === 'levels' ? 'today' : '2023';
}

interface Scoped {
  readonly project: ProjectConfig;
  readonly subject: CheckSubject;
  readonly purpose: Purpose | undefined;
  readonly scopes: readonly string[];
}

/** What `soaked` reads of the projects that it names, for changes of others. */
const OF_SOAKED: NeededScope = { scope: 'activity_log:read', use: 'judges', why: 'soaked' };

const OF_ALERTS: NeededScope = { scope: 'alert:read', use: 'steps', why: 'alerts' };

async function checkScopes(
  { configuration, manifests, newestRuns }: Surroundings,
  { project, subject, purpose, scopes }: Scoped,
): Promise<CheckResult[]> {
  const { desired, diagnostics } = await manifests();
  // An unreadable journal is a separate result.
  const runs = await newestRuns(project).catch(() => []);
  const own = desired.get(project.name);
  const namesRoles = diagnostics.some(({ code }) => code === 'role-unverified');
  const changed = runs.flatMap(({ plan }) => plan.changes.map(({ resource }) => resource));
  const ofRuns = neededScopes(own, namesRoles ? [...changed, 'role_access'] : changed);
  const { rules = [] } = configuration.config.policies ?? {};
  const isSoaked = rules.some((policy) => policy.rule === 'soaked' && policy.in === project.name);
  const needed = [
    ...ofRuns.filter(({ scope }) => !isSoaked || scope !== OF_SOAKED.scope),
    ...(isSoaked ? [OF_SOAKED] : []),
    ...(alertGuards(configuration.config, project.name).length > 0 ? [OF_ALERTS] : []),
  ];
  const unknown =
    own === undefined ? [resultOf(subject, 'skipped', ['not_checked', { because: 'manifests_unusable' }])] : [];
  return [...compareScopes(subject, { needed, scopes, purpose }), ...unknown];
}

const SCOPE_USES: readonly ScopeUse[] = ['runs', 'applies', 'judges', 'steps', 'completes'];

/** Exported for its table of cases. */
export function compareScopes(
  subject: CheckSubject,
  { needed, scopes, purpose }: { readonly needed: readonly NeededScope[] } & Pick<Scoped, 'scopes' | 'purpose'>,
): CheckResult[] {
  const asked = needed.filter(({ use }) => use !== 'applies' || purpose !== 'plan');
  const lacking = asked.filter(({ scope }) => !hasScope(scopes, scope));
  const missing = SCOPE_USES.flatMap((use): CheckResult[] => {
    const own = lacking.filter((one) => one.use === use).map(({ scope, why }) => ({ scope, why }));
    const isGrave = use === 'runs' || use === 'judges' || use === 'steps' || (use === 'applies' && purpose === 'apply');
    return own.length === 0
      ? []
      : [resultOf(subject, isGrave ? 'problem' : 'warning', ['scopes_missing', { use, scopes: own }])];
  });
  if (missing.length > 0) return missing;
  return [resultOf(subject, 'ok', ['scopes_present', { scopes: asked.map(({ scope }) => scope) }])];
}

export async function checkService({ session, probes }: Surroundings): Promise<CheckResult[]> {
  const { hosts } = await probes();
  return [...hosts]
    .flatMap(([host, probe]) => checkHost(host, probe))
    .concat(checkEnvironment(session, [...hosts.values()]));
}

/** Exported for its table of cases. */
export function checkHost(host: string, { failure, proxy, answer }: HostProbe): CheckResult[] {
  const subject = { section: 'service', host } as const;
  const found = failure === undefined ? undefined : failureOfHost(failure, proxy);
  const first =
    found === undefined
      ? resultOf(subject, isSlow(answer) ? 'warning' : 'ok', [
          isSlow(answer) ? 'host_slow' : 'host_answers',
          { ms: Math.round(answer?.ms ?? 0) },
        ])
      : resultOf(subject, found[0], [found[1], found[2]]);
  if (answer === undefined) return [first];
  const difference = answer.serviceTime === undefined ? undefined : clockDifference(answer, answer.serviceTime);
  const seconds = difference === undefined ? undefined : Math.round(difference / 1000);
  const status = seconds === undefined ? 'skipped' : Math.abs(seconds) >= MOST_SECONDS ? 'warning' : 'ok';
  return [first, resultOf(subject, status, ['clock', { seconds: seconds ?? 0 }])];
}

const SLOW_MS = 3000;
/** A clock that is further off matters to rules with times. */
const MOST_SECONDS = 60;

function isSlow(answer: AnswerTimes | undefined): boolean {
  return (answer?.ms ?? 0) >= SLOW_MS;
}

type HostFinding = {
  [Code in keyof CheckFacts]: readonly [status: CheckStatus, code: Code, facts: CheckFacts[Code]];
}[keyof CheckFacts];

/** `undefined` for a refusal in the words of the service: the host is fine. */
function failureOfHost(failure: Failure, proxy: string | undefined): HostFinding | undefined {
  switch (failure.kind) {
    case 'network': {
      const { code: error } = failure;
      if (CERTIFICATE.test(error)) return ['problem', 'certificate_refused', { error }];
      if (proxy !== undefined) return ['problem', 'proxy_unreachable', { proxy, error }];
      const why = /^(ENOTFOUND|EAI_)/.test(error) ? 'name' : error === 'ECONNREFUSED' ? 'refused' : 'network';
      return ['problem', 'host_unreachable', { why, error }];
    }
    case 'proxy':
      return ['problem', 'proxy_refuses', { ...defined({ proxy }), status: failure.status }];
    case 'timeout':
      return proxy === undefined
        ? ['problem', 'host_unreachable', { why: 'timeout', error: 'timeout' }]
        : ['problem', 'proxy_unreachable', { proxy, error: 'timeout' }];
    case 'redirected':
      return ['problem', 'host_redirects', { status: failure.status, location: failure.location }];
    case 'invalid_answer':
    case 'too_large':
    case 'unexpected_status':
    case 'validation':
    case 'conflict':
      return ['problem', 'not_the_service', { why: summarize(failure) }];
    case 'server':
      return ['problem', 'host_failing', { status: failure.status }];
    case 'rate_limited':
      return [
        'warning',
        'rate_limited',
        failure.retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(failure.retryAfterMs / 1000) },
      ];
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'aborted':
      return undefined;
  }
}

const CERTIFICATE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** The variables that name proxies: those that are read, and those of other programs. */
const PROXIES = {
  proxy_used: ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'],
  proxy_not_used: ['all_proxy', 'ALL_PROXY'],
} as const;

/** The variables that decide how hosts are reached. */
function checkEnvironment({ context: { env } }: Session, probes: readonly HostProbe[]): CheckResult[] {
  const subject = { section: 'service' } as const;
  const setAmong = (names: readonly string[]): readonly string[] =>
    names.filter((name) => (memberOf(env, name) ?? '') !== '');
  const used = setAmong(PROXIES.proxy_used);
  const unused = used.length > 0 ? [] : setAmong(PROXIES.proxy_not_used);
  const isUnreached = probes.some(({ answer }) => answer === undefined);
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  let readable = true;
  try {
    accessSync(file, constants.R_OK);
  } catch {
    readable = false;
  }
  return [
    ...(used.length > 0 && probes.length > 0 ? [resultOf(subject, 'ok', ['proxy_used', { variables: used }])] : []),
    ...(unused.length > 0 && probes.length > 0
      ? [resultOf(subject, isUnreached ? 'warning' : 'ok', ['proxy_not_used', { variables: unused }])]
      : []),
    ...(file === ''
      ? []
      : [
          resultOf(subject, readable ? 'ok' : 'warning', [
            'extra_certificates',
            { variable: 'NODE_EXTRA_CA_CERTS', file, readable },
          ]),
        ]),
    ...(env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? [resultOf(subject, 'warning', ['certificates_unchecked', { variable: 'NODE_TLS_REJECT_UNAUTHORIZED' }])]
      : []),
  ];
}
