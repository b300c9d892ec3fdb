/** Reads the manifests for editing: their texts, and the projects with the names that the texts use. */

import type { ManifestText } from '../../editing/texts.ts';
import { withKnownCohorts } from '../../posthog/cohort/found.ts';
import type { Project } from '../../posthog/project.ts';
import { readManifestTexts } from './export-merge.ts';
import type { FreshPlan } from '../plan/make-plan.ts';
import { nameRoles } from '../project/name-roles.ts';

export interface EditedProject {
  readonly manifests: readonly ManifestText[];
  /** With the role names of the service, where the manifests use one that the configuration lacks, and with declared cohorts. */
  readonly project: Project;
  readonly projects: readonly Project[];
}

export async function readEditing({ loaded, opened, desired, live }: FreshPlan): Promise<EditedProject> {
  const { config, project } = loaded;
  const { texts } = await readManifestTexts(config);
  const projects = Object.values(config.projects);
  const found = withKnownCohorts(project, desired, live);
  const named = await nameRoles({ config, project: found }, texts, opened.client);
  return {
    manifests: texts,
    project: named,
    projects: projects.map((one) => (one.name === project.name ? named : one)),
  };
}
