/** Reads the manifests for editing: their texts, and the projects with the names that the texts use. */

import type { ManifestText } from '../../editing/texts.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import type { Project } from '../../posthog/project.ts';
import { readManifestTexts } from './export-merge.ts';
import type { LoadedProject } from './load-project.ts';
import { nameRoles } from './name-roles.ts';

export interface EditedProject {
  readonly manifests: readonly ManifestText[];
  /** With the role names of the service, where the manifests use one that the configuration lacks. */
  readonly project: Project;
  readonly projects: readonly Project[];
}

export async function readEditing({ config, project }: LoadedProject, client: ServiceClient): Promise<EditedProject> {
  const { texts } = await readManifestTexts(config);
  const projects = Object.values(config.projects);
  const named = await nameRoles({ config, project }, texts, client);
  return {
    manifests: texts,
    project: named,
    projects: projects.map((one) => (one.name === project.name ? named : one)),
  };
}
