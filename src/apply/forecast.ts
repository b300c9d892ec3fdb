/** What applying a plan costs: the sum of what each reader and writer says of its own requests. */

import { forecastRounds, type Forecast, type RunConditions } from '../engine/forecast.ts';
import { readingOf } from '../posthog/reading.ts';
import { predictReads } from '../posthog/client/live-state.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Plan } from '../posthog/plan.ts';
import { RESOURCES, writerFor } from '../posthog/writers.ts';

export interface ForecastBasis extends RunConditions {
  /** The live flags that the plan was made from. */
  readonly flags: readonly Flag[];
}

export function forecastOf({ changes }: Pick<Plan, 'changes'>, { flags, ...conditions }: ForecastBasis): Forecast {
  if (changes.length === 0) return forecastRounds([], conditions);
  const reads = predictReads(flags, readingOf(changes));
  const readBack = RESOURCES.flatMap((resource) => {
    const ofKind = changes.filter((change) => change.resource === resource);
    return writerFor({ resource }).countReadBack(ofKind, reads.flags);
  });
  return forecastRounds([...reads.rounds, changes.length, ...readBack], conditions);
}
