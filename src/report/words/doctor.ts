/** The words for the findings of `doctor`: the result, and the remedy. */

import { replaceKeys } from '../../base/api-key.ts';
import { memberOf } from '../../base/json.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { withoutFullStop } from '../../base/text.ts';
import type { UnknownReason } from '../../core/rollout/guard.ts';
import { isLogin, LOGIN_REMEDY } from '../../posthog/client/failure-table.ts';
import type { ScopeReason, ScopeUse } from '../../posthog/key-scopes.ts';
import {
  type CheckCode,
  type CheckFacts,
  type CheckResult,
  type CheckResultOf,
  type CheckSection,
  type CheckSkipReason,
  type CheckStatus,
  type ConfigurationValue,
  countStatus,
  type ServiceAge,
} from '../check-result.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { count, keysText, spanText, timeText, wholeSecondsText } from './amounts.ts';
import { noBaseText, notRecordedText, shortCommit, unreadableBaseRemedy } from './base.ts';
import { describe } from './diagnostics.ts';
import { readingText } from './guards.ts';

/** The sentence about a result, without a full stop, and the remedy. */
interface CheckWords {
  readonly message: string;
  readonly remedy?: string;
}

export function checkWords(result: CheckResult): CheckWords {
  const words = WORDS[result.code] as (facts: unknown, result: CheckResult) => CheckWords;
  const { message, remedy } = words(result.facts, result);
  return remedy === undefined || result.status === 'ok' ? { message } : { message, remedy };
}

export const SECTION_TITLES: Readonly<Record<CheckSection, string>> = {
  program: 'Program',
  configuration: 'Configuration',
  manifests: 'Manifests',
  service: 'Service',
  project: 'Projects and keys',
  git: 'Git',
  journal: 'Journal',
  ci: 'CI',
};

/** `1 problem, 2 warnings`; what was not checked is said, since nothing is known about it. */
export function doctorSummary(results: readonly CheckResult[]): string {
  const amount = (status: CheckStatus, noun: string): string[] => {
    const number = countStatus(results, status);
    return number === 0 ? [] : [count(number, noun)];
  };
  const found = [...amount('problem', 'problem'), ...amount('warning', 'warning')];
  const skipped = amount('skipped', 'check').map((text) => `; ${text} skipped`);
  const verdict = found.length === 0 ? 'no problems found' : found.join(', ');
  return `Doctor: ${verdict}${skipped.join('')}`;
}

/** `/projects/main/host  https://us.posthog.com  flagwright.yaml:3:11`. */
export function valueText({ value }: ConfigurationValue): string {
  return quoteShort(typeof value === 'string' ? value : stringifyJson(value), LONG_VALUE);
}

export function originText({ from }: ConfigurationValue): string {
  if (from.kind === 'file') return placeText(from.place);
  if (from.kind === 'environment') return escapeLine(from.variable);
  return from.kind === 'option' ? from.option : 'default';
}

const NEW_KEY = 'Make a personal API key (phx_…) in the settings of your account in PostHog, and export it';

