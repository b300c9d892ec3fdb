/** The record of rollouts: what an apply records of those in its plan, and how it is parsed. */

import { defined } from '../../base/optional.ts';
import { arrayOrEmpty, isJsonArray, isJsonObject, jsonEquals, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import type { GuardReading, GuardSource } from './guard.ts';
import type { Approval, PlannedRollout, Progress, Rollout, Step } from './rollout.ts';

interface RecordedPlan {
  readonly rollouts?: readonly PlannedRollout[];
  /** Flags that the run left as another commit has them. */
  readonly unrecorded?: readonly { readonly key: string }[];
  readonly base?: { readonly kind: string; readonly rollouts?: readonly Progress[] };
}

interface RunOfSteps {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The keys of flags whose steps the run did not make, and of those whose steps it asked people for. */
  readonly unmade?: readonly string[];
  readonly asked?: readonly string[];
  readonly approvalsOf?: (key: string) => readonly Approval[];
}

/**
 * The progress of the rollouts of a plan after its run. Where the run left a flag or did not make its step, the former record stays, and so do
 * the approvals of steps that this run does not review.
 */
export function progressAfterRun(
  { rollouts = [], unrecorded = [], base }: RecordedPlan,
  { now, unmade = [], asked = [], approvalsOf = () => [] }: RunOfSteps,
): readonly Progress[] {
  const unknown = rollouts.filter((one) => one.unknown_origin === true);
  const left = new Set([...[...unrecorded, ...unknown].map(({ key }) => key), ...unmade]);
  const former = base?.rollouts ?? [];
  const made = rollouts
    .filter(({ key }) => !left.has(key))
    .map((one) => {
      const approved = [...approvalsOf(one.key), ...approvalsBefore(one, former)];
      return { ...progressAfter(one, now), ...(approved.length === 0 ? {} : { approved }) };
    });
  const stepOf = (one: Progress): number | undefined =>
    rollouts.find(({ key, pointer }) => asked.includes(key) && one.key === key && one.pointer === pointer)?.step;
  // A flag that the run renamed has its former record under the new key.
  const renamed = new Map(
    unknown.flatMap(({ key, applied }) => (unmade.includes(key) ? [] : [[applied?.key ?? key, key]])),
  );
  const kept = former.flatMap((one) => {
    const key = renamed.get(one.key) ?? (left.has(one.key) ? one.key : undefined);
    return key === undefined ? [] : [{ ...one, key }];
  });
  return [...made, ...kept.map((one) => ({ ...one, ...defined({ asked: stepOf(one) }) }))];
}

/** A step that was applied before keeps its time, unless that is in the future. */
export function progressAfter(planned: PlannedRollout, now: number): Progress {
  const { key, pointer, step, applied, recorded_later: recordedLater } = planned;
  const isMade = applied?.step === step;
  const at = isMade && recordedLater !== true ? applied.at : new Date(now).toISOString();
  const passed = (planned.guard_readings ?? []).filter(({ says }) => says === 'pass');
  const letThrough = isMade ? applied.let_through : passed.length > 0 ? passed : undefined;
  return { key, pointer, ...withoutProgress(planned), step, at, ...defined({ let_through: letThrough }) };
}

/** The record of a rollout never goes back: another run may have recorded a later step, or the same one at an earlier time. */
export function neverBack(own: readonly Progress[], recorded: readonly Progress[]): readonly Progress[] {
  return own.map((one) => {
    const other = recorded.find(
      (each) => each.key === one.key && each.pointer === one.pointer && hasSameSteps(each, one),
    );
    if (other === undefined || other.step < one.step) return one;
    if (other.step === one.step) return { ...one, at: Date.parse(other.at) > Date.parse(one.at) ? one.at : other.at };
    // What let the own step through says nothing about the later one.
    const { let_through: _own, ...rest } = one;
    return { ...rest, step: other.step, at: other.at, ...defined({ let_through: other.let_through }) };
  });
}

/** A change of its guards alone leaves a rollout where it is. */
function hasSameSteps({ guard: _own, ...one }: Rollout, { guard: _other, ...other }: Rollout): boolean {
  return isSameRollout(one, other);
}

/** What the manifest declares, without its progress. */
export function withoutProgress({ from, steps, catch_up, guard }: Rollout): Rollout {
  return { from, steps, ...defined({ catch_up, guard }) };
}

export function isSameRollout(one: Rollout, other: Rollout): boolean {
  return jsonEquals(withoutProgress(one) as unknown as JsonValue, withoutProgress(other) as unknown as JsonValue);
}

/** The recorded approvals of a rollout, if its steps are the same and the flag means the same to people. */
export function approvalsBefore(rollout: PlannedRollout, recorded: readonly Progress[]): readonly Approval[] {
  const key = rollout.applied?.key ?? rollout.key;
  const own = recorded.find((one) => one.key === key && isSameRollout(one, rollout));
  return rollout.reviewed === true ? (own?.approved ?? []) : [];
}

/** `undefined` if a later release wrote it, or if it is damaged. */
export function parseProgress(value: JsonValue | undefined): Progress | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, pointer, step, at, from, catch_up: catchUp, guard } = value;
  const steps = isJsonArray(value['steps']) ? value['steps'].map(parseStep) : [];
  const known = steps.filter((one) => one !== undefined);
  if (typeof key !== 'string' || typeof pointer !== 'string' || !isTime(at) || from === undefined) return undefined;
  if (!isIndex(step) || known.length === 0 || known.length < steps.length || step >= known.length) return undefined;
  if (catchUp !== undefined && catchUp !== 'latest') return undefined;
  if (guard !== undefined && !isNames(guard)) return undefined;
  const rollout: Rollout = {
    from,
    steps: known,
    ...(catchUp === undefined ? {} : { catch_up: catchUp }),
    ...defined({ guard }),
  };
  const approved = parseApprovals(value['approved']);
  const { asked } = value;
  if (asked !== undefined && !isIndex(asked)) return undefined;
  const letThrough = arrayOrEmpty(value['let_through']).flatMap(parseReading);
  const further = {
    ...defined({ asked }),
    ...(approved?.length ? { approved } : {}),
    ...(letThrough.length > 0 ? { let_through: letThrough } : {}),
  };
  return approved && { key, pointer, ...rollout, step, at, ...further };
}

