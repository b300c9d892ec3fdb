/** The cohorts that manifests declare already, for an export that adds to them. */

import { declaredKeys, readManifests, resolveManifests } from '../../posthog/manifests/manifests.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface DeclaredCohorts {
  /** Of all projects. */
  readonly aliases: ReadonlySet<string>;
  /** Of this project; what cannot be read is not in it. */
  readonly desired: DesiredState;
}

export async function findDeclaredCohorts({ config, project }: LoadedProject): Promise<DeclaredCohorts> {
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  return {
    aliases: declaredKeys(files, 'cohorts'),
    desired: resolveManifests(files, project, Object.keys(config.projects)).desired,
  };
}