const WORDS: {
  readonly [Code in CheckCode]: (facts: CheckFacts[Code], result: CheckResultOf<Code>) => CheckWords;
} = {
  not_checked: ({ because }) => SKIPPED[because],
  check_failed: errorWords,

  node_version: ({ version, node, needs, system }) => ({
    message: `flagwright ${version} on Node.js ${node}, ${escapeLine(system)}`,
    remedy: `Install a version of Node.js that flagwright supports: ${needs}.`,
  }),
  sqlite: ({ installed, needed, reason }) => {
    if (installed) return { message: 'libsql is installed, so the embedded service can run' };
    const why = reason === undefined ? '' : ` (${escapeLine(reason)})`;
    return {
      message: `libsql is not installed${why}; ${needed ? 'a project of the embedded service needs it' : 'only the embedded service needs it'}`,
      remedy: 'Install it next to flagwright: npm install libsql',
    };
  },

  configuration: ({ file, projects }) => ({
    message: `${file === undefined ? 'The environment' : escapeLine(file)} defines ${namesText('project', projects)}`,
  }),
  no_configuration: ({ environment }) =>
    environment
      ? { message: 'No flagwright.yaml in this or a parent folder; the environment defines the project' }
      : {
          message: 'No flagwright.yaml in this or a parent folder, and no POSTHOG_HOST: the embedded service is used',
          remedy:
            'Run `flagwright init` here, change to the folder of your repository, or name the file with --config.',
        },
  diagnostic: (diagnostic) => {
    const { message, remedy } = describe(diagnostic);
    return { message: withoutFullStop(message), remedy };
  },
  more_diagnostics: ({ count: more }) => ({
    message: `${count(more, 'more error or warning', 'more errors and warnings')}`,
    remedy: '`flagwright validate` lists all of them.',
  }),
  manifests: ({ files, flags }) => ({
    message: `${count(flags, 'flag')} in ${count(files, 'file')}, without an error`,
  }),

  host_answers: ({ ms }) => ({ message: `answers in ${ms} ms` }),
  host_slow: ({ ms }) => ({
    message: `answers in ${ms} ms, which is slow`,
    remedy: 'A run takes several requests. Check the network between this machine and the host.',
  }),
  host_unreachable: ({ why, error }) => UNREACHABLE[why](escapeLine(error)),
  certificate_refused: ({ error }) => ({
    message: `its certificate is not trusted (${escapeLine(error)})`,
    remedy:
      'If a company or a proxy signs certificates, set NODE_EXTRA_CA_CERTS to the file of its root certificate. Otherwise check the host: the key was not sent.',
  }),
  host_redirects: ({ status, location }) => ({
    message: `redirects to ${location === null ? 'nowhere' : quoteShort(location)} (${status}), which is not followed`,
    remedy:
      location !== null && isLogin(location)
        ? LOGIN_REMEDY
        : 'Write the host of the API itself, such as https://us.posthog.com. The API key is never sent to another origin.',
  }),
  not_the_service: ({ why }) => ({
    message: `does not answer as PostHog does (${escapeLine(why)})`,
    remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
  }),
  host_failing: ({ status }) => ({
    message: `answers with status ${status}`,
    remedy:
      'Run again later. If that does not help, check the status page of the service, or the proxy in front of it.',
  }),
  rate_limited: ({ retry_after_seconds: seconds }) => ({
    message: `limits the rate of requests${seconds === undefined ? '' : ` for another ${wholeSecondsText(seconds * 1000)}`} (429)`,
    remedy: 'Wait, and lower requests_per_minute if other programs share the limit of the organization.',
  }),
  clock: ({ seconds }, { status }) => {
    if (status === 'ok') return { message: 'the clocks of this machine and of the service agree' };
    if (status === 'skipped') {
      return { message: 'the answers of the service have no time, so the clock of this machine is not compared' };
    }
    return {
      message: `the clock of this machine is ${spanText(Math.abs(seconds))} ${seconds > 0 ? 'behind' : 'ahead of'} the service`,
      remedy: 'Set the clock. Freezes, exceptions and the ages of snapshots depend on it.',
    };
  },
  proxy_refuses: ({ status, proxy }) =>
    status === 407
      ? {
          message: `cannot be reached: the proxy${proxy === undefined ? '' : ` ${escapeLine(proxy)}`} wants a user name and a password (${status})`,
          remedy:
            'Put valid ones into HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT, with special characters percent-encoded.',
        }
      : {
          message: `cannot be reached: the proxy${proxy === undefined ? '' : ` ${escapeLine(proxy)}`} does not connect to it (${status})`,
          remedy: 'Have the proxy allow the host. If it is reached without a proxy, name it in NO_PROXY.',
        },
  proxy_unreachable: ({ proxy, error }) => ({
    message: `cannot be reached through the proxy ${escapeLine(proxy)} (${escapeLine(error)})`,
    remedy: 'Check HTTPS_PROXY, and that the proxy is running. If the host needs no proxy, add it to NO_PROXY.',
  }),
  proxy_used: ({ variables }) => ({
    message: `${areSet(variables)}: requests go through the proxy, except to this machine and to hosts in NO_PROXY`,
  }),
  proxy_not_used: ({ variables }) => ({
    message: `${areSet(variables)}, which flagwright does not read`,
    remedy: 'If the host is reached through a proxy, name the proxy in HTTPS_PROXY.',
  }),
  certificates_unchecked: ({ variable }) => ({
    message: `${variable}=0 is set: certificates are not checked, so that anyone on the network can read the key`,
    remedy: `Remove ${variable}, and name a private root certificate with NODE_EXTRA_CA_CERTS.`,
  }),
  extra_certificates: ({ variable, file, readable }) => ({
    message: `${variable} names ${quoteShort(file)}, which ${readable ? 'can' : 'cannot'} be read`,
    remedy: 'Correct the path: Node.js runs without the certificates of a file that it cannot read.',
  }),

  embedded: ({ profile }) => ({ message: `embedded service, profile ${profile}; it needs no key` }),
  key_missing: ({ variable, empty }) => ({
    message: `the API key is missing: ${variable} is ${empty ? 'empty' : 'not set'}`,
    remedy: `${NEW_KEY}: export ${variable}=phx_…`,
  }),
  key_of_other_kind: ({ variable, kind }) => ({
    message: `${variable} has ${kind === 'project_token' ? 'the public token of a project (phc_…)' : 'the secret key of a project (phs_…)'}, not a personal API key`,
    remedy: `${NEW_KEY} as ${variable}.`,
  }),
  key_malformed: ({ variable }) => ({
    message: `${variable} contains characters that no key has`,
    remedy: 'Check the variable for quotes, spaces and line breaks.',
  }),
  key_refused: ({ variable, detail }) => ({
    message: `the service does not accept the key in ${variable}${said(detail)}`,
    remedy:
      'It is wrong, expired or revoked, or a key of another region (us.posthog.com and eu.posthog.com have keys of their own). Make a new one, or correct the host.',
  }),
  key_accepted: ({ variable, label, expires_at: end }) => ({
    message: `the key in ${variable}${label === undefined ? '' : ` (${quoteShort(replaceKeys(label))})`} is accepted${end === undefined ? '' : `, until ${escapeLine(end)}`}`,
  }),
  key_expires: ({ variable, expires_at: end, days }) => ({
    message:
      days < 0
        ? `the key in ${variable} expired at ${escapeLine(end)}`
        : `the key in ${variable} expires in ${count(days, 'day')}, at ${escapeLine(end)}`,
    remedy: `Make a new key, and replace the one in ${variable}.`,
  }),
  key_unknown: ({ variable, status }) => ({
    message: `the service does not say what the key in ${variable} may do${status === undefined ? '' : ` (${status})`}, so its scopes are not known`,
  }),
  key_of_other_projects: ({ project_id: id, projects }) => ({
    message: `the key is limited to ${namesText('project', projects)}, and this is project ${escapeLine(id)}`,
    remedy: 'Add the project to the key in PostHog, use another key, or correct project_id.',
  }),
  key_cannot_edit: ({ variable, flags }) => ({
    message: `the owner of the key in ${variable} cannot edit ${flags === 1 ? 'the flag that was read' : `any of the ${count(flags, 'flag')} that were read`}; apply, off and undo fail`,
    remedy: 'Give the owner of the key edit rights on the flags in PostHog, or use the key of somebody who has them.',
  }),
  scopes_present: ({ scopes }) => ({ message: `the key has every needed scope: ${scopes.join(', ')}` }),
  scopes_missing: ({ use, scopes }) => {
    const reasons = scopes.map(({ scope, why }) => `${scope} (${SCOPE_REASONS[why]})`).join(', ');
    return {
      message: `the key lacks ${reasons}; ${SCOPE_USES[use]}`,
      remedy: 'Add the scopes to the key in the settings of your account in PostHog.',
    };
  },
  project_answers: ({ project_id: id, age }) => ({ message: `project ${escapeLine(id)} answers${AGES[age]}` }),
  project_shared: ({ project_id: id, names }) => ({
    message: `it is project ${escapeLine(id)} of the same host as ${namesText('project', names)}, so an apply to one changes the other`,
    remedy: 'Correct host or project_id in flagwright.yaml, unless both names are meant for one project.',
  }),
  project_unknown: ({ project_id: id, detail }) => ({
    message: `the service does not know project ${escapeLine(id)}${said(detail)}`,
    remedy: 'Check project_id and host in flagwright.yaml, or POSTHOG_PROJECT_ID and POSTHOG_HOST.',
  }),
  project_forbidden: ({ project_id: id, detail }) => ({
    message: `the key cannot read the flags of project ${escapeLine(id)}${said(detail)}`,
    remedy: 'Give the key the scope feature_flag:read for this project, and its owner access to the project.',
  }),
  project_failing: ({ project_id: id, failure }) => ({
    message: `the flags of project ${escapeLine(id)} cannot be read: ${escapeLine(failure)}`,
    remedy: 'Run again later.',
  }),

  guard_alert: (reading) => ({
    message: readingText(reading),
    ...(reading.says === 'unknown' && { remedy: memberOf(ALERT_REMEDIES, reading.why) ?? 'Run again later.' }),
  }),
  guard_slow: ({ guard, alert, interval, max_age_seconds: seconds }) => ({
    message: `${escapeLine(guard)} can rarely pass: PostHog checks the alert ${quoteShort(alert)} ${escapeLine(interval)}, and \`max_age\` is ${spanText(seconds)}`,
    remedy: 'Let PostHog check the alert more often, or raise `max_age`.',
  }),
  guards_idle: ({ guards }) => ({ message: `no rollout names ${namesText('guard', guards)}` }),

  checkout: ({ branch, commit, shallow, remotes }) => ({
    message: [
      `${branch === undefined ? 'detached head' : `branch ${quoteShort(branch)}`} ${commit === undefined ? 'without a commit' : `at ${shortCommit(commit)}`}`,
      ...(shallow ? ['shallow clone'] : []),
      remotes.length === 0 ? 'no remote' : namesText('remote', remotes),
    ].join(', '),
  }),
  no_checkout: ({ reason, shared_by: remote }) => ({
    message: `${noBaseText(reason)}, so changes in git and edits in PostHog cannot be told apart`,
    remedy:
      remote === undefined
        ? 'Run flagwright in a checkout that git can read.'
        : `The configuration shares what was applied last by ${quoteShort(remote)}: run flagwright in a checkout that git can read.`,
  }),
  manifests_committed: ({ commit }) => ({ message: `the manifests are as in commit ${shortCommit(commit)}` }),
  manifests_not_committed: ({ reason }) => ({
    message: `${notRecordedText(reason)}, so an apply records no commit as the last one applied`,
    remedy: 'Commit the manifests before the apply.',
  }),
  base: ({ commit, unread }) => ({
    message: `commit ${shortCommit(commit)} was applied last${unread === undefined ? '' : `, as far as this clone knows: git cannot read the remote ${quoteShort(unread.remote)} (${quoteShort(unread.detail)})`}`,
    remedy: 'Give git the credentials of the remote: another clone may have applied a newer commit.',
  }),
  no_base: ({ reason }) => ({
    message: noBaseText(reason),
    remedy: unreadableBaseRemedy(reason),
  }),

  no_runs: () => ({ message: 'no run is recorded on this machine' }),
  newest_run: ({ run, started_at: start, state }, { project = '' }) => ({
    message: `run ${escapeLine(run)} of ${escapeLine(start)} is ${state}`,
    ...(state === 'running'
      ? { remedy: 'Another process executes it. Wait until it ends.' }
      : { remedy: `\`flagwright apply --resume -p ${escapeLine(project)}\` finishes it.` }),
  }),
  journal_unreadable: errorWords,

  rollouts: ({ open, due, overdue, last_step_at: last }, { project = '' }) => ({
    message: `${count(open, 'rollout')} over time with steps left, ${due} due, ${overdue} overdue${last === undefined ? '' : `; the last step was made at ${timeText(last)}`}`,
    remedy: `\`flagwright drift -p ${escapeLine(project)}\` names them. See whether the job with \`flagwright apply --due\` runs.`,
  }),
  rollout_job: ({ file }) => ({
    message:
      file === undefined
        ? 'no file of a CI system has an active job that makes the steps of rollouts'
        : `${escapeLine(file)} has a job that makes the steps of rollouts`,
    remedy: 'Run `flagwright apply --due` on a schedule; `flagwright init` writes such a job, to be switched on.',
  }),

  no_ci: () => ({ message: 'not in a job of GitHub or GitLab' }),
  ci: ({ system, event, base, fork, tokens }) => ({
    message: [
      system,
      ...(event === undefined ? [] : [`event ${quoteShort(event)}`]),
      ...(base === undefined ? [] : [`into ${quoteShort(base)}`]),
      ...(fork === true ? ['from a fork, which usually gets no key'] : []),
      ...(tokens.length === 0 ? [] : [`${tokens.join(', ')} ${tokens.length === 1 ? 'is' : 'are'} set`]),
    ].join(', '),
  }),
};

