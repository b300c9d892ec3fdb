/** A running service, a folder with manifests, and the command line configured for both. */

import { expect, onTestFinished } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { runCli, type Ran, type RunOptions } from './run.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export const KEY = 'phx_planted_key_0123456789';
export const MANIFEST = `flags:
  checkout:
    description: One-page checkout
    active: true
    rollout_percentage: 10
  search:
    active: false
`;

export interface Stage {
  readonly world: World;
  readonly workspace: Workspace;
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly runWith: (options: Partial<RunOptions>, ...argv: string[]) => Promise<Ran>;
}

export interface StageOptions extends WorldOptions {
  readonly seed?: JsonValue;
}

/** Starts the service and prepares the folder and the command line. */
export async function stage(
  manifest: string = MANIFEST,
  config?: string,
  { seed, ...world }: StageOptions = {},
): Promise<Stage> {
  return stageOf(await startWorld('posthog', seed, world), manifest, config);
}

async function stageOf(world: World, manifest: string, config: string | undefined): Promise<Stage> {
  onTestFinished(async () => world.close());
  const workspace = createWorkspace({
    'flags/main.yaml': manifest,
    ...(config === undefined ? {} : { 'flagwright.yaml': config.replaceAll('$HOST', world.url) }),
  });
  const env =
    config === undefined
      ? { POSTHOG_HOST: world.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY }
      : { POSTHOG_API_KEY: KEY };
  const runWith: Stage['runWith'] = async (options, ...argv) => {
    const ran = await runCli(argv, { cwd: workspace.root, ...options, env: { ...env, ...options.env } });
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    return ran;
  };
  return { world, workspace, runWith, run: (...argv) => runWith({}, ...argv) };
}

export const keysOf = async (world: World): Promise<string[]> =>
  (await world.client.listFlags()).map((flag) => flag.key);

/** A configuration that allows no deletes and protects `search`. */
export const LIMITED = `projects:
  main: { host: $HOST, project_id: "1" }
limits: { deletes: 0 }
protected: [search]
`;
