/**
 * Pipelines of several projects in one job, as `init` writes them: the reviewed plan of all, one comment, the apply in the order of the
 * projects, what is left for the next run, drift as one request, and forks.
 */

import { onTestFinished, describe, expect, test } from 'vitest';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import type { ReviewedRequest } from '../helpers/forge-reviews.ts';
import { commentFork, propose, shownIn } from '../helpers/fork.ts';
import {
  appliedOf,
  commit,
  git,
  githubJob,
  gitlabJob,
  headOf,
  pipelineOf,
  push,
  startCi,
  type Ci,
  type Env,
  type Ran,
} from '../helpers/pipeline.ts';
import { startWorld, type World } from '../helpers/world.ts';

const KEYS: Env = { STAGING_KEY: 'phx_planted_key_of_staging_01', EU_KEY: 'phx_planted_key_of_eu_0123456' };
const share = (percentage: number): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${percentage} }\n`;

/** Staging, and eu after it, with the flag as it is live in both. */
interface Two extends Ci {
  readonly eu: World;
  readonly text: (file: string) => string;
}

async function startTwo(start: () => Promise<Ci>): Promise<Two> {
  const ci = await start();
  const eu = await startWorld('posthog');
  onTestFinished(async () => eu.close());
  await eu.client.createFlag({ key: 'checkout', active: true, filters: { groups: [{ rollout_percentage: 50 }] } });
  const projects = [
    { name: 'staging', host: ci.world.url, projectId: '1', apiKeyVariable: 'STAGING_KEY' },
    { name: 'eu', host: eu.url, projectId: '1', apiKeyVariable: 'EU_KEY' },
  ];
  const entries = projects.map(
    ({ name, host, apiKeyVariable }) =>
      `  ${name}: { host: "${host}", project_id: "1", api_key_env: ${apiKeyVariable}${name === 'eu' ? ', after: [staging]' : ''} }\n`,
  );
  const settings = `projects:\n  local: { service: embedded }\n${entries.join('')}limits: { deletes: 0 }\n`;
  commit(ci, { 'flagwright.yaml': settings });
  push(ci);
  return { ...ci, eu, text: (file) => pipelineOf(file, projects) };
}

const shareIn = async (world: World): Promise<unknown> =>
  (await world.client.listFlags()).find(({ key }) => key === 'checkout')?.filters?.groups?.[0]?.rollout_percentage;
const sharesIn = async ({ world, eu }: Two): Promise<unknown> => [await shareIn(world), await shareIn(eu)];
const appliedIn = (ci: Ci): readonly string[] => [appliedOf(ci, 'staging'), appliedOf(ci, 'eu')];

interface Side {
  readonly name: string;
  readonly start: () => Promise<Two>;
  readonly review: (ci: Two, base: string, keys?: Env) => Promise<Ran>;
  readonly run: (ci: Two, name: 'plan' | 'apply' | 'due' | 'drift', keys?: Env) => Promise<Ran>;
  /** The code of the last plan, as later jobs read it. */
  readonly code: (ci: Two) => string;
  /** The name of what the review has stored, where it is not that of the job. */
  readonly artifactOf: (head: string) => { readonly name?: string };
}

const onGithub = (ci: Two, name: string, event: string, more: { payload?: object; keys?: Env; values?: Env } = {}) =>
  githubJob(ci, name, {
    text: ci.text('.github/workflows/flags.yml'),
    values: {
      'env.REQUIRE_REVIEWED': 'true',
      ...Object.fromEntries(Object.entries(more.keys ?? KEYS).map(([key, value]) => [`secrets.${key}`, value])),
      ...more.values,
    },
    env: { GITHUB_EVENT_NAME: event },
    ...(more.payload === undefined ? {} : { event: more.payload }),
  });

const requestOn = (base: string, head: string, name = 'acme/shop'): object => ({
  pull_request: { number: 7, base: { sha: base, ref: 'main' }, head: { sha: head, repo: { full_name: name } } },
});

const GITHUB: Side = {
  name: 'GitHub',
  start: () => startTwo(() => startCi(share(50), startGithub)),
  review: (ci, base, keys = KEYS) =>
    onGithub(ci, 'plan', 'pull_request', { payload: requestOn(base, headOf(ci)), keys }),
  run: (ci, name, keys = KEYS) => onGithub(ci, name, ['due', 'drift'].includes(name) ? 'schedule' : 'push', { keys }),
  artifactOf: (head) => ({ name: `flag-review-staging,eu-7-${head}` }),
  code: ({ workspace }) => /^code=(\d+)$/m.exec(workspace.read('output'))?.[1] ?? '',
};

const onGitlab = (ci: Two, name: string, env: Env): Promise<Ran> => {
  const tokens = { FLAG_NOTES_TOKEN: TOKEN, FLAG_DRIFT_TOKEN: TOKEN };
  const around = { POSTHOG_API_KEY: '', FLAG_REQUIRE_REVIEWED: 'true', ...tokens, ...env };
  return gitlabJob(ci, `flags:${name}`, around, ci.text('.gitlab/flags.gitlab-ci.yml'));
};

const GITLAB: Side = {
  name: 'GitLab',
  start: () => startTwo(() => startCi(share(50), startGitlab)),
  review: (ci, _, keys = KEYS) =>
    onGitlab(ci, 'plan', {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
      ...keys,
    }),
  run: (ci, name, keys = KEYS) =>
    onGitlab(ci, name, { ...(['due', 'drift'].includes(name) ? { CI_PIPELINE_SOURCE: 'schedule' } : {}), ...keys }),
  artifactOf: () => ({}),
  code: ({ workspace }) => /^FLAG_PLAN_CODE=(\d+)$/m.exec(workspace.read('plan.env'))?.[1] ?? '',
};

describe.each([GITHUB, GITLAB])('on $name', ({ start, review, run, code, artifactOf }) => {
  /** Has the plan of a change reviewed, and merges it. */
  async function merge(ci: Two, percentages: readonly number[]): Promise<ReviewedRequest> {
    const { workspace, forge } = ci;
    const base = headOf(ci);
    let request: ReviewedRequest | undefined;
    for (const percentage of percentages) {
      const head = commit(ci, { 'flags/main.yaml': share(percentage) });
      request = { number: 7, head, author: 'author', reviews: [] };
      forge.reviewed.splice(0, 1, request);
      const reviewed = await review(ci, base);
      expect([reviewed.code, reviewed.log]).toEqual([0, expect.stringContaining(`${percentage}%`) as string]);
      request.plan = {
        text: workspace.read('plan.json'),
        review: workspace.read('flag-review.json'),
        ...artifactOf(head),
      };
    }
    if (request === undefined) throw new Error('nothing to merge');
    git(ci, 'switch', '-q', '-C', 'main', request.head);
    git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
    request.mergedAs = headOf(ci);
    push(ci);
    return request;
  }

  test('a change has one comment with a table of all projects, which its next commit edits, and is applied to all', async () => {
    const ci = await start();
    await merge(ci, [60, 70]);
    expect(ci.forge.comments).toHaveLength(1);
    const [{ text } = { text: '' }] = ci.forge.comments;
    expect(text).toMatch(/^<!-- flagwright plan staging%2Ceu -->\n/);
    expect(text).toMatch(/\| *`staging` *\|.*to apply/);
    expect(text).toMatch(/\| *`eu` *\|.*to apply/);
    expect(text).toContain('70');
    expect(text).not.toContain('60%');
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    expect(code(ci)).toBe('2');
    expect(await run(ci, 'apply')).toMatchObject({ code: 0 });
    expect([await sharesIn(ci), appliedIn(ci)]).toEqual([
      [70, 70],
      [headOf(ci), headOf(ci)],
    ]);
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    expect(code(ci)).toBe('0');
    expect(await run(ci, 'due')).toMatchObject({ code: 0 });
  });

  test('a project after one that is stale is held, and the next run does what is left, by the same review', async () => {
    const ci = await start();
    const first = headOf(ci);
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    expect(await run(ci, 'apply')).toMatchObject({ code: 0 });
    await merge(ci, [60]);
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    await ci.eu.edit('checkout', { active: false });
    const half = await run(ci, 'apply');
    expect([half.code, await sharesIn(ci)]).toEqual([3, [60, 50]]);
    expect(appliedIn(ci)).toEqual([headOf(ci), first]);
    await ci.eu.edit('checkout', { active: true });
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    expect(code(ci)).toBe('2');
    expect(await run(ci, 'apply')).toMatchObject({ code: 0 });
    expect([await sharesIn(ci), appliedIn(ci)]).toEqual([
      [60, 60],
      [headOf(ci), headOf(ci)],
    ]);
  });

  test('a project that is refused refuses the change, and the table says which', async () => {
    const ci = await start();
    const base = headOf(ci);
    await ci.eu.client.createFlag({ key: 'old', active: true });
    commit(ci, { 'flags/main.yaml': `${share(60)}  old: { deleted: true, only_in: [eu] }\n` });
    const refused = await review(ci, base);
    expect([refused.code, code(ci)]).toEqual([4, '4']);
    const [{ text } = { text: '' }] = ci.forge.comments;
    expect(text).toMatch(/\| *`staging` *\|.*to apply/);
    expect(text).toMatch(/\| *`eu` *\|.*refused/);
  });

  test('a key that is missing fails its project alone, and is named; without any, nothing is asked', async () => {
    const ci = await start();
    const base = headOf(ci);
    commit(ci, { 'flags/main.yaml': share(60) });
    const planned = await review(ci, base, { ...KEYS, EU_KEY: '' });
    expect([planned.code, planned.log]).toEqual([1, expect.stringContaining('EU_KEY is empty, or this job') as string]);
    expect(ci.forge.comments[0]?.text).toMatch(/\| *`eu` *\|.*failed/);
    expect(ci.forge.comments[0]?.text).toMatch(/\| *`staging` *\|.*to apply/);
    const none = await review(ci, base, { STAGING_KEY: '', EU_KEY: '' });
    expect([none.code, none.log]).toEqual([1, expect.stringContaining('STAGING_KEY is empty') as string]);
  });

  test('what people changed anywhere becomes one request, which is closed when nothing is left', async () => {
    const ci = await start();
    expect(await run(ci, 'plan')).toMatchObject({ code: 0 });
    expect(await run(ci, 'apply')).toMatchObject({ code: 0 });
    await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 80 }] } });
    await ci.eu.edit('checkout', { active: false });
    const found = await run(ci, 'drift');
    expect([found.code, found.log]).toEqual([0, expect.any(String)]);
    expect(ci.forge.requests).toMatchObject([
      { branch: 'flagwright/drift', title: 'Flags in staging, eu have drifted', isOpen: true },
    ]);
    const written = git(ci, 'show', 'flagwright/drift:flags/main.yaml');
    expect([written.includes('80'), written.includes('active: false')]).toEqual([true, true]);
    await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    await ci.eu.edit('checkout', { active: true });
    git(ci, 'switch', '-q', 'main');
    expect(await run(ci, 'drift')).toMatchObject({ code: 0 });
    expect(ci.forge.requests).toMatchObject([{ isOpen: false }]);
  });
});

test('a change of a fork is planned for all projects, as one page and one comment with a table, without a key', async () => {
  const ci = await GITHUB.start();
  const published = await onGithub(ci, 'drift', 'schedule', { values: { 'env.PUBLISH_SNAPSHOT': 'true' } });
  expect(published).toMatchObject({ code: 0 });
  await Promise.all([ci.world.close(), ci.eu.close()]);
  const both = /\| `staging` \| to apply [^]*\| `eu` \| to apply [^]*Plan for `staging`[^]*60%[^]*Plan for `eu`[^]*60%/;
  const pages = (): unknown =>
    [...ci.workspace.read('plan.html').matchAll(/<h2>Plan for <code>(\w+)/g)].map(([, name]) => name);
  const text = ci.text('.github/workflows/flags-forks.yml');
  const pull = propose(ci, `printf '${share(60).replaceAll('\n', '\\n')}' > flags/main.yaml`);
  const { code, log } = await commentFork(ci, pull.head, { text });
  expect([code, shownIn(ci) ?? log, pages()]).toEqual([0, expect.stringMatching(both), ['staging', 'eu']]);
  commit(ci, { 'flags/main.yaml': share(60) });
  const payload = requestOn(headOf(ci), headOf(ci), 'stranger/shop');
  const own = await onGithub(ci, 'plan-fork', 'pull_request', { payload, keys: {} });
  expect([own.code, own.summary, pages()]).toEqual([0, expect.stringMatching(both), ['staging', 'eu']]);
  // Of a project without a snapshot, the comment says so.
  git(ci, 'reset', '-q', '--hard', 'HEAD~');
  git(ci, 'push', '-q', 'origin', '--delete', 'refs/flagwright/snapshot/eu');
  expect(await commentFork(ci, pull.head, { text })).toMatchObject({ code: 0 });
  expect(shownIn(ci)).toMatch(/No snapshot of eu is published[^]*### Plan for `staging`[^]*60%/);
});

test('a line of keys without a variable is refused, and not shown', async () => {
  const ci = await GITLAB.start();
  const text = ci.text('.gitlab/flags.gitlab-ci.yml').replaceAll('EU_KEY=$EU_KEY', '$EU_KEY');
  const ran = await gitlabJob(ci, 'flags:plan', KEYS, text);
  expect([ran.code, ran.log]).toEqual([1, expect.stringContaining('A line of the API keys has no variable') as string]);
  expect(ran.log).not.toContain(KEYS['EU_KEY']);
});
