/** Finds what the service will change by itself in declared flags, for runs that show it. */

import { defined } from '../../base/optional.ts';
import type { ScheduledFacts } from '../../impact/scheduled.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { findGeneration } from './find-generation.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';

interface Scheduling {
  readonly loaded: LoadedProject;
  readonly live: LiveState;
  /** The plan that is applied first; absent if the report is about live state. */
  readonly applied?: Pick<Plan, 'changes' | 'left' | 'rollouts'>;
}

/** `undefined` if nothing is scheduled for these flags; then it loads no further module. */
export async function findScheduledOf(
  session: Session,
  { loaded, live, applied }: Scheduling,
  subjects: readonly { readonly key: string; readonly id: number }[],
): Promise<ScheduledFacts | undefined> {
  const { schedules = [], unknownSchedules: unknown } = live;
  const ids = new Set(schedules.map(({ record_id: id }) => Number(id)));
  const own = subjects.filter(({ id }) => ids.has(id));
  if (own.length === 0) return unknown === undefined ? undefined : { changes: [], unknown };
  const { findScheduled } = await import('../../impact/scheduled.ts');
  const now = new Date(session.context.now());
  const circumstances = { generation: await findGeneration(session, loaded.project, live), now };
  const further = defined({ left: applied?.left, rollouts: applied?.rollouts, moment: loaded.project.moment });
  return findScheduled({ live, subjects: own, changes: applied?.changes ?? [], ...further }, circumstances);
}

/** The flags that the plan's warnings of scheduled changes are about: declared ones. */
export function scheduledSubjects(
  { warnings }: Pick<Plan, 'warnings'>,
  { schedules = [] }: LiveState,
): { key: string; id: number }[] {
  const flagOf = new Map(schedules.map(({ id, record_id: flag }) => [id, Number(flag)]));
  const subjects = new Map(
    warnings.flatMap((warning) => {
      const id = warning.code === 'scheduled' ? flagOf.get(warning.id) : undefined;
      return warning.code !== 'scheduled' || id === undefined ? [] : [[id, { key: warning.key, id }] as const];
    }),
  );
  return [...subjects.values()];
}
