/** Checks the repository around the configuration: the checkout, what is committed and was applied last, the jobs of CI, and the journal. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import { readBranch, readCommit } from '../../loop/git/repository.ts';
import { listRemotes } from '../../loop/git/refs.ts';
import { MOST_MISSED } from '../../core/manifest/at-moment.ts';
import { resultOf, type CheckResult, type CheckFacts } from '../../report/check-result.ts';
import { stateOf } from '../../report/run-record.ts';
import { dueAt } from '../../core/rollout/position.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import type { Progress } from '../../core/rollout/rollout.ts';
import { findLastApplied } from '../applied/find-base.ts';
import { findManifestCommit } from '../applied/find-manifest-commit.ts';
import { whyNotOpen, withCheckout, type Checkout } from '../applied/open-checkout.ts';
import { toRecordedRun } from '../runs/find-runs.ts';
import { CI_SYSTEMS, type CiVariable, eventMember } from '../runs/record-run.ts';
import type { Context } from '../session/context.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import type { Surroundings } from './surroundings.ts';

const GIT = { section: 'git' } as const;

export async function checkGit(surroundings: Surroundings): Promise<CheckResult[]> {
  const { session, configuration } = surroundings;
  const { config } = configuration;
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') {
      // A missing checkout is fine, unless the configuration shares by git what was applied.
      const [reason, remote] = [whyNotOpen(opened), config.base.push];
      const isRefused = reason.code === 'git_refused' || remote !== undefined;
      const status = isRefused ? 'problem' : reason.code === 'git_missing' ? 'warning' : 'skipped';
      return [resultOf(GIT, status, ['no_checkout', { reason, ...defined({ shared_by: remote }) }])];
    }
    const { folder, shallow } = opened.repository;
    const [branch, commit, remotes] = await Promise.all([
      readBranch(folder),
      readCommit(folder),
      listRemotes(opened.repository),
    ]);
    return [
      resultOf(GIT, 'ok', ['checkout', { ...defined({ branch, commit }), shallow, remotes }]),
      ...(await checkCommitted(surroundings, checkout)),
      ...(await checkBases(surroundings, checkout)),
    ];
  });
}

async function checkCommitted({ manifests, configuration }: Surroundings, checkout: Checkout): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  const [project] = projects;
  const { known } = await manifests();
  if (project === undefined) return [];
  const found = await findManifestCommit({ loaded: { config, project }, checkout, known });
  switch (found.kind) {
    case 'none':
      return [];
    case 'committed':
      return [resultOf(GIT, 'ok', ['manifests_committed', { commit: found.commit }])];
    case 'not_committed':
      return [resultOf(GIT, 'warning', ['manifests_not_committed', { reason: found.reason }])];
  }
}

async function checkBases({ session, configuration }: Surroundings, checkout: Checkout): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  const results: CheckResult[] = [];
  for (const project of projects) {
    const subject = { ...GIT, project: project.name };
    const base = await findLastApplied(session, { loaded: { config, project }, checkout });
    if (base.kind === 'commit') {
      results.push(resultOf(subject, base.unread === undefined ? 'ok' : 'warning', ['base', base]));
    } else {
      results.push(
        resultOf(subject, base.reason.code === 'not_recorded' ? 'ok' : 'problem', ['no_base', { reason: base.reason }]),
      );
    }
  }
  return results;
}

const CI = { section: 'ci' } as const;

export async function checkRollouts({ session, configuration }: Surroundings): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return [];
    const results: CheckResult[] = [];
    for (const project of projects) {
      const base = await findLastApplied(session, { loaded: { config, project }, checkout });
      const rollouts = base.kind === 'commit' ? (base.rollouts ?? []) : [];
      const every = config.stepsEvery ?? DEFAULT_STEPS_EVERY;
      const facts = describe(rollouts, { now: session.context.now(), every, guards: config.guards });
      if (facts.open === 0) continue;
      const status = facts.overdue > 0 ? 'warning' : 'ok';
      results.push(resultOf({ ...CI, project: project.name }, status, ['rollouts', facts]));
    }
    if (results.length === 0) return [];
    const file = await findJob(opened.repository.top);
    return [...results, resultOf(CI, file === undefined ? 'warning' : 'ok', ['rollout_job', defined({ file })])];
  });
}

function describe(
  rollouts: readonly Progress[],
  { guards, ...time }: { readonly now: number; readonly every: number; readonly guards: Config['guards'] },
): CheckFacts['rollouts'] {
  // A guarded step may wait for as long as its guards allow.
  const patienceOf = ({ guard = [] }: Progress): number =>
    Math.max(MOST_MISSED * time.every, ...guards.flatMap((one) => (guard.includes(one.name) ? [one.patience] : [])));
  const late = rollouts.flatMap((one) => {
    const due = dueAt(one, one, time);
    return due === undefined ? [] : [{ due, most: patienceOf(one) }];
  });
  const dues = late.map(({ due }) => due);
  const made = rollouts.flatMap(({ step, at }) => (step < 0 ? [] : [at])).toSorted();
  return {
    open: dues.length,
    due: dues.filter((due) => due <= time.now).length,
    overdue: late.filter(({ due, most }) => time.now - due > most).length,
    ...defined({ last_step_at: made.at(-1) }),
  };
}

const FOLDERS: readonly string[] = ['.github/workflows', '.gitlab', '.circleci', '.buildkite'];
const FILES: readonly string[] = ['.gitlab-ci.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'Jenkinsfile'];

/** Relative to the top of the checkout. */
async function findJob(top: string): Promise<string | undefined> {
  const inFolders = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(path.join(top, folder)).catch(() => []);
      return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${folder}/${name}`);
    }),
  );
  for (const file of [...inFolders.flat().toSorted(), ...FILES]) {
    const text = await readFile(path.join(top, file), 'utf8').catch(() => '');
    // A job for a schedule that is commented out never runs.
    const active = text.replaceAll(/^\s*#.*$/gm, '');
    const [, schedule] = /github\.event\.schedule == '([^']+)'/.exec(active) ?? [];
    const isScheduled = schedule === undefined || active.includes(`cron: '${schedule}'`);
    if (isScheduled && /apply\b.*--due\b|flagwright-ci due\b|command: due\b/.test(active)) return file;
  }
  return undefined;
}

/** Systems of which only the name is known. */
const OTHERS: readonly (readonly [marker: string, name: string])[] = [
  ['CIRCLECI', 'CircleCI'],
  ['BUILDKITE', 'Buildkite'],
  ['JENKINS_URL', 'Jenkins'],
  ['TF_BUILD', 'Azure Pipelines'],
  ['BITBUCKET_BUILD_NUMBER', 'Bitbucket Pipelines'],
  ['CI', 'a CI system'],
];

const TOKENS: readonly string[] = [
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'CI_JOB_TOKEN',
  'GITLAB_TOKEN',
];

export async function checkCi({ context, secrets }: Session): Promise<CheckResult[]> {
  const env: CiVariable = (name) => memberOf(context.env, name) || undefined;
  const tokens = TOKENS.filter((name) => env(name) !== undefined);
  for (const name of tokens) secrets.add(env(name) ?? '');
  const system = CI_SYSTEMS.find(({ marker }) => env(marker) !== undefined);
  if (system !== undefined) {
    const { name, event, base } = system;
    const facts = { ...defined({ event: env(event), base: env(base), fork: await isFork(env, context) }), tokens };
    return [resultOf(CI, 'ok', ['ci', { system: name, ...facts }])];
  }
  const other = OTHERS.find(([marker]) => env(marker) !== undefined);
  if (other === undefined) return [resultOf(CI, 'ok', ['no_ci', {}])];
  return [resultOf(CI, 'ok', ['ci', { system: other[1], tokens }])];
}

/** Whether the change comes from another repository; absent if the job is not about such a change. */
async function isFork(env: CiVariable, context: Context): Promise<boolean | undefined> {
  const head = await eventMember(env, context, '/pull_request/head/repo/full_name');
  const source = env('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH') ?? head;
  const own = env('CI_MERGE_REQUEST_PROJECT_PATH') ?? env('GITHUB_REPOSITORY');
  return source === undefined || own === undefined ? undefined : source !== own;
}

export async function checkJournal({ configuration, newestRuns }: Surroundings): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const project of configuration.projects) {
    const subject = { section: 'journal', project: project.name } as const;
    try {
      const runs = await newestRuns(project);
      if (runs.length === 0) results.push(resultOf(subject, 'ok', ['no_runs', {}]));
      for (const run of runs.map(toRecordedRun)) {
        const state = stateOf(run);
        results.push(
          resultOf(subject, state === 'complete' ? 'ok' : 'warning', [
            'newest_run',
            { run: run.name, started_at: run.startedAt, state },
          ]),
        );
      }
    } catch (error) {
      const { code, message, remedy } = toFlagwrightError(error);
      if (code === 'internal') throw error;
      results.push(
        resultOf(subject, 'problem', ['journal_unreadable', { error: code, message, ...defined({ remedy }) }]),
      );
    }
  }
  return results;
}
