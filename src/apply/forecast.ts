/** What applying a plan costs: the sum of what each reader and writer says of its own requests. */

import { forecastRounds, type Forecast, type RunConditions } from '../engine/forecast.ts';
import { KINDS } from '../posthog/kinds.ts';
import { wantedToApply } from '../posthog/wanted-state.ts';
import { predictReads } from '../posthog/client/live-state.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Plan } from '../posthog/plan.ts';

export interface ForecastBasis extends RunConditions {
  /** The live flags that the plan was made from. */
  readonly flags: readonly Flag[];
}

export function forecastOf({ changes }: Pick<Plan, 'changes'>, { flags, ...conditions }: ForecastBasis): Forecast {
  if (changes.length === 0) return forecastRounds([], conditions);
  const reads = predictReads(flags, wantedToApply(changes));
  const readBack = KINDS.flatMap(({ name, writer }) =>
    writer.countReadBack(
      changes.filter(({ resource }) => resource === name),
      reads.flags,
    ),
  );
  return forecastRounds([...reads.rounds, changes.length, ...readBack], conditions);
}
