/** A job for each project, as docs/commands/projects.md makes a matrix of what `projects` lists: the workflow of `init`, on a forge. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../helpers/action.ts';
import { startGithub } from '../helpers/forge.ts';
import type { ReviewedRequest } from '../helpers/forge-reviews.ts';
import { appliedOf, commit, git, githubJob, headOf, pipelineOf, push, startCi, type Ci } from '../helpers/pipeline.ts';
import { runCli } from '../helpers/run.ts';
import { startWorld, type World } from '../helpers/world.ts';

interface Row {
  readonly project: string;
  readonly key: string;
}

const SECRETS = {
  'secrets.STAGING_KEY': 'phx_planted_key_of_staging_01',
  'secrets.EU_KEY': 'phx_planted_key_of_eu_0123456',
};
const ROWS: readonly [Row, Row] = [
  { project: 'staging', key: 'STAGING_KEY' },
  { project: 'eu', key: 'EU_KEY' },
];
const PAGE = readFileSync(path.join(ROOT, 'docs/commands/projects.md'), 'utf8');
const share = (percentage: number): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${percentage} }\n`;
const shareIn = async (world: World): Promise<unknown> =>
  (await world.client.listFlags()).find(({ key }) => key === 'checkout')?.filters?.groups?.[0]?.rollout_percentage;

async function start(): Promise<{ readonly ci: Ci; readonly eu: World }> {
  const ci = await startCi(share(50), startGithub);
  const eu = await startWorld('posthog');
  onTestFinished(async () => eu.close());
  await eu.client.createFlag({ key: 'checkout', active: true, filters: { groups: [{ rollout_percentage: 50 }] } });
  const projects = `projects:
  local: { service: embedded }
  staging: { host: "${ci.world.url}", project_id: "1", api_key_env: STAGING_KEY }
  eu: { host: "${eu.url}", project_id: "1", api_key_env: EU_KEY }
`;
  commit(ci, { 'flagwright.yaml': projects });
  push(ci);
  return { ci, eu };
}

/** The workflow of `init` for one project, with the lines of the page in place of its own, as the runner fills them in for the row. */
function workflowOf(ci: Ci, { project, key }: Row): string {
  const [, ofProject = '', ofKeys = ''] = /```yaml\n(project: .*)\n(api-keys: .*)\n```/.exec(PAGE) ?? [];
  const one = { name: 'one', host: ci.world.url, projectId: '1', apiKeyVariable: 'ONE_KEY' };
  return pipelineOf('.github/workflows/flags.yml', [one])
    .replaceAll("project: 'one'", ofProject)
    .replaceAll(/^ +hosts: .*\n/gm, '')
    .replaceAll(/api-keys: \|\n +ONE_KEY=.*/g, ofKeys)
    .replaceAll('${{ matrix.project }}', project)
    .replaceAll('${{ matrix.key }}', key)
    .replaceAll('secrets[matrix.key]', `secrets.${key}`);
}

async function run(ci: Ci, row: Row, { name, event, payload }: { name: string; event: string; payload?: object }) {
  return githubJob(ci, name, {
    text: workflowOf(ci, row),
    values: { 'env.REQUIRE_REVIEWED': 'true', ...SECRETS },
    env: { GITHUB_EVENT_NAME: event },
    ...(payload && { event: payload }),
  });
}

test.skipIf(!hasJq())('the page takes the projects of a service, with the secrets of their keys', async () => {
  const { ci } = await start();
  const { stdout } = await runCli(['projects', '-f', 'json'], { cwd: ci.workspace.root });
  ci.workspace.write('list.txt', stdout);
  const [, command = ''] = /```sh\n(echo .*)\n```/.exec(PAGE) ?? [];
  const output = path.join(ci.workspace.root, 'output');
  const ran = await ci.script(command.replace('npx flagwright projects -f json', 'cat list.txt'), {
    GITHUB_OUTPUT: output,
  });
  expect([ran.code, ci.workspace.read('output')]).toEqual([0, `projects=${JSON.stringify(ROWS)}\n`]);
});

