/** A repository and a service whose clock a test sets with each run, in hours after the start: for values that change over time. */

import { CONFIG, gitStage, type GitStage } from './git-stage.ts';
import type { StageOptions } from './stage.ts';

const HOUR_MS = 3_600_000;
export const START: number = Date.parse('2026-12-01T08:00:00Z');

/** So many hours after the start, as manifests and reports write it. */
export function hour(hours: number): string {
  return new Date(START + hours * HOUR_MS).toISOString().replace('.000', '');
}

export interface TimedStage extends GitStage {
  /** Sets the clock, and runs the command then. */
  readonly runAt: (hours: number, ...argv: string[]) => ReturnType<GitStage['run']>;
  readonly setClock: (hours: number) => void;
  /** By key: of the first condition. */
  readonly percentages: () => Promise<Readonly<Record<string, unknown>>>;
}

export async function timedStage(
  manifest: string,
  { config = CONFIG, ...options }: Omit<StageOptions, 'now'> & { readonly config?: string } = {},
): Promise<TimedStage> {
  let now = START;
  const here = await gitStage(config, { manifest, now: () => new Date(now), ...options });
  const setClock = (hours: number): void => void (now = START + hours * HOUR_MS);
  return {
    ...here,
    setClock,
    runAt: async (hours, ...argv) => {
      setClock(hours);
      return here.runWith({ now }, ...argv);
    },
    percentages: async () => {
      const flags = await here.world.client.listFlags();
      return Object.fromEntries(flags.map(({ key, filters }) => [key, filters?.groups?.[0]?.rollout_percentage]));
    },
  };
}
