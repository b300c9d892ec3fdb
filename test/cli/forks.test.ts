/** Changes from forks, which get no key: the snapshot that trusted jobs publish, and the plan against it, on GitHub and on GitLab. */

// @module-tag untimely
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import {
  commit,
  DELETE,
  git,
  githubJob,
  gitlabJob,
  HALF,
  headOf,
  KEY,
  EXCEPTIONS,
  push,
  startCi,
  type Ci,
  type Ran,
} from '../helpers/pipeline.ts';

const REF = 'refs/flagwright/snapshot/production';
const PUBLISH = { 'env.PUBLISH_SNAPSHOT': 'true' };
const MORE = HALF.replace('50', '60');
/** Of a job that takes a key from wherever there is one. */
const STRAY_KEY = { POSTHOG_API_KEY: KEY, FLAGWRIGHT_HOSTS: '' };

const isPublished = (ci: Ci): boolean => git(ci, 'ls-remote', 'origin', REF) !== '';

/** What is published, and whether it is all that the ref leads to. */
function published(ci: Ci): { readonly files: string; readonly history: string; readonly text: string } {
  const repository = ['--git-dir', path.join(ci.workspace.root, 'origin.git')];
  return {
    files: git(ci, ...repository, 'ls-tree', '-r', '--name-only', REF),
    history: git(ci, ...repository, 'rev-list', '--count', REF),
    text: git(ci, ...repository, 'show', `${REF}:flag-snapshot.json`),
  };
}

/** The remote takes no push to the ref. */
function refusePublishing(ci: Ci): void {
  const hook = 'origin.git/hooks/update';
  ci.workspace.write(hook, '#!/bin/sh\n[ "${1#refs/flagwright/snapshot/}" = "$1" ] || { echo "no $1" >&2; exit 1; }\n');
  chmodSync(path.join(ci.workspace.root, hook), 0o755);
}

describe('on GitHub', () => {
  const start = (manifest: string): Promise<Ci> => startCi(manifest, startGithub);
  const fork = (base: string, repository: object | null = { full_name: 'stranger/shop' }): object => ({
    pull_request: { number: 7, base: { sha: base, ref: 'main' }, head: { sha: 'of the fork', repo: repository } },
  });
  const plan = (ci: Ci, event: object): ReturnType<typeof githubJob> =>
    githubJob(ci, 'plan-fork', { event, env: { GITHUB_EVENT_NAME: 'pull_request', ...STRAY_KEY } });

  test('nothing is published unless somebody asks for it, and a fork then has no plan', async () => {
    const ci = await start(HALF);
    expect((await githubJob(ci, 'plan')).output).toBe('code=0\n');
    expect((await githubJob(ci, 'in-sync')).code).toBe(0);
    expect((await githubJob(ci, 'drift')).code).toBe(0);
    expect(isPublished(ci)).toBe(false);
    const ran = await plan(ci, fork(headOf(ci)));
    expect([ran.code, ran.summary]).toEqual([0, expect.stringContaining('No snapshot of production is published')]);
  });

  test('an apply publishes what is live, and a fork is planned against it: no key, no service, no comment', async () => {
    const ci = await start(HALF);
    expect((await githubJob(ci, 'plan')).output).toBe('code=0\n');
    expect((await githubJob(ci, 'in-sync', { values: PUBLISH })).code).toBe(0);
    const { files, history, text } = published(ci);
    expect([files, history]).toEqual(['flag-snapshot.json', '1']);
    expect(text).not.toContain(KEY);
    const base = headOf(ci);
    commit(ci, { 'flags/main.yaml': MORE });
    await ci.world.close();
    ci.forge.log.length = 0;
    const ran = await plan(ci, fork(base));
    expect([ran.code, ran.output]).toEqual([0, 'code=2\n']);
    for (const text of [ran.log, ran.summary]) {
      expect(text).toContain('Made from a snapshot of ');
      expect(text).toContain('50% → 60%');
    }
    expect(ran.summary).toContain('impact: ');
    expect(ran.log).toMatch(/^::notice file=flags\/main\.yaml,.*title=effect\/widen::/m);
    expect(ci.forge.log).toEqual([]);
  });

  test('drift publishes it anew, in place of the old one', async () => {
    const ci = await start(HALF);
    for (const percentage of [50, 70, 80]) {
      await ci.world.edit('checkout', { filters: { groups: [{ rollout_percentage: percentage }] } });
      git(ci, 'switch', '-q', 'main');
      expect((await githubJob(ci, 'drift', { values: PUBLISH })).code).toBe(0);
      const { history, text } = published(ci);
      expect([history, text.includes(`"rollout_percentage": ${percentage}`)]).toEqual(['1', true]);
    }
  });

  test('a fork excepts itself from nothing, and one that was deleted is a fork', async () => {
    const ci = await start(HALF);
    expect((await githubJob(ci, 'drift', { values: PUBLISH })).code).toBe(0);
    const base = headOf(ci);
    commit(ci, { 'flags/main.yaml': DELETE, 'exceptions.yaml': EXCEPTIONS });
    for (const repository of [{ full_name: 'stranger/shop' }, null])
      expect(await plan(ci, fork(base, repository))).toMatchObject({ code: 4, output: 'code=4\n' });
  });

  test('a snapshot that somebody edited is refused', async () => {
    const ci = await start(HALF);
    expect((await githubJob(ci, 'drift', { values: PUBLISH })).code).toBe(0);
    git(ci, 'switch', '-q', '--orphan', 'other');
    ci.workspace.write('flag-snapshot.json', published(ci).text.replace('50', '51'));
    git(ci, 'add', '-f', 'flag-snapshot.json');
    git(ci, 'commit', '-qm', 'Edit');
    push(ci, REF);
    git(ci, 'switch', '-q', 'main');
    const ran = await plan(ci, fork(headOf(ci)));
    expect([ran.code, ran.summary]).toEqual([1, expect.stringContaining('snapshot')]);
  });

  test('an apply whose snapshot cannot be published has succeeded, and says so', async () => {
    const ci = await start(MORE);
    refusePublishing(ci);
    expect((await githubJob(ci, 'plan')).output).toBe('code=2\n');
    const ran = await githubJob(ci, 'apply', { values: PUBLISH });
    expect([ran.code, isPublished(ci)]).toEqual([0, false]);
    expect(ran.log).toMatch(
      /^::warning title=flagwright-ci::The snapshot of production .* still the old one\. git push/m,
    );
  });
});

