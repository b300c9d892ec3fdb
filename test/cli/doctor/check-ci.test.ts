/** What `doctor` says of the CI system: its job, whether the change comes from a fork, and tokens by name, whose values stay secret. */

import { expect, test } from 'vitest';
import { checkCi } from '../../../src/cli/doctor/check-repository.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

async function checked(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly found: unknown; readonly secrets: string[] }> {
  const secrets: string[] = [];
  const add = (secret: string): void => void secrets.push(secret);
  const results = await checkCi({ context: { env }, secrets: { add } } as unknown as Session);
  return { found: results, secrets };
}

const ci = (facts: object): object => ({ code: 'ci', facts });

test.each<[string, Readonly<Record<string, string>>, object]>([
  ['no system', {}, { code: 'no_ci', facts: {} }],
  ['no system where its mark is empty', { CI: '', GITHUB_ACTIONS: '' }, { code: 'no_ci', facts: {} }],
  [
    'a system of which only the name is known',
    { CIRCLECI: 'true', CI: 'true' },
    ci({ system: 'CircleCI', tokens: [] }),
  ],
  ['Buildkite', { BUILDKITE: 'true' }, ci({ system: 'Buildkite', tokens: [] })],
  ['Jenkins', { JENKINS_URL: 'http://x' }, ci({ system: 'Jenkins', tokens: [] })],
  ['Azure Pipelines', { TF_BUILD: 'True' }, ci({ system: 'Azure Pipelines', tokens: [] })],
  ['Bitbucket Pipelines', { BITBUCKET_BUILD_NUMBER: '1' }, ci({ system: 'Bitbucket Pipelines', tokens: [] })],
  ['a system without a name', { CI: 'true' }, ci({ system: 'a CI system', tokens: [] })],
  [
    'a push on GitHub',
    { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'push', GITHUB_REPOSITORY: 'acme/app' },
    ci({ system: 'GitHub Actions', event: 'push', tokens: [] }),
  ],
  [
    'a merge request of GitLab',
    {
      GITLAB_CI: 'true',
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'acme/app',
      CI_MERGE_REQUEST_PROJECT_PATH: 'acme/app',
    },
    ci({ system: 'GitLab CI', event: 'merge_request_event', base: 'main', fork: false, tokens: [] }),
  ],
  [
    'one of a fork on GitLab',
    { GITLAB_CI: '1', CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'eve/app', CI_MERGE_REQUEST_PROJECT_PATH: 'acme/app' },
    ci({ system: 'GitLab CI', fork: true, tokens: [] }),
  ],
])('%s', async (_what, env, expected) => {
  expect((await checked(env)).found).toEqual([{ section: 'ci', status: 'ok', ...expected }]);
});

const pull = (name: unknown): string => JSON.stringify({ pull_request: { head: { repo: { full_name: name } } } });

test.each<[string, string, boolean | undefined]>([
  ['the same repository', pull('acme/app'), false],
  ['another one', pull('eve/app'), true],
  ['one without a name', pull(7), undefined],
  ['an event without a pull request', '{}', undefined],
  ['a file that is no JSON', '{', undefined],
])('a pull request of %s is of a fork: %s', async (_what, event, fork) => {
  const { root } = createWorkspace({ 'event.json': event });
  const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: `${root}/event.json`, GITHUB_REPOSITORY: 'acme/app' };
  const text = JSON.stringify((await checked(env)).found);
  if (fork === undefined) expect(text).not.toContain('"fork"');
  else expect(text).toContain(`"fork":${fork}`);
  const { GITHUB_REPOSITORY: _, ...unknown } = env;
  expect(JSON.stringify((await checked(unknown)).found)).not.toContain('"fork"');
});

test('tokens are named, and their values are secret from then on', async () => {
  const names = ['GITHUB_TOKEN', 'GH_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'CI_JOB_TOKEN', 'GITLAB_TOKEN'];
  for (const name of names) {
    const { found, secrets } = await checked({ CI: '1', [name]: `hush-${name}`, OTHER_TOKEN: 'x' });
    expect(JSON.stringify(found)).toContain(`"tokens":["${name}"]`);
    expect(JSON.stringify(found)).not.toContain('hush');
    expect(secrets).toEqual([`hush-${name}`]);
  }
  expect((await checked({ CI: '1', GITHUB_TOKEN: '' })).secrets).toEqual([]);
});
