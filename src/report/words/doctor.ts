/** The words for the findings of `doctor`: the result, and the remedy. */

import { stringifyJson } from '../../base/json-text.ts';
import { withoutFullStop } from '../../base/text.ts';
import type {
  CheckCode,
  CheckFacts,
  CheckResult,
  CheckSection,
  ConfigurationValue,
  CheckSkipReason,
} from '../check-result.ts';
import { countStatus } from '../check-result.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { count } from './amounts.ts';
import { noBaseText, notRecordedText, shortCommit, unreadableBaseRemedy } from './base.ts';
import { describe } from './diagnostics.ts';
import { timeText } from './times.ts';
import { namesText, SERVICE_WORDS, type CheckWords, type WordsOfChecks } from './doctor-service.ts';

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
  const [problems, warnings, skipped] = [
    countStatus(results, 'problem'),
    countStatus(results, 'warning'),
    countStatus(results, 'skipped'),
  ];
  const found = [
    ...(problems === 0 ? [] : [count(problems, 'problem')]),
    ...(warnings === 0 ? [] : [count(warnings, 'warning')]),
  ];
  const verdict = found.length === 0 ? 'no problems found' : found.join(', ');
  return `Doctor: ${verdict}${skipped === 0 ? '' : `; ${count(skipped, 'check')} skipped`}`;
}

/** `/projects/main/host  https://us.posthog.com  flagwright.yaml:3:11`. */
export function valueText({ value }: ConfigurationValue): string {
  return quoteShort(typeof value === 'string' ? value : stringifyJson(value), LONG_VALUE);
}

const LONG_VALUE = 120;

export function originText({ from }: ConfigurationValue): string {
  switch (from.kind) {
    case 'file':
      return placeText(from.place);
    case 'environment':
      return escapeLine(from.variable);
    case 'option':
      return from.option;
    case 'default':
      return 'default';
  }
}

const WORDS: WordsOfChecks<CheckCode> = {
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

  ...SERVICE_WORDS,

  checkout: ({ branch, commit, shallow, remotes }) => ({
    message: [
      `${branch === undefined ? 'detached head' : `branch ${quoteShort(branch)}`} ${commit === undefined ? 'without a commit' : `at ${shortCommit(commit)}`}`,
      ...(shallow ? ['shallow clone'] : []),
      remotes.length === 0 ? 'no remote' : namesText('remote', remotes),
    ].join(', '),
  }),
  no_checkout: ({ reason, shared_by: remote }) => ({
    message: `${noBaseText(reason)}, so pending changes and drift cannot be told apart`,
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

  no_ci: () => ({ message: 'no CI system is recognized' }),
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

const SKIPPED: Readonly<Record<CheckSkipReason, CheckWords>> = {
  configuration_unusable: { message: 'not checked, since the configuration cannot be used' },
  manifests_unusable: { message: 'what the manifests need is not known, since they cannot be used' },
  key_unusable: { message: 'not checked, since there is no key to ask with' },
  host_unusable: { message: 'not checked, since the host does not answer as it should' },
};

function errorWords({ message, remedy }: CheckFacts['check_failed']): CheckWords {
  return {
    message: escapeLine(withoutFullStop(message)),
    ...(remedy === undefined ? {} : { remedy: escapeLine(remedy) }),
  };
}
