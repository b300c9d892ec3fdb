/** Forecasts what applying a plan takes, and what the service will change by itself. */

import { forecastOf } from '../../apply/read-again.ts';
import { defined } from '../../base/optional.ts';
import type { Forecast } from '../../engine/forecast.ts';
import type { ScheduledFacts } from '../../impact/scheduled.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import { findGeneration } from './estimate-impact.ts';

/** A page of the list is too long to measure a single write if it has this many flags. */
const FLAGS_TO_PROBE = 50;

export async function forecastApply(
  { options }: Session,
  plan: Plan,
  { live, opened: { client } }: { readonly live: LiveState; readonly opened: OpenProject },
): Promise<Forecast> {
  if (plan.changes.length > 0) await probe(client, live);
  const { listFlags: pageMs, getFlag: singleMs = pageMs } = client.stats().latencyMs;
  return forecastOf(plan, {
    flags: live.flags,
    concurrency: options.concurrency,
    budget: client.budget,
    // Only idle time counts as waiting, so a page that arrived while manifests were parsed may seem faster than one flag.
    ...defined({ latencyMs: singleMs, pageLatencyMs: pageMs && Math.max(pageMs, singleMs ?? 0) }),
  });
}

/** Reads one flag, which takes as long as a write. */
async function probe(client: ServiceClient, { flags }: LiveState): Promise<void> {
  const [first] = flags;
  if (first === undefined || flags.length < FLAGS_TO_PROBE || client.stats().latencyMs['getFlag'] !== undefined) return;
  try {
    await client.getFlag(first.id);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

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
