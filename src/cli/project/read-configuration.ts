/** Reads the configuration, after reverting the unfinished writes of an interrupted command. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { findConfig } from '../../config/find.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from '../../config/load.ts';
import { DEFAULT_STEPS_EVERY } from '../../rollout/read-rollout.ts';
import type { Moment } from '../../rollout/rollout.ts';
import { WRITE_RECORD } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** @throws {FlagwrightError} if the configuration is invalid, or if files that are not complete cannot be restored. */
export async function readConfiguration(
  session: Session,
  { env = session.context.env, offline }: Pick<LoadConfigOptions, 'offline'> & Partial<Pick<LoadConfigOptions, 'env'>>,
): Promise<LoadedConfig> {
  const { context, options } = session;
  const named = defined({ file: options.config });
  const found = findConfig(context.cwd, options.config);
  await restoreFiles(session, context.cwd);
  if (found !== undefined && 'path' in found) await restoreFiles(session, path.dirname(found.path));
  const loaded = await loadConfig({ cwd: context.cwd, env, ...defined({ offline }), ...named });
  const { stepsEvery = DEFAULT_STEPS_EVERY } = loaded.config;
  const now = context.now();
  const present = context.isMoved === true ? undefined : now;
  const moment: Moment = { now, progress: [], reach: 'planned', every: stepsEvery, ...defined({ present }) };
  const projects = Object.entries(loaded.config.projects).map(([name, project]) => [name, { ...project, moment }]);
  return { ...loaded, config: { ...loaded.config, projects: Object.fromEntries(projects) } };
}

/** Restores the files of commands that were killed while they wrote in the folder or below it. */
export async function restoreFiles(session: Session, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (!names.some((name) => WRITE_RECORD.test(name))) return;
  const [{ takeBackUnfinished, takenBackText }, { thisProcess }] = await Promise.all([
    import('../session/take-back.ts'),
    import('../session/this-process.ts'),
  ]);
  const { context, palette } = session;
  const taken = await takeBackUnfinished(folder, { life: thisProcess(), ...defined({ userId: context.userId }) });
  for (const one of taken) await session.note(`${palette.warning('note')}  ${takenBackText(one)}\n`);
}
