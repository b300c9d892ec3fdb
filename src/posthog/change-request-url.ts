/** The page of a change request in the web interface of the service, where people approve, reject and withdraw it. */

import type { ProjectIdentity } from '../engine/project.ts';

/** `undefined` for the embedded service, which has no web interface. */
export function changeRequestUrl({ host, project_id: project }: ProjectIdentity, id: string): string | undefined {
  if (!host.startsWith('http') || !/^\d+$/.test(project)) return undefined;
  return `${host.replace(/\/+$/, '')}/project/${project}/approvals/${encodeURIComponent(id)}`;
}
