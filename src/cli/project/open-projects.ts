/** Opens several projects at once. Those of one host share one budget of requests, since an organization has one. */

import { defined } from '../../base/optional.ts';
import type { ProjectConfig, RemoteProject } from '../../config/config.ts';
import { paceOf } from '../../posthog/client/client.ts';
import type { Pace } from '../../posthog/client/pace.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { withProject, type OpenProject } from './open-project.ts';

/** Passes the open projects to `use`, in the order of `projects`, and closes them all, also after a failure. */
export async function withProjects<Result>(
  session: Session,
  projects: readonly ProjectConfig[],
  use: (opened: readonly OpenProject[]) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(session);
  const paces = sharedPaces(projects.filter((project) => project.service === 'remote'));
  const openRest = (opened: readonly OpenProject[]): Promise<Result> => {
    const project = projects[opened.length];
    if (project === undefined) return use(opened).finally(progress.clear);
    const pace = project.service === 'remote' ? paces.get(project.host) : undefined;
    return withProject(session, { project, onEvent: progress.onService, ...defined({ pace }) }, (one) =>
      openRest([...opened, one]),
    );
  };
  return openRest([]);
}

/** By host; the smallest budget that one of its projects has. */
function sharedPaces(projects: readonly RemoteProject[]): ReadonlyMap<string, Pace> {
  const budgets = new Map<string, number>();
  for (const { host, requestsPerMinute } of projects) {
    budgets.set(host, Math.min(budgets.get(host) ?? Infinity, requestsPerMinute));
  }
  return new Map([...budgets].map(([host, requestsPerMinute]) => [host, paceOf({ host, requestsPerMinute })]));
}
