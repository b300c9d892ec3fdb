/** What the guards of a rehearsal find at each of its runs: the verdicts of a file, as they came, or random ones, or that nothing is wrong. */

import { createHash } from 'node:crypto';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { canonicalText, type JsonObject } from '../../base/json.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { readTimeline, type TimedVerdict } from '../../config/verdicts.ts';
import type { Guard } from '../../core/rollout/guard.ts';
import { isHeldByGuard } from '../../posthog/rollouts/rollouts.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import type { RehearsedVerdicts } from '../../report/report.ts';

interface AlertOutcome {
  readonly alert: string;
  readonly state: 'Firing' | 'Not firing' | 'Errored';
}

export interface RehearsedGuards {
  readonly verdicts: RehearsedVerdicts;
  /** Alerts of the seed, with the checks that the file has. */
  readonly alerts: readonly JsonObject[];
  /** The checks of alerts that the service makes at a time. */
  readonly checksAt: (time: number) => readonly AlertOutcome[];
  /** What is known of each name at a time, in milliseconds since 1970. */
  readonly at: (time: number) => readonly TimedVerdict[];
  /** When to run next for a rollout that waits; absent: nothing will let it through. */
  readonly next: (rollout: PlannedRollout, now: number) => number | undefined;
}

export async function rehearsedGuards(
  guards: readonly Guard[],
  options: { readonly cwd: string; readonly verdicts?: string; readonly randomVerdicts?: number },
): Promise<RehearsedGuards> {
  const { cwd, verdicts: file, randomVerdicts: seed } = options;
  if (file !== undefined && seed !== undefined)
    throw new FlagwrightError('usage', '--verdicts and --random-verdicts exclude each other.', {
      remedy: 'Give one of them.',
    });
  const names = [...new Set(guards.map(sourceName))];
  const alertNames = [...new Set(guards.flatMap(({ source }) => ('alert' in source ? [source.alert] : [])))];
  const overdueAt = patienceOf(guards);
  if (file !== undefined) {
    const timeline = await readTimeline({ path: path.resolve(cwd, file), file });
    const at = (time: number): readonly TimedVerdict[] =>
      names.flatMap((name) => timeline.findLast((one) => one.name === name && one.at <= time) ?? []);
    const checksOf = (name: string): JsonObject[] =>
      timeline
        .filter((one) => one.name === name)
        .map(({ at: time, verdict }) => ({ at: new Date(time).toISOString(), state: STATES[verdict] }));
    return {
      verdicts: { from: 'file', file },
      alerts: alertNames.map((name) => ({ name, checks: checksOf(name) })),
      checksAt: () => [],
      at,
      next: (rollout, now) => {
        const later = timeline.find((one) => one.at > now && names.includes(one.name))?.at;
        const overdue = rollout.overdue === true ? undefined : overdueAt(rollout);
        return later === undefined || overdue === undefined ? (later ?? overdue) : Math.min(later, overdue);
      },
    };
  }
  const says = seed === undefined ? () => 'pass' as const : randomly(seed);
  return {
    verdicts: seed === undefined ? { from: 'nothing' } : { from: 'random', seed },
    alerts: alertNames.map((name) => ({ name })),
    checksAt: (time) => alertNames.map((alert) => ({ alert, state: STATES[says(alert, time) ?? 'unknown'] })),
    at: (time) =>
      names.flatMap((name) => {
        const verdict = says(name, time);
        return verdict === undefined ? [] : [{ name, verdict, at: time }];
      }),
    next: ({ overdue }, now) => (overdue === true ? undefined : now + 1),
  };
}

const STATES = { pass: 'Not firing', hold: 'Firing', unknown: 'Errored' } as const;

/** What an entry of the file has as its name: the verdict or the alert that the guard looks at. */
function sourceName({ source }: Guard): string {
  return 'alert' in source ? source.alert : source.verdict;
}

/** When a waiting step is overdue. */
function patienceOf(guards: readonly Guard[]): (rollout: PlannedRollout) => number {
  return ({ due = '', guard_readings: readings = [] }) => {
    const waiting = readings.flatMap(({ guard, says }) =>
      says === 'pass' ? [] : guards.filter(({ name }) => name === guard),
    );
    return Date.parse(due) + Math.min(...waiting.map(({ patience }) => patience), LONGEST_MS) + 1;
  };
}

const LONGEST_MS = 365 * 86_400_000;

/** Half of all pass, a quarter hold, and of a quarter nothing is known: the same for the same seed, whatever is asked first. */
function randomly(seed: number): (name: string, time: number) => 'pass' | 'hold' | undefined {
  return (name, time) => {
    const [byte = 0] = createHash('sha256')
      .update(canonicalText([seed, name, time]))
      .digest();
    return byte < 128 ? 'pass' : byte < 192 ? 'hold' : undefined;
  };
}

/** The file that a run of the rehearsal is given. */
export function verdictsText(verdicts: readonly TimedVerdict[]): string {
  return stringifyJson({
    verdicts: verdicts.map(({ at, ...one }): JsonObject => ({ ...one, at: new Date(at).toISOString() })),
  });
}

/** When each rollout is run for next. */
export function nextRun(rollouts: readonly PlannedRollout[], guards: RehearsedGuards, now: number): number | undefined {
  const times = rollouts.flatMap((one) => {
    if (one.due === undefined) return [];
    return (isHeldByGuard(one) ? guards.next(one, now) : Date.parse(one.due)) ?? [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
