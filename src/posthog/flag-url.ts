/** The page of a flag in the web interface of the service. */

import type { ProjectIdentity } from '../engine/project.ts';

/** `undefined` for the embedded service, which has no web interface. */
export function flagUrl({ host, project_id: project }: ProjectIdentity, id: number): string | undefined {
  if (!host.startsWith('http')) return undefined;
  const base = host.replace(/\/+$/, '');
  return /^\d+$/.test(project) ? `${base}/project/${project}/feature_flags/${id}` : `${base}/feature_flags/${id}`;
}
