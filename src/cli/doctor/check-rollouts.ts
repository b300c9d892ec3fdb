/** Checks the rollouts over time that were applied: which steps are due or late, and whether a file of the CI system has the job that makes them. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { MOST_MISSED } from '../../manifest/at-moment.ts';
import { dueAt } from '../../rollout/position.ts';
import { DEFAULT_STEPS_EVERY } from '../../rollout/read-rollout.ts';
import type { Progress } from '../../rollout/rollout.ts';
import { resultOf, type CheckFacts, type CheckResult } from '../../report/check-result.ts';
import { withCheckout } from '../applied/open-checkout.ts';
import { findRecorded } from '../applied/find-base.ts';
import type { Surroundings } from './surroundings.ts';

const SUBJECT = { section: 'ci' } as const;

export async function checkRollouts({ session, configuration }: Surroundings): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return [];
    const results: CheckResult[] = [];
    for (const project of projects) {
      const base = await findRecorded(session, { loaded: { config, project }, checkout });
      const rollouts = base.kind === 'commit' ? (base.rollouts ?? []) : [];
      const facts = describe(rollouts, { now: session.context.now(), every: config.stepsEvery ?? DEFAULT_STEPS_EVERY });
      if (facts.open === 0) continue;
      const status = facts.overdue > 0 ? 'warning' : 'ok';
      results.push(resultOf({ ...SUBJECT, project: project.name }, status, ['rollouts', facts]));
    }
    if (results.length === 0) return [];
    const file = await findJob(opened.repository.top);
    return [...results, resultOf(SUBJECT, file === undefined ? 'warning' : 'ok', ['rollout_job', defined({ file })])];
  });
}

function describe(
  rollouts: readonly Progress[],
  time: { readonly now: number; readonly every: number },
): CheckFacts['rollouts'] {
  const dues = rollouts.flatMap((one) => dueAt(one, one, time) ?? []);
  const made = rollouts.flatMap(({ step, at }) => (step < 0 ? [] : [at])).toSorted();
  return {
    open: dues.length,
    due: dues.filter((due) => due <= time.now).length,
    overdue: dues.filter((due) => time.now - due > MOST_MISSED * time.every).length,
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
    if (makesSteps(text)) return file;
  }
  return undefined;
}

/** A job for a schedule that is commented out never runs. */
function makesSteps(text: string): boolean {
  const active = text.replaceAll(/^\s*#.*$/gm, '');
  const [, schedule] = /github\.event\.schedule == '([^']+)'/.exec(active) ?? [];
  if (schedule !== undefined && !active.includes(`cron: '${schedule}'`)) return false;
  return /apply\b.*--due\b|flagwright-ci due\b|command: due\b/.test(active);
}
