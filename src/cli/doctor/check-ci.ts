/** Says which CI system runs the command, what it says about the job, and which tokens it provides, by name. */

import { readFile } from 'node:fs/promises';
import { parseJson } from '../../base/json-text.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { resultOf, type CheckResult } from '../../report/check-result.ts';
import { CI_SYSTEMS, type CiVariable } from '../runs/ci-systems.ts';
import type { Session } from '../session/session.ts';

const SUBJECT = { section: 'ci' } as const;

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
    const facts = { ...defined({ event: env(event), base: env(base), fork: await isFork(env) }), tokens };
    return [resultOf(SUBJECT, 'ok', ['ci', { system: name, ...facts }])];
  }
  const other = OTHERS.find(([marker]) => env(marker) !== undefined);
  if (other === undefined) return [resultOf(SUBJECT, 'ok', ['no_ci', {}])];
  return [resultOf(SUBJECT, 'ok', ['ci', { system: other[1], tokens }])];
}

/** Whether the change comes from another repository; absent if the job is not about such a change. */
async function isFork(env: CiVariable): Promise<boolean | undefined> {
  const source = env('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH') ?? (await headRepository(env('GITHUB_EVENT_PATH')));
  const own = env('CI_MERGE_REQUEST_PROJECT_PATH') ?? env('GITHUB_REPOSITORY');
  return source === undefined || own === undefined ? undefined : source !== own;
}

/** The head of a pull request on GitHub. */
async function headRepository(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const event = parseJson(await readFile(file, 'utf8'));
    const name = valueAt(event, '/pull_request/head/repo/full_name');
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
