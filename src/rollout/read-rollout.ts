/** Reads what a manifest has in place of a value: `{ steps: [{ at: TIME, to: VALUE }] }`. */

import { isDate } from '../base/times.ts';
import { canonicalText, isJsonArray, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import type { RolloutProblems } from './problems.ts';
import type { Rollout, Step } from './rollout.ts';

interface RolloutFinding<Code extends keyof RolloutProblems = keyof RolloutProblems> {
  readonly code: Code;
  readonly severity: 'error' | 'warning';
  /** The pointer from the value. */
  readonly at: string;
  readonly args: RolloutProblems[Code];
}

export interface ReadRollout {
  /** Absent where the plan cannot be followed. */
  readonly rollout?: Rollout;
  readonly findings: readonly RolloutFinding[];
}

/** How often rollouts are looked at where the configuration does not say it, in ms. */
export const DEFAULT_STEPS_EVERY: number = 15 * 60_000;

/** Clocks that differ by less count as one. */
export const MOST_OFF_MS = 60_000;

interface StepLimits {
  /** The least distance of steps, in ms. */
  readonly every?: number;
  /** Nobody made a step later than this, in ms since 1970; absent: any may be made. */
  readonly present?: number;
}

/** The schema of manifests reports what has the wrong shape; this, what the shape does not show. */
export function readRollout(
  written: JsonObject,
  { every = DEFAULT_STEPS_EVERY, present = Number.POSITIVE_INFINITY }: StepLimits = {},
): ReadRollout {
  const { steps: list, from, catch_up: catchUp } = written;
  const read = isJsonArray(list) ? list.map(readStep) : [];
  const steps = read.filter((step) => step !== undefined);
  const [first] = steps;
  if (first === undefined || steps.length < read.length) return { findings: read.flatMap(findBadTime(list)) };
  const rollout: Rollout = {
    from: from ?? before(first),
    steps,
    ...(catchUp === 'latest' ? { catch_up: catchUp } : {}),
  };
  const ofSteps = steps.flatMap((step, index) => findProblems(step, index, { rollout, every, present }));
  const findings = [...ofSteps, ...findManyJumps(rollout)];
  return findings.some(({ severity }) => severity === 'error') ? { findings } : { rollout, findings };
}

function readStep(step: JsonValue): Step | undefined {
  if (!isJsonObject(step) || step['to'] === undefined) return undefined;
  const at = readTime(step['at']);
  if (at === undefined) return undefined;
  return { at: new Date(at).toISOString(), to: step['to'], ...(step['done'] === true ? { done: true } : {}) };
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time in ms since 1970, written with the offset of its zone; `undefined` for a day that no calendar has. */
function readTime(written: JsonValue | undefined): number | undefined {
  const text = typeof written === 'string' ? written : '';
  const [, day] = TIME.exec(text) ?? [];
  if (day === undefined || !isDate(day)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Nobody, or off; what is switched off by its first step is on until then. */
function before({ to }: Step): JsonValue {
  return typeof to === 'boolean' ? !to : 0;
}

/** A step without the right shape was reported already. */
function findBadTime(list: JsonValue | undefined): (step: Step | undefined, index: number) => RolloutFinding[] {
  return (step, index) => {
    const written = isJsonArray(list) ? list[index] : undefined;
    if (step !== undefined || !isJsonObject(written) || typeof written['at'] !== 'string') return [];
    const { at: time } = written;
    if (!TIME.test(time) || readTime(time) !== undefined) return [];
    return [{ code: 'step-time-invalid', severity: 'error', at: `/steps/${index}/at`, args: { time } }];
  };
}

/** Reviewing so many takes some seconds. */
const MOST_JUMPS = 10_000;

/** Those from equal values to one step are the same. */
function findManyJumps({ from, steps, catch_up: catchUp }: Rollout): RolloutFinding[] {
  if (catchUp !== 'latest') return [];
  const starts = new Set<string>();
  let jumps = 0;
  for (const before of [from, ...steps.map(({ to }) => to)].slice(0, -1)) {
    jumps += starts.size;
    starts.add(canonicalText(before));
  }
  if (jumps <= MOST_JUMPS) return [];
  return [{ code: 'jumps-too-many', severity: 'error', at: '/steps', args: { jumps, limit: MOST_JUMPS } }];
}

function findProblems(
  { at, to, done }: Step,
  index: number,
  { rollout: { from, steps }, every, present }: Required<StepLimits> & { readonly rollout: Rollout },
): RolloutFinding[] {
  const former = steps[index - 1];
  const findings: RolloutFinding[] = [];
  if (jsonEquals(to, former?.to ?? from)) {
    findings.push({ code: 'step-changes-nothing', severity: 'warning', at: `/steps/${index}/to`, args: { value: to } });
  }
  if (done === true && Date.parse(at) > present + MOST_OFF_MS) {
    findings.push({ code: 'step-done-ahead', severity: 'error', at: `/steps/${index}/done`, args: { time: at } });
  }
  if (former === undefined) return findings;
  const seconds = (Date.parse(at) - Date.parse(former.at)) / 1000;
  const place = { severity: 'error', at: `/steps/${index}/at` } as const;
  if (seconds <= 0) findings.push({ code: 'steps-out-of-order', ...place, args: { same: seconds === 0 } });
  else if (seconds * 1000 < every && done !== true) {
    findings.push({ code: 'steps-too-close', ...place, args: { seconds, every: every / 1000 } });
  }
  return findings;
}