describe('on GitLab', () => {
  const start = (manifest: string): Promise<Ci> => startCi(manifest, startGitlab);
  const plan = (ci: Ci, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    gitlabJob(ci, 'flags:plan', {
      ...STRAY_KEY,
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_PROJECT_ID: '10',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '10',
      CI_MERGE_REQUEST_PROJECT_ID: '9',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example.org/acme/shop',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_IID: '7',
      FLAG_NOTES_TOKEN: TOKEN,
      CI_JOB_TOKEN: 'glcbt-planted',
      ...env,
    });

  test('the pipeline of a fork plans against the snapshot of the project that the change is for', async () => {
    const ci = await start(HALF);
    const without = await plan(ci);
    expect([without.code, without.log]).toEqual([0, expect.stringContaining('No snapshot of production is published')]);
    const publishing = { FLAG_DRIFT_TOKEN: TOKEN, FLAG_PUBLISH_SNAPSHOT: 'true' };
    expect((await gitlabJob(ci, 'flags:drift', { CI_PIPELINE_SOURCE: 'schedule', ...publishing })).code).toBe(0);
    expect(published(ci).files).toBe('flag-snapshot.json');
    commit(ci, { 'flags/main.yaml': MORE });
    // The clone of the fork has another origin.
    git(ci, 'remote', 'set-url', 'origin', path.join(ci.workspace.root, 'nowhere.git'));
    await ci.world.close();
    ci.forge.log.length = 0;
    const ran = await plan(ci);
    expect([ran.code, ci.workspace.read('plan.env')]).toEqual([0, 'FLAG_PLAN_CODE=2\n']);
    expect(ran.log).toContain('Made from a snapshot of ');
    expect(ci.workspace.read('plan.md')).toContain('50% → 60%');
    expect(ci.workspace.read('plan.html')).toContain('50% → 60%');
    expect(ci.workspace.read('gl-code-quality-plan.json')).toContain('effect/widen');
    expect(ci.forge.log).toEqual([]);
  });

  test('a project that the fork cannot read is a failure that shows no token', async () => {
    const ci = await start(HALF);
    const { code, log } = await plan(ci, { FLAG_REMOTE: 'https://x:glcbt-planted@127.0.0.1:1/shop.git' });
    expect([code, log]).toEqual([1, expect.stringContaining('git ls-remote')]);
    expect(log).not.toContain('glcbt-planted');
  });

  test('without a token that may push, the drift job says that nothing was published', async () => {
    const ci = await start(HALF);
    expect((await gitlabJob(ci, 'flags:plan')).code).toBe(0);
    const { code, log } = await gitlabJob(ci, 'flags:apply', { FLAG_PUBLISH_SNAPSHOT: 'true' });
    expect([code, log]).toEqual([0, expect.stringContaining('The job has no token that may push')]);
  });

  test('how old the snapshot may be is given to flagwright', async () => {
    const ci = await start(HALF);
    const publishing = { FLAG_DRIFT_TOKEN: TOKEN, FLAG_PUBLISH_SNAPSHOT: 'true', CI_PIPELINE_SOURCE: 'schedule' };
    expect((await gitlabJob(ci, 'flags:drift', publishing)).code).toBe(0);
    expect((await plan(ci, { FLAG_SNAPSHOT_MAX_AGE: '9999d' })).code).toBe(0);
    expect((await plan(ci, { FLAG_SNAPSHOT_MAX_AGE: 'old' })).code).toBe(1);
  });
});
