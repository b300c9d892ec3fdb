/** Who a run in CI is made for, by the variables of its job: what the journal and a report name later. */

import { expect, test } from 'vitest';
import { CI_SYSTEMS } from '../../../src/cli/runs/record-run.ts';

const JOB = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'acme/app', GITHUB_RUN_ID: '7' };
const PAGE = 'https://github.com/acme/app/actions/runs/7';

test.each<[string, Readonly<Record<string, string>>, object | undefined]>([
  ['GITHUB_ACTIONS', { GITHUB_ACTOR: 'ann', ...JOB }, { name: 'ann', ci: 'GitHub Actions', url: PAGE }],
  ['GITHUB_ACTIONS', { GITHUB_ACTOR: 'ann', GITHUB_TRIGGERING_ACTOR: 'ben' }, { name: 'ben', ci: 'GitHub Actions' }],
  ['GITHUB_ACTIONS', { GITHUB_ACTOR: 'ann', ...JOB, GITHUB_RUN_ID: '' }, { name: 'ann', ci: 'GitHub Actions' }],
  ['GITHUB_ACTIONS', { GITHUB_ACTOR: 'ann', ...JOB, GITHUB_REPOSITORY: '' }, { name: 'ann', ci: 'GitHub Actions' }],
  ['GITHUB_ACTIONS', { GITHUB_ACTOR: 'ann', ...JOB, GITHUB_SERVER_URL: '' }, { name: 'ann', ci: 'GitHub Actions' }],
  ['GITHUB_ACTIONS', JOB, undefined],
  [
    'GITLAB_CI',
    { GITLAB_USER_LOGIN: 'cy', CI_JOB_URL: 'https://x/1' },
    { name: 'cy', ci: 'GitLab CI', url: 'https://x/1' },
  ],
  ['GITLAB_CI', { GITLAB_USER_LOGIN: 'cy' }, { name: 'cy', ci: 'GitLab CI' }],
  ['GITLAB_CI', { CI_JOB_URL: 'https://x/1' }, undefined],
])('where %s is set, %j is %j', (marker, env, actor) => {
  const system = CI_SYSTEMS.find((one) => one.marker === marker);
  expect(system?.actor((name) => (Object.hasOwn(env, name) ? env[name] : undefined) || undefined)).toEqual(actor);
});

test('each system says which variables tell the commit, the event and the branch', () => {
  expect(CI_SYSTEMS.map(({ name, commit, event, base }) => [name, commit, event, base])).toEqual([
    ['GitHub Actions', 'GITHUB_SHA', 'GITHUB_EVENT_NAME', 'GITHUB_BASE_REF'],
    ['GitLab CI', 'CI_COMMIT_SHA', 'CI_PIPELINE_SOURCE', 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME'],
  ]);
  for (const { permission } of CI_SYSTEMS) expect(permission).toMatch(/contents: write|write_repository/);
});
