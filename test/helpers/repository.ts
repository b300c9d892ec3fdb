/** A repository of git for one test, made by the real git with a configuration of its own; removed after the test. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface TestRepository extends Workspace {
  /** Runs git in the folder and returns what it prints. */
  readonly git: (...args: string[]) => string;
  /** Writes the files, commits everything, and returns the commit. */
  readonly commit: (files?: Readonly<Record<string, string>>) => string;
}

/** Without the configuration of this machine and its user. */
export const GIT_ENV = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ana',
  GIT_AUTHOR_EMAIL: 'ana@example.com',
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  // A bash whose stdin is a socket takes itself for a remote shell, and reads the user's files, unless it is started by another shell.
  SHLVL: '1',
} as const;

/** A program named git that does not know `safe.bareRepository`, as before 2.38. */
export const OLD_GIT = `#!/bin/bash
PATH=\${PATH#*:}
exec git "\${@/#safe.bareRepository=*/x.y=z}"
`;

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    env: { ...GIT_ENV, HOME: folder },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Commits what a stream for `git fast-import` describes, without a checkout. */
export function importFast(folder: string, stream: string): void {
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, env: { ...GIT_ENV, HOME: folder }, input: stream });
}

/** A repository with one commit if there are files, without any otherwise. */
export function createRepository(files: Readonly<Record<string, string>> = {}): TestRepository {
  const made = repositoryIn(createWorkspace());
  initialise(made.root);
  if (Object.keys(files).length > 0) made.commit(files);
  return made;
}

/** What git makes for an empty repository: files with their text, and folders. */
let empty: readonly (readonly [string, string | undefined])[] | undefined;

/** Makes the folder an empty repository. git is started for the first one of a process only, since that takes longer than the files. */
export function initialise(folder: string): void {
  empty ??= readEmpty();
  for (const [name, text] of empty) {
    const at = path.join(folder, '.git', name);
    if (text === undefined) mkdirSync(at, { recursive: true });
    else writeFileSync(at, text);
  }
}

function readEmpty(): readonly (readonly [string, string | undefined])[] {
  const { root } = createWorkspace();
  git(root, 'init', '--quiet', '--template=', '--initial-branch=main');
  const found = readdirSync(path.join(root, '.git'), { recursive: true, withFileTypes: true });
  return found
    .toSorted((one, other) => Number(one.isFile()) - Number(other.isFile()))
    .map((entry) => {
      const at = path.join(entry.parentPath, entry.name);
      return [path.relative(path.join(root, '.git'), at), entry.isFile() ? readFileSync(at, 'utf8') : undefined];
    });
}

/** Clones a repository by its address: a path would share objects, and ignore `--depth`. */
export function cloneOf({ root }: Pick<Workspace, 'root'>, ...options: string[]): TestRepository {
  const workspace = createWorkspace();
  git(workspace.root, 'clone', '--quiet', ...options, `file://${root}`, '.');
  return repositoryIn(workspace);
}

/** A repository without a checkout, which clones can push to. */
export function createBare(): Pick<Workspace, 'root'> {
  const { root } = createWorkspace();
  git(root, 'init', '--quiet', '--bare', '--initial-branch=main');
  return { root };
}

/** In one shell, since a start from this process, which is large, is slow. git is asked for the commit only where no branch names it. */
const COMMIT = `git add --all
git -c maintenance.auto=false commit --quiet --allow-empty --message=change
[ -d .git ] && read -r kind ref < .git/HEAD && [ "$kind" = ref: ] && read -r id < ".git/$ref" && echo "$id" || git rev-parse HEAD`;

/** The repository of a checkout that exists: a worktree, a submodule. */
export function repositoryIn(workspace: Workspace): TestRepository {
  const run = (...args: string[]): string => git(workspace.root, ...args);
  return {
    ...workspace,
    git: run,
    commit: (files = {}) => {
      for (const [file, text] of Object.entries(files)) workspace.write(file, text);
      return execFileSync('bash', ['--norc', '-ec', COMMIT], {
        cwd: workspace.root,
        env: { ...GIT_ENV, HOME: workspace.root },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim();
    },
  };
}
