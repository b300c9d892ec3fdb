/** The cohorts that manifests declare already, for an export that adds to them. */

import { readManifests, resolveManifests } from '../../posthog/manifests/manifests.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { COHORT_SECTION } from '../../posthog/cohort/manifest.ts';
import type { LoadedProject } from './load-project.ts';

export interface DeclaredCohorts {
  /** Of all projects. */
  readonly aliases: ReadonlySet<string>;
  /** Of this project; what cannot be read is not in it. */
  readonly desired: DesiredState;
}

export async function findDeclaredCohorts({ config, project }: LoadedProject): Promise<DeclaredCohorts> {
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const declarations = files
    .flatMap((file) => file.declarations)
    .filter(({ section }) => section === COHORT_SECTION.name);
  return {
    aliases: new Set(declarations.map(({ key }) => key)),
    desired: resolveManifests(files, project, Object.keys(config.projects)).desired,
  };
}
