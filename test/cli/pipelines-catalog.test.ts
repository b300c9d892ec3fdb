/** The catalog that the workflows of `init` write after an apply and at night, run by bash against a service. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { action, type Workflow } from '../helpers/action.ts';
import { startGithub, startGitlab, TOKEN } from '../helpers/forge.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { githubJob, gitlabJob, HALF, keysOf, startCi, templateOf, uncommented, type Ci } from '../helpers/pipeline.ts';

const GITHUB = '.github/workflows/flags.yml';
const GITLAB = '.gitlab/flags.gitlab-ci.yml';
const NEW = `${HALF}  search: { active: true, rollout_percentage: 100 }\n`;
const SCHEDULE = { GITHUB_EVENT_NAME: 'schedule' };

const isWritten = ({ workspace }: Ci): boolean => existsSync(path.join(workspace.root, 'flag-catalog/index.html'));
const pageOf = ({ workspace }: Ci): string => workspace.read('flag-catalog/index.html');

describe('on GitHub', () => {
  const apply = async (ci: Ci, env: Readonly<Record<string, string>>) => {
    expect(await githubJob(ci, 'plan', { env })).toMatchObject({ code: 0, output: 'code=2\n' });
    return githubJob(ci, 'apply', { env });
  };

  test('no page is written by default', async () => {
    const ci = await startCi(NEW, startGithub);
    expect(parse(templateOf(GITHUB, ci.world.url))).toMatchObject({ env: { FLAG_CATALOG: '' } });
    expect(await apply(ci, { FLAG_CATALOG: '' })).toMatchObject({ code: 0, output: '' });
    expect(isWritten(ci)).toBe(false);
  });

  test.each(['artifact', 'pages'])('the page for %s is that after the apply', async (place) => {
    const ci = await startCi(NEW, startGithub);
    expect(await apply(ci, { FLAG_CATALOG: place })).toMatchObject({ code: 0, output: `catalog=${place}\n` });
    expect(pageOf(ci)).toContain('search');
    expect(pageOf(ci)).toContain('production');
  });

  test('a mistake in the place is refused before anything is applied', async () => {
    const ci = await startCi(NEW, startGithub);
    const { code, log } = await apply(ci, { FLAG_CATALOG: 'page' });
    expect([code, await keysOf(ci)]).toEqual([1, ['checkout']]);
    expect(log).toContain('FLAG_CATALOG is "page". Use one of: artifact, pages.');
  });

  test('the page of the night shows what people changed, not what becomes of it', async () => {
    const ci = await startCi(HALF, startGithub);
    expect((await githubJob(ci, 'plan')).code).toBe(0);
    expect((await githubJob(ci, 'apply')).code).toBe(0);
    await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 75 }] } });
    const ran = await githubJob(ci, 'drift', { env: { ...SCHEDULE, FLAG_CATALOG: 'artifact' } });
    expect(ran).toMatchObject({ code: 0, output: 'catalog=artifact\n' });
    expect(ci.forge.requests).toHaveLength(1);
    expect(pageOf(ci)).toContain('≠ drifted');
  });

  test('a page that cannot be written leaves the job as it is, and says so', async () => {
    const ci = await startCi(NEW, startGithub);
    const program = ci.workspace.read('.bin/flagwright');
    ci.workspace.write('.bin/flagwright', program.replace('\n', '\n[ "$1" = catalog ] && exit 1\n'));
    const { code, log, output } = await apply(ci, { FLAG_CATALOG: 'pages' });
    expect([code, output, isWritten(ci)]).toEqual([0, '', false]);
    expect(log).toMatch(/^::warning title=flagwright-ci::No catalog was written/m);
  });

  test('the action keeps it where the output of the step says, and publishes nothing itself', () => {
    const steps = action.runs.steps.filter(({ name }) => name?.includes('catalog'));
    expect(steps.map((step) => [step.if, step.uses?.split('@')[0]])).toEqual([
      ["always() && steps.run.outputs.catalog == 'artifact'", 'actions/upload-artifact'],
      ["always() && steps.run.outputs.catalog == 'pages'", 'actions/upload-pages-artifact'],
    ]);
  });

  test('only the job that publishes may write pages, and it has no key', () => {
    const text = templateOf(GITHUB, 'https://eu.posthog.com');
    expect(Object.keys((parse(text) as Workflow).jobs)).not.toContain('catalog');
    expect(text.replaceAll(/^ *#.*$/gm, '')).not.toMatch(/pages: write|id-token/);
    const { jobs } = parse(uncommented(text)) as Workflow;
    expect(jobs['catalog']).toMatchObject({
      permissions: { pages: 'write', 'id-token': 'write' },
      needs: ['apply', 'in-sync', 'drift'],
      steps: [{ uses: expect.stringMatching(/^actions\/deploy-pages@[0-9a-f]{40}$/) as string }],
    });
    expect(JSON.stringify(jobs['catalog'])).not.toContain('secrets');
  });

  test('nothing is published where no page was written', () => {
    const { jobs } = parse(uncommented(templateOf(GITHUB, 'https://eu.posthog.com'))) as Workflow;
    expect(jobs['catalog']?.if).toBe("always() && contains(needs.*.outputs.catalog, 'pages')");
    for (const name of ['apply', 'in-sync', 'drift']) {
      expect(jobs[name]).toMatchObject({ outputs: { catalog: '${{ steps.flags.outputs.catalog }}' } });
      expect(jobs[name]?.steps.find(({ id }) => id === 'flags')?.uses).toBe('./.flagwright-ci/node_modules/flagwright');
    }
    expect(action.outputs['catalog']?.value).toBe('${{ steps.run.outputs.catalog }}');
  });
});

describe('on GitLab', () => {
  test('the page is an artifact of apply and drift', async () => {
    const ci = await startCi(NEW, startGitlab);
    const web = { CI_PIPELINE_SOURCE: 'web', FLAG_CATALOG: 'artifact', FLAG_DRIFT_TOKEN: TOKEN };
    expect((await gitlabJob(ci, 'flags:plan', web)).code).toBe(0);
    expect((await gitlabJob(ci, 'flags:apply', web)).code).toBe(0);
    expect(pageOf(ci)).toContain('search');
    expect((await gitlabJob(ci, 'flags:drift', { ...web, CI_PIPELINE_SOURCE: 'schedule' })).code).toBe(0);
    expect(pageOf(ci)).toContain('search');
    const jobs = parse(templateOf(GITLAB, ci.world.url)) as Record<string, { artifacts?: { paths?: string[] } }>;
    for (const name of ['flags:apply', 'flags:drift']) expect(jobs[name]?.artifacts?.paths).toContain('flag-catalog/');
  });

  test('the job that publishes is a comment, and has no key', () => {
    const text = templateOf(GITLAB, 'https://eu.posthog.com');
    expect(Object.keys(parse(text) as object)).not.toContain('pages');
    const { pages } = parse(uncommented(text)) as { pages: object };
    expect(pages).toMatchObject({ script: ['mv flag-catalog public'], artifacts: { paths: ['public'] } });
    expect(JSON.stringify(pages)).not.toMatch(/KEY|TOKEN/);
  });
});

test.each([['-p', 'b,a'], ['--all-projects']])('the catalog of several projects: %s', async (...options) => {
  const projects = ['a', 'b'].map((name) => `${name}: { host: "http://127.0.0.1:9", project_id: "1" }`);
  const { root: cwd } = createWorkspace({
    'flagwright.yaml': `projects: { ${projects.join(', ')} }\n`,
    'flags/main.yaml': NEW,
  });
  const ran = await runCli(['catalog', '--declared', '-f', 'json', ...options], { cwd, env: {} });
  expect([ran.code, ran.document()]).toEqual([
    0,
    expect.objectContaining({
      projects: [expect.objectContaining({ name: 'a' }), expect.objectContaining({ name: 'b' })],
    }),
  ]);
});