test('each project has a comment, a review, an apply and a request about drift of its own', async () => {
  const { ci, eu } = await start();
  const base = headOf(ci);
  let request: ReviewedRequest = { number: 7, head: base, author: 'author', reviews: [] };
  let plans: { readonly row: Row; readonly plan: NonNullable<ReviewedRequest['plan']> }[] = [];
  for (const percentage of [60, 70]) {
    request = { ...request, head: commit(ci, { 'flags/main.yaml': share(percentage) }) };
    ci.forge.reviewed.splice(0, 1, request);
    plans = [];
    for (const row of ROWS) {
      const sides = { base: { sha: base, ref: 'main' }, head: { sha: request.head, repo: { full_name: 'acme/shop' } } };
      const payload = { pull_request: { number: 7, ...sides } };
      const reviewed = await run(ci, row, { name: 'plan', event: 'pull_request', payload });
      expect([reviewed.code, reviewed.log]).toEqual([0, expect.stringContaining(`${percentage}%`) as string]);
      const name = `flag-review-${row.project}-7-${request.head}`;
      const [text, review] = [ci.workspace.read('plan.json'), ci.workspace.read('flag-review.json')];
      plans.push({ row, plan: { name, text, review } });
    }
  }
  expect(ci.forge.comments.map(({ text }) => /^<!-- flagwright plan (\S+) -->/.exec(text)?.[1])).toEqual([
    'staging',
    'eu',
  ]);
  for (const { text } of ci.forge.comments) expect(text).toContain('70%');

  git(ci, 'switch', '-q', '-C', 'main', request.head);
  git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
  request.mergedAs = headOf(ci);
  push(ci);
  for (const { row, plan } of plans) {
    request.plan = plan;
    expect(await run(ci, row, { name: 'plan', event: 'push' })).toMatchObject({ code: 0 });
    expect(ci.workspace.read('output')).toContain('code=2');
    expect(await run(ci, row, { name: 'apply', event: 'push' })).toMatchObject({ code: 0 });
    expect(appliedOf(ci, row.project)).toBe(headOf(ci));
  }
  expect([await shareIn(ci.world), await shareIn(eu)]).toEqual([70, 70]);

  await ci.world.edit('checkout', { active: false });
  await eu.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 80 }] } });
  for (const row of ROWS) {
    expect(await run(ci, row, { name: 'drift', event: 'schedule' })).toMatchObject({ code: 0 });
    git(ci, 'switch', '-q', 'main');
  }
  expect(ci.forge.requests.map(({ branch, isOpen }) => [branch, isOpen])).toEqual([
    ['flagwright/drift-staging', true],
    ['flagwright/drift-eu', true],
  ]);
  expect(git(ci, 'show', 'flagwright/drift-eu:flags/main.yaml')).toContain('80');
});

test('a review of one project is none of another', async () => {
  const { ci } = await start();
  const [staging, eu] = ROWS;
  const base = headOf(ci);
  const head = commit(ci, { 'flags/main.yaml': share(60) });
  const request: ReviewedRequest = { number: 7, head, author: 'author', reviews: [] };
  ci.forge.reviewed.push(request);
  const sides = { base: { sha: base, ref: 'main' }, head: { sha: head, repo: { full_name: 'acme/shop' } } };
  await run(ci, staging, { name: 'plan', event: 'pull_request', payload: { pull_request: { number: 7, ...sides } } });
  const [text, review] = [ci.workspace.read('plan.json'), ci.workspace.read('flag-review.json')];
  request.plan = { name: `flag-review-staging-7-${head}`, text, review };
  git(ci, 'switch', '-q', '-C', 'main', head);
  git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
  request.mergedAs = headOf(ci);
  push(ci);
  const planned = await run(ci, eu, { name: 'plan', event: 'push' });
  expect([planned.code, planned.log]).toEqual([4, expect.stringContaining('review') as string]);
});

function hasJq(): boolean {
  return spawnSync('bash', ['-c', 'command -v jq']).status === 0;
}
