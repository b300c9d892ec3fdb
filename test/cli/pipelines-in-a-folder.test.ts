/**
 * Pipelines of a folder below the top of the repository: from the reviewed plan to the apply, and drift, in a checkout of a bare clone. On
 * GitHub that is done by the built command, in processes.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import type { ReviewedRequest } from '../helpers/forge-reviews.ts';
import { commentFork, propose, shownIn } from '../helpers/fork.ts';
import {
  appliedOf,
  branchOf,
  commit,
  git,
  githubJob,
  gitlabJob,
  HALF,
  headOf,
  push,
  startBuiltCi,
  startCi,
  templateOf,
  type Ci,
  type Env,
  type Ran,
} from '../helpers/pipeline.ts';

const FOLDER = 'apps/shop';
const MANIFEST = `${FOLDER}/flags/main.yaml`;

/** Moves the configuration and the manifest of a new repository. */
function intoFolder(ci: Ci): void {
  for (const file of ['flagwright.yaml', 'flags/main.yaml']) {
    ci.workspace.write(`${FOLDER}/${file}`, ci.workspace.read(file));
    git(ci, 'rm', '-q', file);
  }
}

const readRef = (ci: Ci): string => appliedOf(ci, 'apps%2Fshop%2Fproduction');

interface Side {
  readonly name: string;
  readonly start: () => Promise<Ci>;
  readonly review: (ci: Ci, base: string) => Promise<Ran>;
  readonly plan: (ci: Ci) => Promise<Ran>;
  readonly apply: (ci: Ci) => Promise<Ran>;
  readonly drift: (ci: Ci) => Promise<Ran>;
}

const onGithub = (ci: Ci, name: string, event: string, payload?: object): Promise<Ran> =>
  githubJob(ci, name, {
    text: templateOf('.github/workflows/flags.yml', ci.world.url, `${FOLDER}/`),
    values: { 'env.REQUIRE_REVIEWED': 'true' },
    env: { GITHUB_EVENT_NAME: event },
    ...(payload === undefined ? {} : { event: payload }),
  });

const GITHUB: Side = {
  name: 'GitHub',
  start: () => startBuiltCi(HALF, startGithub),
  review: (ci, base) => {
    const head = { sha: headOf(ci), repo: { full_name: 'acme/shop' } };
    return onGithub(ci, 'plan', 'pull_request', {
      pull_request: { number: 7, base: { sha: base, ref: 'main' }, head },
    });
  },
  plan: (ci) => onGithub(ci, 'plan', 'push'),
  apply: (ci) => onGithub(ci, 'apply', 'push'),
  drift: (ci) => onGithub(ci, 'drift', 'schedule'),
};

const onGitlab = (ci: Ci, name: string, env: Env = {}): Promise<Ran> => {
  const jobs = parse(templateOf('.gitlab/flags.gitlab-ci.yml', ci.world.url, `${FOLDER}/`)) as {
    readonly '.flags': { readonly variables: Env };
  };
  const tokens = { FLAG_NOTES_TOKEN: TOKEN, FLAG_DRIFT_TOKEN: TOKEN };
  return gitlabJob(ci, name, { ...jobs['.flags'].variables, ...tokens, ...env });
};

const GITLAB: Side = {
  name: 'GitLab',
  start: () => startCi(HALF, startGitlab),
  review: (ci) =>
    onGitlab(ci, 'flags:plan', {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
    }),
  plan: (ci) => onGitlab(ci, 'flags:plan'),
  apply: (ci) => onGitlab(ci, 'flags:apply'),
  drift: (ci) => onGitlab(ci, 'flags:drift', { CI_PIPELINE_SOURCE: 'schedule' }),
};