/** An approval of an earlier release names neither its step nor what was found, so it lifts nothing. */
function parseApprovals(value: JsonValue | undefined): readonly Approval[] | undefined {
  const written = value === undefined ? [] : isJsonArray(value) ? value : undefined;
  const read = written?.map((one): Approval | 'unbound' | undefined => {
    const { rule, by, step, facts, jumps } = objectOrEmpty(one);
    if (typeof rule !== 'string' || typeof by !== 'string') return undefined;
    if (!isTime(step) || !isJsonObject(facts)) return 'unbound';
    return { rule, by, step, facts, ...(jumps === true ? { jumps } : {}) };
  });
  return read?.includes(undefined) === false ? read.filter((one) => typeof one === 'object') : undefined;
}

/** A reading of a form that a later release wrote is left out: no step depends on it. */
function parseReading(value: JsonValue): readonly GuardReading[] {
  const { guard, says, at, reason, source } = objectOrEmpty(value);
  if (typeof guard !== 'string' || says !== 'pass' || !isTime(at)) return [];
  const { alert, verdict } = objectOrEmpty(source);
  const looked: GuardSource | undefined =
    typeof alert === 'string' ? { alert } : typeof verdict === 'string' ? { verdict } : undefined;
  return [
    {
      guard,
      ...defined({ source: looked }),
      says,
      at,
      ...defined({ reason: typeof reason === 'string' ? reason : undefined }),
    },
  ];
}

function isNames(value: JsonValue): value is readonly string[] {
  return isJsonArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

function parseStep(value: JsonValue): Step | undefined {
  if (!isJsonObject(value)) return undefined;
  const { at, to, done } = value;
  return isTime(at) && to !== undefined ? { at, to, ...(done === true ? { done } : {}) } : undefined;
}

function isTime(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
}

function isIndex(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= -1;
}
