/** The pages of flags, cohorts and change requests in the web interface of the service. */

import type { ProjectIdentity } from '../../engine/project.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { KindName } from '../kind-types.ts';

/** Pages by kind; access and early access features are on the page of their flag. */
const PAGES: Readonly<Record<KindName, string>> = {
  flag: 'feature_flags',
  role_access: 'feature_flags',
  cohort: 'cohorts',
  early_access: 'feature_flags',
};

interface PageSubject {
  readonly resource: KindName;
  /** The id of the flag for access and early access features. */
  readonly id?: ResourceId;
}

/** `undefined` for the embedded service, which has no web interface, and for what does not exist yet. */
export function pageUrl(
  { host, project_id: project }: ProjectIdentity,
  { resource, id }: PageSubject,
): string | undefined {
  if (id === undefined || !host.startsWith('http')) return undefined;
  const base = host.replace(/\/+$/, '');
  const page = `${PAGES[resource]}/${id}`;
  return /^\d+$/.test(project) ? `${base}/project/${project}/${page}` : `${base}/${page}`;
}

/** `undefined` for the embedded service, which has no web interface. */
export function changeRequestUrl({ host, project_id: project }: ProjectIdentity, id: string): string | undefined {
  if (!host.startsWith('http') || !/^\d+$/.test(project)) return undefined;
  return `${host.replace(/\/+$/, '')}/project/${project}/approvals/${encodeURIComponent(id)}`;
}