describe.each([GITHUB, GITLAB])('on $name', ({ start, review, plan, apply, drift }) => {
  test('the plan of a request is applied after its merge, and drift becomes a change of the same folder', async () => {
    const ci = await start();
    const { workspace, world, forge } = ci;
    intoFolder(ci);
    const base = commit(ci, {});
    push(ci);

    const head = commit(ci, { [MANIFEST]: HALF.replace('50', '60') });
    const request: ReviewedRequest = { number: 7, head, author: 'author', reviews: [] };
    forge.reviewed.push(request);
    const reviewed = await review(ci, base);
    expect([reviewed.code, reviewed.log]).toEqual([0, expect.stringContaining('50% → 60%') as string]);
    expect(existsSync(path.join(workspace.root, 'plan.json'))).toBe(false);
    const stored = (name: string): string => workspace.read(`${FOLDER}/${name}`);
    request.plan = { text: stored('plan.json'), review: stored('flag-review.json'), folder: `${FOLDER}/` };

    git(ci, 'switch', '-q', '-C', 'main', head);
    git(ci, 'commit', '-q', '--allow-empty', '-m', 'Merge');
    request.mergedAs = headOf(ci);
    push(ci);
    expect(await plan(ci)).toMatchObject({ code: 0 });
    expect(await apply(ci)).toMatchObject({ code: 0 });
    expect((await world.client.listFlags())[0]?.filters?.groups?.[0]?.rollout_percentage).toBe(60);
    expect(readRef(ci)).toBe(headOf(ci));

    await world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 80 }] } });
    expect(await drift(ci)).toMatchObject({ code: 0 });
    expect(git(ci, 'show', `${branchOf(ci)}:${MANIFEST}`)).toContain('rollout_percentage: 80 } # half');
  });
});

test('a change of a fork is commented with the plan of the folder, and nothing beside the folder is taken', async () => {
  const ci = await startCi(HALF, startGithub);
  intoFolder(ci);
  commit(ci, {});
  push(ci);
  const text = templateOf('.github/workflows/flags.yml', ci.world.url, `${FOLDER}/`);
  const values = { 'env.REQUIRE_REVIEWED': 'true', 'env.PUBLISH_SNAPSHOT': 'true' };
  expect(await githubJob(ci, 'drift', { text, values, env: { GITHUB_EVENT_NAME: 'schedule' } })).toMatchObject({
    code: 0,
  });
  await ci.world.close();

  const write = (file: string, content: string): string =>
    `mkdir -p "$(dirname ${file})"; printf '%s' '${content}' > ${file}`;
  const pull = propose(
    ci,
    [
      write(MANIFEST, HALF.replace('50', '60')),
      write(`${FOLDER}/flagwright.yaml`, 'projects: {}'),
      write('flags/main.yaml', 'flags: { beside: { active: true } }'),
      write('apps/other/flags/main.yaml', 'flags: { other: { active: true } }'),
    ].join('\n'),
  );
  const { code, log } = await commentFork(ci, pull.head, { folder: FOLDER });
  expect([code, shownIn(ci) ?? log]).toEqual([0, expect.stringContaining('50% → 60%') as string]);
  expect(shownIn(ci)).not.toMatch(/beside|other/);
  expect(git(ci, 'status', '--porcelain', '--', 'apps', 'flags')).toBe(`M ${MANIFEST}`);
  expect(existsSync(path.join(ci.workspace.root, 'plan.md'))).toBe(false);

  const beside = propose(ci, write('flags/main.yaml', 'flags: {}'));
  expect((await commentFork(ci, beside.head, { folder: FOLDER })).log).toContain('changes no manifest');
});

test('annotations name the file as the repository does', async () => {
  const ci = await startCi(HALF, startGithub);
  commit(ci, {
    [`${FOLDER}/flagwright.yaml`]: ci.workspace.read('flagwright.yaml'),
    [MANIFEST]: 'flags:\n  checkout: { active: 7 }\n',
  });
  const { code, log } = await onGithub(ci, 'validate', 'pull_request');
  expect([code, log]).toEqual([1, expect.stringContaining(`::error file=${MANIFEST},line=2`) as string]);
});
