/** Reads the manifests for editing: their texts, and the projects with the names that the texts use. */

import type { ManifestText } from '../../editing/texts.ts';
import { readTexts } from '../../editing/texts.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import type { Project } from '../../posthog/project.ts';
import { findRoleIds } from '../../posthog/role-access/organization.ts';
import { readManifestTexts } from './export-merge.ts';
import type { LoadedProject } from './load-project.ts';

export interface EditedProject {
  readonly manifests: readonly ManifestText[];
  /** With the role names of the service, where the manifests use one that the configuration lacks. */
  readonly project: Project;
  readonly projects: readonly Project[];
}

export async function readEditing({ config, project }: LoadedProject, client: ServiceClient): Promise<EditedProject> {
  const { texts } = await readManifestTexts(config);
  const projects = Object.values(config.projects);
  const { diagnostics } = readTexts(texts, Object.keys(config.projects)).resolve(project);
  const lacksRole = diagnostics.some(({ code }) => code === 'role-unknown');
  const roles = lacksRole ? { ...(await findRoleIds(client)), ...project.roles } : project.roles;
  const named: Project = { ...project, roles };
  return {
    manifests: texts,
    project: named,
    projects: projects.map((one) => (one.name === project.name ? named : one)),
  };
}
