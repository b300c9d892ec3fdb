/** The words for what `doctor` finds of hosts, keys and projects. */

import { replaceKeys } from '../../base/api-key.ts';
import { withoutFullStop } from '../../base/text.ts';
import { isLogin, LOGIN_REMEDY } from '../../posthog/client/failure-words.ts';
import type { ScopeReason, ScopeUse } from '../../posthog/key-scopes.ts';
import type { CheckCode, CheckFacts, CheckResultOf, ServiceAge } from '../check-result.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';
import { spanText } from './times.ts';

/** The sentence about a result, without a full stop, and the remedy. */
export interface CheckWords {
  readonly message: string;
  readonly remedy?: string;
}

export type WordsOfChecks<Codes extends CheckCode> = {
  readonly [Code in Codes]: (facts: CheckFacts[Code], result: CheckResultOf<Code>) => CheckWords;
};

const NEW_KEY = 'Make a personal API key (phx_…) in the settings of your account in PostHog, and export it';

export const SERVICE_WORDS: WordsOfChecks<
  | 'host_answers'
  | 'host_slow'
  | 'host_unreachable'
  | 'certificate_refused'
  | 'host_redirects'
  | 'not_the_service'
  | 'host_failing'
  | 'rate_limited'
  | 'clock'
  | 'proxy_not_used'
  | 'certificates_unchecked'
  | 'extra_certificates'
  | 'embedded'
  | 'key_missing'
  | 'key_of_other_kind'
  | 'key_malformed'
  | 'key_refused'
  | 'key_accepted'
  | 'key_expires'
  | 'key_unknown'
  | 'key_of_other_projects'
  | 'key_cannot_edit'
  | 'scopes_present'
  | 'scopes_missing'
  | 'project_answers'
  | 'project_shared'
  | 'project_unknown'
  | 'project_forbidden'
  | 'project_failing'
> = {
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
    message: `limits the rate of requests${seconds === undefined ? '' : ` for another ${seconds} s`} (429)`,
    remedy: 'Wait, and lower requests_per_minute if other programs share the limit of the organization.',
  }),
  clock: ({ seconds }, { status }) => {
    if (status === 'ok') return { message: 'the clocks of this machine and of the service agree' };
    if (status === 'skipped') {
      return { message: 'the answers of the service have no time, so the clock of this machine is not compared' };
    }
    return {
      message: `the clock of this machine is ${spanText(Math.abs(seconds))} ${seconds > 0 ? 'behind' : 'ahead of'} the service`,
      remedy: 'Set the clock. Freezes, waivers, permits and the ages of snapshots depend on it.',
    };
  },
  proxy_not_used: ({ variables }) => ({
    message: `${variables.join(' and ')} ${variables.length === 1 ? 'is' : 'are'} set, and flagwright connects directly`,
    remedy: 'Allow direct connections from this machine to the host: flagwright does not use HTTP proxies.',
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
    message: `the key may not read the flags of project ${escapeLine(id)}${said(detail)}`,
    remedy: 'Give the key the scope feature_flag:read for this project, and its owner access to the project.',
  }),
  project_failing: ({ project_id: id, failure }) => ({
    message: `the flags of project ${escapeLine(id)} cannot be read: ${escapeLine(failure)}`,
    remedy: 'Run again later.',
  }),
};

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

export function namesText(noun: string, names: readonly string[]): string {
  return `${names.length === 1 ? noun : `${noun}s`} ${keysText(names)}`;
}
