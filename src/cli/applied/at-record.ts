/**
 * A project at the steps that an apply recorded, for runs that make no plan: they then use the values that a plan at the same moment would.
 */

import { defined } from '../../base/optional.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { withCheckout } from './open-checkout.ts';
import { findRecorded } from './find-base.ts';

interface AtRecord extends Pick<Moment, 'reach'> {
  /** The run asks no remote. */
  readonly offline?: true;
}

/** Rollouts without a record are as planned. */
export async function atRecord(
  session: Session,
  loaded: LoadedProject,
  { reach, offline }: AtRecord,
): Promise<LoadedProject> {
  const { config, project } = loaded;
  const base = await withCheckout(session, config, async (checkout) =>
    findRecorded(session, { loaded, checkout, ...defined({ offline }) }),
  );
  const progress = base.kind === 'commit' ? base.rollouts : undefined;
  if (project.moment === undefined || progress === undefined) return loaded;
  const timed = { ...project, moment: { ...project.moment, progress, reach } };
  return { config: { ...config, projects: { ...config.projects, [project.name]: timed } }, project: timed };
}
