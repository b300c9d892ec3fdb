/** The types of the flags that manifests declare, for all projects or for the one of `--project`. */

import { typeFlags, type TypedFlag } from '../../generate/typed-flag.ts';
import type { Session } from '../session/session.ts';
import { loadConfiguration } from './load-project.ts';
import { chooseProjects, readProjects } from './resolve-projects.ts';

/** @throws {FlagwrightError} `manifest_invalid` with every diagnostic. */
export async function loadTypedFlags(session: Session): Promise<readonly TypedFlag[]> {
  const config = await loadConfiguration(session, { offline: true });
  const { projects } = await readProjects(session, config, await chooseProjects(session, config));
  return typeFlags(projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })));
}
