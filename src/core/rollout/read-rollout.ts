/** Reads what a manifest has instead of a value that changes over time: `{ steps: [{ at: TIME, to: VALUE }] }`. */

import { isDate, MOST_OFF_MS } from '../../base/times.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
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
  /** Absent if the steps cannot be followed. */
  readonly rollout?: Rollout;
  readonly findings: readonly RolloutFinding[];
}

/** The interval between runs that make steps, in ms, if the configuration has none. */
export const DEFAULT_STEPS_EVERY: number = 15 * 60_000;

interface StepLimits {
  /** The least distance between steps, in ms. */
  readonly every?: number;
  /** The latest time at which somebody can have made a step, in ms since 1970; absent: any time. */
  readonly present?: number;
  /** The guards that the configuration declares; absent: not known. */
  readonly guards?: readonly string[];
}

/** Reports what the schema of manifests, which checks the shape, cannot see. */
export function readRollout(
  written: JsonObject,
  { every = DEFAULT_STEPS_EVERY, present = Number.POSITIVE_INFINITY, guards }: StepLimits = {},
): ReadRollout {
  const { steps: list, from, catch_up: catchUp, guard } = written;
  const read = isJsonArray(list) ? list.map(readStep) : [];
  const steps = read.filter((step) => step !== undefined);
  const [first] = steps;
  if (first === undefined || steps.length < read.length) return { findings: read.flatMap(findBadTime(list)) };
  const rollout: Rollout = {
    from: from ?? before(first),
    steps,
    ...(catchUp === 'latest' ? { catch_up: catchUp } : {}),
    ...(guard === undefined ? {} : { guard: namesIn(guard) }),
  };
  const ofSteps = steps.flatMap((step, index) => findProblems(step, index, { rollout, every, present }));
  const findings = [
    ...ofSteps,
    ...findManyJumps(rollout),
    ...findSkippedGuard(rollout),
    ...findUnknownGuards(written, guards),
  ];
  return findings.some(({ severity }) => severity === 'error') ? { findings } : { rollout, findings };
}

function readStep(step: JsonValue): Step | undefined {
  if (!isJsonObject(step) || step['to'] === undefined) return undefined;
  const at = readTime(step['at']);
  if (at === undefined) return undefined;
  return { at: new Date(at).toISOString(), to: step['to'], ...(step['done'] === true ? { done: true } : {}) };
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;

/** Parses a time with a zone to ms since 1970; `undefined` for a day that does not exist. */
function readTime(written: JsonValue | undefined): number | undefined {
  const text = typeof written === 'string' ? written : '';
  const [, day] = TIME.exec(text) ?? [];
  if (day === undefined || !isDate(day)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** The value before the first step: 0%, or the opposite of a switch. */
function before({ to }: Step): JsonValue {
  return typeof to === 'boolean' ? !to : 0;
}

/** Reports times of days that do not exist. The schema reports steps of the wrong shape. */
function findBadTime(list: JsonValue | undefined): (step: Step | undefined, index: number) => RolloutFinding[] {
  return (step, index) => {
    const written = isJsonArray(list) ? list[index] : undefined;
    if (step !== undefined || !isJsonObject(written) || typeof written['at'] !== 'string') return [];
    const { at: time } = written;
    if (!TIME.test(time) || readTime(time) !== undefined) return [];
    return [{ code: 'step-time-invalid', severity: 'error', at: `/steps/${index}/at`, args: { time } }];
  };
}

/** The most jumps between steps: reviewing so many takes some seconds. */
const MOST_JUMPS = 10_000;

/** Counts jumps from each value to each later step; jumps from equal values to the same step are one. */
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

/** A late run would jump over steps, after which nothing was looked at. */
function findSkippedGuard({ catch_up: catchUp, guard }: Rollout): RolloutFinding[] {
  if (catchUp === undefined || guard === undefined) return [];
  return [{ code: 'guard-skips-steps', severity: 'error', at: '/catch_up', args: {} }];
}

function findUnknownGuards({ guard = [] }: JsonObject, guards: readonly string[] | undefined): RolloutFinding[] {
  if (guards === undefined) return [];
  return namesIn(guard).flatMap((name, index): RolloutFinding[] => {
    if (guards.includes(name)) return [];
    const args = { name, ...defined({ suggestion: nearest(name, guards) }) };
    return [{ code: 'guard-unknown', severity: 'error', at: isJsonArray(guard) ? `/guard/${index}` : '/guard', args }];
  });
}

function namesIn(guard: JsonValue): readonly string[] {
  return (isJsonArray(guard) ? guard : [guard]).filter((name) => typeof name === 'string');
}

function findProblems(
  { at, to, done }: Step,
  index: number,
  { rollout: { from, steps }, every, present }: Required<Omit<StepLimits, 'guards'>> & { readonly rollout: Rollout },
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
