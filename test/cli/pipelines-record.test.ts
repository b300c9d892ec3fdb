/**
 * The jobs of `init` read and push the record of what was applied with a token that the command does not get; clones of people read it from
 * the remote that `base: { push }` names.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startGithub } from '../helpers/forge.ts';
import { appliedOf, commit, git, githubJob as job, headOf, KEY, push, startCi, type Ci } from '../helpers/pipeline.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const manifest = (percentage: number): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${percentage} }\n`;
const configuration = ({ world }: Ci, name = 'production'): string =>
  `projects: { ${name}: { host: "${world.url}", project_id: "1" } }\nbase: { push: origin }\n`;
const PUSH = { GITHUB_EVENT_NAME: 'push' };

/** Nothing but the jobs reaches the remote. */
async function start(): Promise<Ci> {
  const ci = await startCi(manifest(50), startGithub);
  commit(ci, { 'flagwright.yaml': configuration(ci) });
  push(ci);
  git(ci, 'remote', 'set-url', 'origin', path.join(ci.workspace.root, 'nowhere.git'));
  return ci;
}

async function merge(ci: Ci, files: Readonly<Record<string, string>>): Promise<string> {
  const before = headOf(ci);
  commit(ci, files);
  push(ci);
  const planned = await job(ci, 'plan', { event: { before }, env: PUSH });
  expect(planned, planned.log).toMatchObject({ code: 0, output: 'code=2\n' });
  const applied = await job(ci, 'apply', { env: PUSH });
  expect(applied, applied.log).toMatchObject({ code: 0 });
  expect(planned.log + applied.log).not.toMatch(/pushed|cannot be read|nowhere/);
  return planned.summary;
}

/** Of a person, who may read the remote. */
async function inClone(ci: Ci, ...args: string[]): Promise<Ran> {
  const { root } = createWorkspace();
  const clone = path.join(root, 'clone');
  execFileSync('git', ['clone', '-q', path.join(ci.workspace.root, 'origin.git'), clone]);
  return runCli(args, { cwd: clone, env: { POSTHOG_API_KEY: KEY } });
}

test('a fresh clone finds what the jobs applied, and tells edits from changes', async () => {
  const ci = await start();
  expect((await inClone(ci, 'plan')).stdout).toContain('In sync');
  await merge(ci, { 'flags/main.yaml': manifest(60) });
  expect(appliedOf(ci)).toBe(headOf(ci));
  await merge(ci, { 'flags/main.yaml': manifest(70) });
  expect(appliedOf(ci)).toBe(headOf(ci));
  await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } });
  const plan = JSON.parse((await inClone(ci, 'plan', '--format', 'json')).stdout) as { base: object };
  expect(plan.base).toMatchObject({ kind: 'commit', commit: headOf(ci), from: 'ref' });
  const shown = await inClone(ci, 'plan');
  expect(shown.stdout).toContain('1 edit in PostHog');
});

test('the plan of a job has the record of a project that was renamed', async () => {
  const ci = await start();
  await merge(ci, { 'flags/main.yaml': manifest(60) });
  const before = headOf(ci);
  await ci.world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } });
  commit(ci, { 'flagwright.yaml': configuration(ci, 'live') });
  push(ci);
  // The clone of another job.
  const ref = 'refs/flagwright/applied/production';
  const id = git(ci, 'rev-parse', ref).trim();
  git(ci, 'update-ref', '-d', ref);
  const object = `objects/${id.slice(0, 2)}/${id.slice(2)}`;
  cpSync(path.join(ci.workspace.root, '.git', object), path.join(ci.workspace.root, 'origin.git', object));
  rmSync(path.join(ci.workspace.root, '.git', object));
  const planned = await job(ci, 'plan', { event: { before }, env: { ...PUSH, PROJECT: 'live' } });
  expect(planned.summary).toContain('1 edit in PostHog');
});

test.each<[string, string, string]>([
  ['of nothing', '', 'the variable FLAGWRIGHT_APPLIED_REFS names no ref'],
  ['that git cannot find', `${'1'.repeat(40)}\trefs/flagwright/applied/production`, 'nowhere.git'],
])('a statement %s refuses the plan, whatever the clone has', async (_, refs, words) => {
  const ci = await start();
  const run = await runCli(['plan'], {
    cwd: ci.workspace.root,
    env: { POSTHOG_API_KEY: KEY, FLAGWRIGHT_APPLIED_REFS: refs },
  });
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(words)]);
});

test('a clone of an earlier job takes what the statement says for the record', async () => {
  const ci = await start();
  const [old, head] = [git(ci, 'rev-parse', 'HEAD^').trim(), headOf(ci)];
  const ref = 'refs/flagwright/applied/production';
  git(ci, 'update-ref', ref, old);
  const run = await runCli(['plan', '--format', 'json'], {
    cwd: ci.workspace.root,
    env: { POSTHOG_API_KEY: KEY, FLAGWRIGHT_APPLIED_REFS: `${head}\t${ref}` },
  });
  expect(JSON.parse(run.stdout)).toMatchObject({ base: { kind: 'commit', commit: head } });
  expect(git(ci, 'rev-parse', ref).trim()).toBe(head);
});
