/** What a message says about its job, by the environment. */

import { expect, test } from 'vitest';
import { findRunFacts } from '../../../src/cli/session/publish.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const GITHUB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/flags',
  GITHUB_RUN_ID: '5',
  GITHUB_ACTOR: 'ann',
};
const GITLAB = {
  GITLAB_CI: 'true',
  GITLAB_USER_LOGIN: 'bob',
  CI_JOB_URL: 'https://gitlab.test/acme/flags/-/jobs/9',
  CI_PROJECT_URL: 'https://gitlab.test/acme/flags',
};
const page = 'https://github.com/acme/flags/actions/runs/5';
const pull = (number: number) => ({
  name: `Pull request #${number}`,
  url: `https://github.com/acme/flags/pull/${number}`,
});

function factsOf(env: Readonly<Record<string, string>>, message = ''): unknown {
  const { root } = createWorkspace({ 'event.json': JSON.stringify({ head_commit: { message } }) });
  return findRunFacts({
    env: { ...env, GITHUB_EVENT_PATH: 'event.json' },
    cwd: root,
    user: { name: 'eve', host: 'h' } as never,
  });
}

test.each<[string, Readonly<Record<string, string>>, string, unknown]>([
  [
    'a pull request of GitHub',
    { ...GITHUB, GITHUB_REF: 'refs/pull/7/merge' },
    '',
    { actor: 'ann', page, request: pull(7) },
  ],
  ['a squashed merge', GITHUB, 'Widen search (#12)\n\n(#99)', { actor: 'ann', page, request: pull(12) }],
  ['a merge', GITHUB, 'Merge pull request #3 from acme/x', { actor: 'ann', page, request: pull(3) }],
  ['another commit', GITHUB, 'See #4 at https://evil.example/(#5) x', { actor: 'ann', page }],
  ['a job without a run', { GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'ann' }, 'x (#1)', { actor: 'ann' }],
  ['a repository that is no path', { ...GITHUB, GITHUB_REPOSITORY: 'a b>|<' }, 'x (#1)', { actor: 'ann' }],
  [
    'a merge request of GitLab',
    { ...GITLAB, CI_MERGE_REQUEST_IID: '4', CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.test/up/flags' },
    '',
    {
      actor: 'bob',
      page: GITLAB.CI_JOB_URL,
      request: { name: 'Merge request !4', url: 'https://gitlab.test/up/flags/-/merge_requests/4' },
    },
  ],
  [
    'its merge',
    { ...GITLAB, CI_COMMIT_MESSAGE: "Merge branch 'x'\n\nSee merge request acme/flags!8" },
    '',
    {
      actor: 'bob',
      page: GITLAB.CI_JOB_URL,
      request: { name: 'Merge request !8', url: 'https://gitlab.test/acme/flags/-/merge_requests/8' },
    },
  ],
  ['a terminal', {}, 'x (#1)', { actor: 'eve' }],
])('in %s', (_, env, message, facts) => {
  expect(factsOf(env, message)).toEqual(facts);
});
