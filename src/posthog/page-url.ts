/** The page of a flag or cohort in the web interface of the service. */

import type { ProjectIdentity } from '../engine/project.ts';
import type { Change } from './plan.ts';

interface Subject {
  readonly resource: Change['resource'];
  /** Of access, that of the flag. */
  readonly id?: number;
}

/** `undefined` for the embedded service, which has no web interface, and for what does not exist yet. */
export function pageUrl({ host, project_id: project }: ProjectIdentity, { resource, id }: Subject): string | undefined {
  if (id === undefined || !host.startsWith('http')) return undefined;
  const base = host.replace(/\/+$/, '');
  const page = `${resource === 'cohort' ? 'cohorts' : 'feature_flags'}/${id}`;
  return /^\d+$/.test(project) ? `${base}/project/${project}/${page}` : `${base}/${page}`;
}
