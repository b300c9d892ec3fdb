/** Gives a project the role names of its service, where manifests use one that the configuration lacks, as a plan does. */

import type { ProjectConfig } from '../../config/config.ts';
import { readTexts, type ManifestText } from '../../editing/texts.ts';
import { findRoleIds } from '../../posthog/role-access/read.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { LoadedProject } from './load-project.ts';

export async function nameRoles(
  { config, project }: LoadedProject,
  texts: readonly ManifestText[],
  client: ServiceClient,
): Promise<ProjectConfig> {
  const { diagnostics } = readTexts(texts, Object.keys(config.projects)).resolve(project);
  if (!diagnostics.some(({ code }) => code === 'role-unknown')) return project;
  return { ...project, roles: { ...(await findRoleIds(client)), ...project.roles } };
}
