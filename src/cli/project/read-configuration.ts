/** Reads the configuration, with the moment of the run. */

import { defined } from '../../base/optional.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from '../../config/load.ts';
import { DEFAULT_STEPS_EVERY } from '../../rollout/read-rollout.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { Session } from '../session/session.ts';

/** @throws {FlagwrightError} if the configuration is invalid. */
export async function readConfiguration(
  { context, options }: Session,
  { env = context.env, offline }: Pick<LoadConfigOptions, 'offline'> & Partial<Pick<LoadConfigOptions, 'env'>>,
): Promise<LoadedConfig> {
  const loaded = await loadConfig({ cwd: context.cwd, env, ...defined({ offline, file: options.config }) });
  const { stepsEvery = DEFAULT_STEPS_EVERY } = loaded.config;
  const now = context.now();
  const present = context.isMoved === true ? undefined : now;
  const moment: Moment = { now, progress: [], reach: 'planned', every: stepsEvery, ...defined({ present }) };
  const projects = Object.entries(loaded.config.projects).map(([name, project]) => [name, { ...project, moment }]);
  return { ...loaded, config: { ...loaded.config, projects: Object.fromEntries(projects) } };
}
