/** A fork of the repository of a pipeline, with an open pull request, and the job of the base that comments its plan. */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { ForkPull } from './forge-forks.ts';
import { git, githubJob, headOf, KEY, templateOf, type Ci, type Env } from './pipeline.ts';
import { GIT_ENV } from './repository.ts';

const FORK_ID = 2;

/** In a clone of its own, as the fork: `$1` is what it does. The merge is made as GitHub makes it. */
const PROPOSE = `rm -rf .fork
git clone -q --template= origin.git .fork
cd .fork
git config maintenance.auto false
git switch -q -c change
bash --norc -ec "$1"
git add -A
git commit -q --allow-empty -m Change
git push -qf origin HEAD:refs/pull/7/head
git switch -q main
git merge -q --no-ff -m Merge change
git push -qf origin HEAD:refs/pull/7/merge
git rev-parse HEAD^2 HEAD`;

/** Opens pull request 7, or pushes to it: `script` edits a checkout of the main branch. */
export function propose({ workspace, forge }: Ci, script: string): ForkPull {
  const cwd = workspace.root;
  const made = execFileSync('bash', ['--norc', '-ec', PROPOSE, 'bash', script], {
    cwd,
    env: GIT_ENV,
    encoding: 'utf8',
  });
  const [head = '', merge = ''] = made.trim().split('\n');
  forge.gitFolder = path.join(cwd, 'origin.git');
  const pull = { number: 7, head, branch: 'change', owner: 'stranger', repository: FORK_ID, mergeable: true, merge };
  forge.forkPulls.splice(0, 1, pull);
  return pull;
}

/** Runs the job after those of the commit, in a fresh checkout of the main branch. */
export async function commentFork(
  ci: Ci,
  head: string,
  more: { run?: object; env?: Env; folder?: string; text?: string } = {},
) {
  git(ci, 'checkout', '-qf', 'main');
  git(ci, 'clean', '-qfd');
  const fork = { id: FORK_ID, full_name: 'stranger/shop', owner: { login: 'stranger' } };
  const run = { event: 'pull_request', head_sha: head, head_branch: 'change', head_repository: fork, ...more.run };
  return githubJob(ci, 'comment', {
    text: more.text ?? templateOf('.github/workflows/flags-forks.yml', ci.world.url, more.folder && `${more.folder}/`),
    event: { workflow_run: run },
    env: { GITHUB_EVENT_NAME: 'workflow_run', GITHUB_SHA: headOf(ci), POSTHOG_API_KEY: KEY, ...more.env },
  });
}

/** The comment of the base; undefined where there is none. */
export function shownIn({ forge }: Ci): string | undefined {
  return forge.comments[0]?.text;
}
