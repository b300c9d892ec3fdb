/** The cohorts and early access features that manifests declare already, for an export that adds to them. */

import { declaredKeys, readManifests, resolveManifests } from '../../posthog/manifests/manifests.ts';
import type { ExportOptions } from '../../export/export.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface DeclaredCohorts {
  /** Of all projects. */
  readonly aliases: ReadonlySet<string>;
  readonly features: NonNullable<ExportOptions['declaredFeatures']>;
  /** Of this project; what cannot be read is not in it. */
  readonly desired: DesiredState;
}

export async function findDeclaredCohorts({ config, project }: LoadedProject): Promise<DeclaredCohorts> {
  const { files } = await readManifests({ root: config.root, patterns: config.manifests });
  const names = Object.keys(config.projects);
  const features = Object.values(config.projects).flatMap(
    (one) => resolveManifests(files, one, names).desired.early_access ?? [],
  );
  return {
    aliases: declaredKeys(files, 'cohorts'),
    features: { aliases: declaredKeys(files, 'early_access'), flags: new Set(features.map(({ flag }) => flag)) },
    desired: resolveManifests(files, project, names).desired,
  };
}
