/** What is known of a rollout without asking the command: its steps, where it is, and when the next one is due. */

export const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;
/** How often rollouts are looked at: the default of the configuration. */
export const EVERY: number = 15 * MINUTE;
/** More than this needs an approval of the service, where it has a policy. */
export const APPROVED_ABOVE = 40;

export interface Step {
  readonly at: number;
  readonly to: number;
}

export interface Known {
  key: string;
  /** Its name before git renamed it. */
  former?: string;
  steps: readonly Step[];
  readonly jumps: boolean;
  /** The guards that the manifest names. */
  guard?: readonly string[];
  /** The step that is live; -1: none yet. */
  step: number;
  /** When it was made, at the earliest and at the latest that a run may count. */
  made: readonly [number, number];
  /** Somebody made it by hand or nobody recorded it: the next run counts it as made then. */
  isUnrecorded: boolean;
  /** As a run recorded it last. */
  recorded: Pick<Known, 'step' | 'made'>;
  /** Somebody edited the flag, and nobody decided yet. */
  isHeld: boolean;
  isOffByHand: boolean;
  /** Somebody made a later step by hand, so nobody knows what it means. */
  isUnknown?: boolean;
  /** Git took the steps away: this value stays. */
  settled?: number;
  /** Git deleted it. */
  isGone?: true;
}

/** When the step after the one that is live is due, counted from when that was made: at the earliest (0) or at the latest (1). */
export function dueOf({ steps, step, made, jumps, settled, isGone }: Known, which: 0 | 1): number {
  const [former, next] = [steps[step], steps[step + 1]];
  if (next === undefined || settled !== undefined || isGone === true) return Number.POSITIVE_INFINITY;
  if (former === undefined || jumps) return next.at;
  const late = made[which] - former.at;
  return late < EVERY ? next.at : next.at + late;
}

/** The step that a run makes now, if one is due; -1: none. */
export function nextStep(one: Known, now: number): number {
  if (dueOf(one, 1) > now) return -1;
  return one.jumps ? newestAt(one.steps, now) : one.step + 1;
}

export function newestAt(steps: readonly Step[], now: number): number {
  return steps.findLastIndex(({ at }) => at <= now);
}

export function valueAt({ steps }: Pick<Known, 'steps'>, step: number): number {
  return steps[step]?.to ?? 0;
}

/** Up to four steps, somewhere in the ten weeks. */
export function rolloutOf(key: string, start: number, below: (limit: number) => number): Known {
  const steps: Step[] = [];
  let at = start + HOUR + below(40 * 24) * HOUR;
  let to = 0;
  for (let left = 1 + below(4); left > 0; left -= 1) {
    to += 1 + below(24);
    steps.push({ at, to });
    at += (1 + below(14 * 24)) * HOUR;
  }
  const made = [start, start] as const;
  const recorded = { step: -1, made };
  const jumps = below(5) === 0;
  return { key, steps, jumps, ...recorded, recorded, isUnrecorded: false, isHeld: false, isOffByHand: false };
}

export function manifestOf(rollouts: readonly Known[]): string {
  return `flags:\n${rollouts.map(declarationOf).join('')}`;
}

function declarationOf({ key, former, steps, jumps, settled, isGone, guard = [] }: Known): string {
  if (isGone === true) return `  ${key}: { deleted: true }\n`;
  const names = former === undefined ? '' : `previous_keys: [${former}], `;
  const listed = steps.map(({ at, to }) => `{ at: ${new Date(at).toISOString().replace('.000', '')}, to: ${to} }`);
  const guarded = guard.length === 0 ? '' : `guard: [${guard.join(', ')}], `;
  const value = settled ?? `{ ${guarded}${jumps ? 'catch_up: latest, ' : ''}steps: [${listed.join(', ')}] }`;
  return `  ${key}: { ${names}active: true, rollout_percentage: ${value} }\n`;
}