const NEXT_CHECK = 'Wait for the next check of the alert.';

const ALERT_REMEDIES: Readonly<Partial<Record<UnknownReason, string>>> = {
  missing: 'Make an alert with this name in PostHog, or correct `alert` in flagwright.yaml.',
  ambiguous: 'Rename all but one of the alerts in PostHog.',
  disabled: 'Enable the alert in PostHog.',
  snoozed: 'End the snooze in PostHog. The next check counts.',
  errored: 'Correct the insight of the alert in PostHog.',
  never_checked: NEXT_CHECK,
  reset: NEXT_CHECK,
  too_old: 'See why PostHog did not check the alert, or raise `max_age`.',
  no_scope: 'Give the key the scope alert:read.',
  not_supported: 'Let a verdict guard the rollouts instead.',
};

/** `HTTPS_PROXY and HTTP_PROXY are set`. */
function areSet(variables: readonly string[]): string {
  return `${variables.join(' and ')} ${variables.length === 1 ? 'is' : 'are'} set`;
}

const UNREACHABLE: Readonly<Record<CheckFacts['host_unreachable']['why'], (error: string) => CheckWords>> = {
  name: (error) => ({
    message: `no host has this name (${error})`,
    remedy: 'Check host in flagwright.yaml, or POSTHOG_HOST, and the name servers of this machine.',
  }),
  refused: (error) => ({
    message: `refuses the connection (${error})`,
    remedy: 'Check the port of the host, and that the service is running.',
  }),
  timeout: () => ({
    message: 'does not answer in time',
    remedy: 'Check the network, and whether a firewall lets this machine connect to the host.',
  }),
  network: (error) => ({
    message: `cannot be reached (${error})`,
    remedy: 'Check the network and the host.',
  }),
};

