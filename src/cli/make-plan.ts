/** From the command line to a plan: what plan, drift and apply have in common. */

import { buildPlan, type PlanOptions } from '../plan/build-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { readLiveState, wantedState } from '../service/live-state.ts';
import { loadDesiredState, loadProject, type LoadedProject } from './load-project.ts';
import { withProject, type OpenProject } from './open-project.ts';
import type { PlanningOptions } from './options.ts';
import { createProgress, type ProgressReporter } from './progress.ts';
import type { Session } from './session.ts';

export interface MadePlan {
  readonly plan: Plan;
  readonly opened: OpenProject;
  readonly progress: ProgressReporter;
}

/** Plans, and hands the plan to `use` while the project is open. */
export async function withPlan<Result>(
  session: Session,
  options: PlanningOptions,
  use: (made: MadePlan) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadProject(session);
  const desired = await loadDesiredState(session, loaded);
  const progress = createProgress(session);
  return withProject(session, { project: loaded.project, onEvent: progress.onService }, async (opened) => {
    const live = await readLiveState(opened.client, wantedState(desired)).finally(progress.clear);
    const plan = buildPlan(desired, live, planOptions(loaded, opened, options));
    return use({ plan, opened, progress });
  });
}

function planOptions({ config }: LoadedProject, { identity }: OpenProject, options: PlanningOptions): PlanOptions {
  return {
    project: identity,
    scope: config.scope,
    limits: config.limits,
    protected: config.protected,
    allow: {
      ...(options.allowDeletes === undefined ? {} : { deletes: options.allowDeletes }),
      ...(options.allowUpdates === undefined ? {} : { updates: options.allowUpdates }),
      protected: options.allowProtected ?? [],
    },
    prune: options.prune === true,
    ...(options.target === undefined ? {} : { targets: options.target }),
  };
}
