/** A stage in a repository of git: a service, manifests that are committed, and the command line with the configuration of the tests for git. */

import { expect } from 'vitest';
import type { BaseFacts } from '../../src/core/engine/base.ts';
import { cloneOf, createBare, GIT_ENV, initialise, repositoryIn, type TestRepository } from './repository.ts';
import type { Ran, RunOptions } from './run.ts';
import { schemaErrors } from './schemas.ts';
import { MANIFEST, stage, type StageOptions } from './stage.ts';
import type { World } from './world.ts';

export const CONFIG = `projects:
  main: { host: $HOST, project_id: "1" }
limits: { updates_percent: 100 }
`;
const SHARED = `${CONFIG}base: { push: origin }\n`;
export const REF = 'refs/flagwright/applied/main';
export const LATER = MANIFEST.replace('rollout_percentage: 10', 'rollout_percentage: 60');

export interface GitStage extends TestRepository {
  readonly world: World;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly runWith: (options: Partial<RunOptions>, ...argv: string[]) => Promise<Ran>;
  /** The base that `plan` finds. */
  readonly baseOf: (...argv: string[]) => Promise<BaseFacts | undefined>;
  /** Why there is none, as `drift` says; `plan` is refused. */
  readonly unreadOf: (...argv: string[]) => Promise<BaseFacts | undefined>;
}

/** A service, and a repository whose first commit has the manifests and the configuration. */
export async function gitStage(
  config: string = CONFIG,
  { manifest = MANIFEST, ...options }: StageOptions & { readonly manifest?: string } = {},
): Promise<GitStage> {
  const { world, workspace, runWith } = await stage(manifest, config, options);
  initialise(workspace.root);
  workspace.write('.gitignore', '/*.json\n');
  const made = onRepository(repositoryIn(workspace), { world, runWith });
  made.commit();
  return made;
}

export function onRepository(
  repository: TestRepository,
  { world, runWith }: Pick<GitStage, 'world' | 'runWith'>,
): GitStage {
  const here: GitStage['runWith'] = (options, ...argv) =>
    runWith({ cwd: repository.root, ...options, env: { ...GIT_ENV, HOME: repository.root, ...options.env } }, ...argv);
  return {
    ...repository,
    world,
    runWith: here,
    run: (...argv) => here({}, ...argv),
    baseOf: async (...argv) => {
      const ran = await here({}, 'plan', '-f', 'json', ...argv);
      expect(ran).toMatchObject({ code: 0 });
      const document = ran.document();
      expect(schemaErrors('plan', document)).toEqual([]);
      return document['base'] as BaseFacts | undefined;
    },
    unreadOf: async (...argv) => {
      const refused = await here({}, 'plan', '-f', 'json', ...argv);
      expect(refused.document()).toMatchObject({ error: { code: 'base_unreadable' } });
      expect(schemaErrors('error', refused.document())).toEqual([]);
      expect(refused.code).toBe(1);
      return (await here({}, 'drift', '-f', 'json', ...argv)).document()['base'] as BaseFacts | undefined;
    },
  };
}

/** The same project seen from another clone. */
export function cloneStage(origin: GitStage, ...options: string[]): GitStage {
  return onRepository(cloneOf(origin, ...options), origin);
}

/** Two clones that share what was applied through a bare repository. */
export async function twoClones(): Promise<readonly [GitStage, GitStage, string]> {
  const first = await gitStage(SHARED);
  const bare = createBare();
  first.git('remote', 'add', 'origin', `file://${bare.root}`);
  first.git('push', '--quiet', 'origin', 'main');
  return [first, onRepository(cloneOf(bare), first), bare.root];
}

export const none = (reason: object): object => ({ kind: 'none', reason });
