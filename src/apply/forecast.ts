/** Sums the requests that applying a plan costs: each reader and writer states its own. */

import {
  forecastRounds,
  pages,
  singles,
  type Forecast,
  type RequestRound,
  type RunConditions,
} from '../engine/forecast.ts';
import { kindFor, KINDS } from '../posthog/kinds.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Change } from '../posthog/plan.ts';
import { predictReadAgain, type PlanToRead } from './read-again.ts';

export interface ForecastBasis extends RunConditions {
  /** The live flags that the plan was made from. */
  readonly flags: readonly Flag[];
}

export function forecastOf(plan: PlanToRead, { flags, ...conditions }: ForecastBasis): Forecast {
  const { changes } = plan;
  if (changes.length === 0) return forecastRounds([], conditions);
  const reads = predictReadAgain(plan, flags);
  const readBack = KINDS.flatMap(({ name, writer }) =>
    writer.countReadBack(
      changes.filter(({ resource }) => resource === name),
      reads.flags,
    ),
  );
  return forecastRounds([...reads.rounds, ...predictWrites(changes), ...readBack], conditions);
}

/** A change starts when those that it needs are applied, so each step of a chain is a round. */
function predictWrites(changes: readonly Change[]): readonly RequestRound[] {
  const steps = new Map<string, number>();
  const rounds: Change[][] = [];
  for (const change of changes) {
    const step = Math.max(-1, ...change.needs.map((ref) => steps.get(ref) ?? -1)) + 1;
    steps.set(change.ref, step);
    (rounds[step] ??= []).push(change);
  }
  return rounds.flatMap((round) => {
    const writerOf = (change: Change): (typeof KINDS)[number]['writer'] => kindFor(change).writer;
    const refreshed = round.filter((change) => writerOf(change).needsRefresh(change));
    const confirmed = round.filter((change) => writerOf(change).needsConfirming?.(change) === true);
    return [singles(refreshed.length), singles(round.length), pages(confirmed.length)];
  });
}
