/** Forecasts what applying a plan takes, from what this run saw of the service. */

import { forecastOf } from '../../apply/read-again.ts';
import { defined } from '../../base/optional.ts';
import type { Forecast } from '../../engine/forecast.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { Session } from '../session/session.ts';
import type { OpenProject } from '../project/open-project.ts';

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
