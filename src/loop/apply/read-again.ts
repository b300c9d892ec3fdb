/**
 * Reads the resources of a plan again, right before it is applied: one by one if that takes no more requests than the list (docs/safety.md,
 * "What apply reads").
 */

import {
  type Forecast,
  forecastRounds,
  pages,
  type RequestRound,
  type RunConditions,
  singles,
} from '../../core/engine/forecast.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { predictFlagsById, readFlagsById } from '../../posthog/reading/flags-by-id.ts';
import { predictReads, readLiveState } from '../../posthog/reading/live-state.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { FLAGS_PER_PAGE } from '../../posthog/flag/requests.ts';
import { byKind, isOfFlag, kindFor } from '../../posthog/kinds.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { type LiveSelection, selectionToApply } from '../../posthog/live-selection.ts';

type PlanToRead = Pick<Plan, 'changes' | 'summary'>;

export interface ReadAgain {
  readonly live: LiveState;
  /** The number of flags in the project: counted, or as the plan saw it. */
  readonly total: number;
}

/** @throws {ServiceError} when a part cannot be read. */
export async function readAgain(plan: PlanToRead, client: ServiceClient): Promise<ReadAgain> {
  if (plan.changes.length === 0) return { live: { flags: [], roleAccess: {} }, total: 0 };
  const selection = selectionToApply(plan.changes);
  const ids = findFlagsToRead(plan, selection);
  const few = ids === undefined ? undefined : await readFlagsById(client, ids, selection);
  if (few !== undefined) return { live: few, total: countFlags(plan) };
  const live = await readLiveState(client, selection);
  return { live, total: live.flags.length };
}

/** The ids of all flags that the changes are about; `undefined` if the list is cheaper, or flags are named by key only. */
function findFlagsToRead(plan: PlanToRead, { flags: { keys = [] } }: LiveSelection): readonly number[] | undefined {
  const found = new Map<string, number>();
  for (const change of plan.changes) {
    if (!isOfFlag(change)) continue;
    // A create must find its key free, which only the list shows in every version of the service.
    if (typeof change.id !== 'number') return undefined;
    found.set(kindFor(change).liveKey(change), change.id);
  }
  const ids = [...new Set(found.values())];
  const isListCheaper = ids.length > countFlags(plan) / FLAGS_PER_PAGE;
  return isListCheaper || keys.some((key) => !found.has(key)) ? undefined : ids;
}

/** The number of flags that the plan saw: all of the project, or fewer if the run was limited to some. */
function countFlags({ changes, summary }: PlanToRead): number {
  return (
    (summary.kinds?.flag?.unchanged ?? summary.unchanged) +
    summary.unmanaged +
    new Set(changes.filter(isOfFlag).map(({ id }) => id)).size
  );
}

export interface ForecastBasis extends RunConditions {
  /** The live flags that the plan was made from. */
  readonly flags: readonly Flag[];
}

/** Sums the requests that applying a plan costs: each reader and writer states its own. */
export function forecastOf(plan: PlanToRead, { flags, ...conditions }: ForecastBasis): Forecast {
  const { changes } = plan;
  if (changes.length === 0) return forecastRounds([], conditions);
  // Predicts the rounds of requests of `readAgain` when `flags` are live, and the flags that the project then holds.
  const selection = selectionToApply(plan.changes);
  const ids = findFlagsToRead(plan, selection);
  const reads =
    ids === undefined ? predictReads(flags, selection) : { rounds: predictFlagsById(flags, ids, selection), flags };
  const readBack = byKind(changes).flatMap(({ kind, own }) => kind.writer.countReadBack(own, reads.flags));
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
    const writerOf = (change: Change): ReturnType<typeof kindFor>['writer'] => kindFor(change).writer;
    const refreshed = round.filter((change) => writerOf(change).needsRefresh(change));
    const confirmed = round.filter((change) => writerOf(change).needsConfirming?.(change) === true);
    const further = round.map((change) => (writerOf(change).countWrites?.(change) ?? 1) - 1);
    const parts = singles(further.reduce((sum, one) => sum + one, 0));
    return [singles(refreshed.length), singles(round.length), parts, pages(confirmed.length)];
  });
}