const SCOPE_USES: Readonly<Record<ScopeUse, string>> = {
  runs: 'plan, drift and apply fail without',
  applies: 'apply, off and undo fail without; plan and drift do not need it',
  steps: 'steps of rollouts that an alert guards wait without',
  judges: 'changes of the projects that the policy judges are refused without',
  completes: 'reports know less without',
};

const SCOPE_REASONS: Readonly<Record<ScopeReason, string>> = {
  flags: 'flags',
  cohorts: 'the manifests declare cohorts',
  early_access: 'the manifests declare early access features',
  access: 'the manifests declare access to flags',
  names_of_roles: 'the names of roles',
  members: 'access by member in few requests',
  activity: 'who changed a value, and what became of deleted flags',
  alerts: 'the configuration has guards with `alert`',
  soaked: 'a policy `soaked` asks since when this project has its values',
};

const AGES: Readonly<Record<ServiceAge, string>> = {
  today: " as today's PostHog",
  '2023': ' as the PostHog of 2023',
  unknown: '; it has no flag that shows the age of the service',
};

function said(detail: string | null): string {
  return detail === null ? '' : ` (${quoteShort(withoutFullStop(detail), LONG_VALUE)})`;
}

const LONG_VALUE = 120;

function namesText(noun: string, names: readonly string[]): string {
  return `${names.length === 1 ? noun : `${noun}s`} ${keysText(names)}`;
}

const SKIPPED: Readonly<Record<CheckSkipReason, CheckWords>> = {
  configuration_unusable: { message: 'not checked, since the configuration cannot be used' },
  manifests_unusable: { message: 'what the manifests need is not known, since they cannot be used' },
  key_unusable: { message: 'not checked, since there is no key to ask with' },
  host_unusable: { message: 'not checked, since the host does not answer as it should' },
};

function errorWords({ message, remedy }: CheckFacts['check_failed']): CheckWords {
  return {
    message: escapeLine(withoutFullStop(message)),
    ...defined({ remedy: remedy && escapeLine(remedy) }),
  };
}
