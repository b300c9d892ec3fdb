/** The due steps that guards look at, and the state without those that they do not let through. */

import { defined } from '../../base/optional.ts';
import { canonicalText, jsonEquals, type JsonValue } from '../../base/json.ts';
import { MOST_MISSED } from '../../core/manifest/at-moment.ts';
import {
  DEFAULT_PATIENCE_MS,
  isWidening,
  type Guard,
  type GuardReading,
  type Sighting,
} from '../../core/rollout/guard.ts';
import { valueOf } from '../../core/rollout/position.ts';
import type { DeclaredRollout, Moment, PlannedRollout } from '../../core/rollout/rollout.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import { setAt } from '../flag/values-of-others.ts';
import { findFormer } from './rollouts-in-review.ts';
import { atApplied, isDue } from './rollouts.ts';

/** A due step that gives its flag to more people, with the names of its guards. */
export interface GuardedStep {
  readonly key: string;
  readonly path: string;
  readonly guards: readonly string[];
  /** When the step before it was made; absent: none was. */
  readonly since?: string;
}

/** `former`: what was applied last. A change that removes a guard does not judge the step that is due while it is reviewed. */
export function findGuardedSteps(desired: DesiredState, former: DesiredState | undefined): readonly GuardedStep[] {
  const formerOf = findFormer(former ?? { flags: [] });
  return desired.flags.flatMap((flag): GuardedStep[] => {
    if (flag.kind !== 'declared' || flag.rollouts === undefined) return [];
    return flag.rollouts.flatMap((rollout): GuardedStep[] => {
      const { applied, path } = rollout;
      if (applied === undefined || !isDue(rollout) || !isWideningStep(rollout)) return [];
      const guards = new Set([...(rollout.guard ?? []), ...formerGuards(formerOf(flag), rollout)]);
      const since = applied.step >= 0 ? applied.at : undefined;
      return guards.size === 0 ? [] : [{ key: flag.key, path, guards: [...guards], ...defined({ since }) }];
    });
  });
}

export function isWideningStep(rollout: Pick<DeclaredRollout, 'from' | 'steps' | 'step' | 'applied'>): boolean {
  return isWidening(valueOf(rollout, rollout.applied?.step ?? -1), valueOf(rollout, rollout.step));
}

/** The guards that a state names for the rollout of a flag, which may have another key by now. */
export function guardsOf({ flags }: DesiredState, rollout: PlannedRollout): readonly string[] {
  const { key } = rollout;
  const own = flags.flatMap((flag) =>
    flag.kind === 'declared' && [flag.key, ...flag.previousKeys].includes(key) ? [flag] : [],
  );
  return [...new Set(own.flatMap((flag) => formerGuards(flag, rollout)))];
}

/** Those of the rollout at the same place, or with the same steps; of all of the flag where neither is found. */
function formerGuards(former: DeclaredFlag | undefined, { path, steps }: DeclaredRollout): readonly string[] {
  const all = former?.rollouts ?? [];
  const same = all.filter(
    (one) => one.path === path || jsonEquals(one.steps as unknown as JsonValue, steps as unknown as JsonValue),
  );
  return (same.length > 0 ? same : all).flatMap(({ guard = [] }) => guard);
}

/**
 * The definitions of a guard: that of the configuration that was applied last, and today's if it differs. None: nothing declares it.
 * `isOwn`: it guards the rollouts of the project.
 */
export function guardsNamed(
  name: string,
  sets: readonly { readonly guards: readonly Guard[]; readonly project: string }[],
): readonly (Guard & { readonly isOwn: boolean })[] {
  const found = sets.flatMap(({ guards, project }) =>
    guards
      .filter((one) => one.name === name)
      .map(({ projects, ...guard }) => ({ ...guard, isOwn: projects?.includes(project) !== false })),
  );
  const textOf = (guard: object): string => canonicalText(guard as JsonValue);
  return found.filter((guard, index) => index === found.findIndex((one) => textOf(one) === textOf(guard)));
}

export interface AskedGuards {
  readonly readings: readonly GuardReading[];
  /** How long the step may wait, in ms: of the least patient guard that does not let it through, or of all if each does. */
  readonly patience?: number;
}

/** The state in which each rollout knows what its guards say, and is at its applied step if one does not let the next one through. */
export function holdGuarded(
  desired: DesiredState,
  asked: ReadonlyMap<GuardedStep, AskedGuards>,
  { now, every }: Pick<Moment, 'now' | 'every'>,
): DesiredState {
  if (asked.size === 0) return desired;
  const flags = desired.flags.map((flag) => {
    if (flag.kind !== 'declared' || flag.rollouts === undefined) return flag;
    let { fields } = flag;
    const rollouts = flag.rollouts.map((rollout) => {
      const step = [...asked.keys()].find(({ key, path }) => key === flag.key && path === rollout.path);
      const { readings = [], patience = DEFAULT_PATIENCE_MS } = (step && asked.get(step)) ?? {};
      if (readings.length === 0) return rollout;
      const passes = readings.every(({ says }) => says === 'pass');
      const { overdue: _overdue, ...asDue } = rollout;
      const told: DeclaredRollout = { ...asDue, guard_readings: readings };
      const due = Date.parse(told.due ?? '');
      const missed = MOST_MISSED * every;
      // Its newest reading may always be recent, so no run that makes the step is missed by that alone.
      const late = passes ? Math.min(passedSince(told) + missed, due + Math.max(missed, patience)) : due + patience;
      const known: DeclaredRollout = now > late ? { ...told, overdue: true } : told;
      if (passes) return known;
      fields = setAt(fields, rollout.path, valueOf(rollout, rollout.applied?.step ?? -1));
      return atApplied(known);
    });
    return { ...flag, fields, rollouts };
  });
  return { ...desired, flags };
}

/** Since when a run could have made the step: it is due, and each guard was seen to let it through. */
function passedSince({ due = '', guard_readings: readings = [] }: DeclaredRollout): number {
  return Math.max(
    ...[due, ...readings.map(({ at }) => at ?? '')].map((time) => Date.parse(time)).filter(Number.isFinite),
  );
}

/** An alert of the service with its newest check. */
export interface SeenAlert {
  readonly name: string;
  readonly state: string;
  readonly enabled: boolean;
  readonly checkedAt?: string;
  readonly isEdited?: true;
  readonly check?: { readonly at: string; readonly state: string };
}

/**
 * What the alert of a name says. The state alone proves nothing: disabling, enabling and editing an alert set it to not firing without a
 * check, so its newest check has to say so too (docs/service/alerts.md, "Checks").
 */
export function sightingOf(name: string, alerts: readonly SeenAlert[]): Sighting {
  const [alert, second] = alerts.filter((one) => one.name === name);
  if (alert === undefined) return { says: 'unknown', why: 'missing' };
  if (second !== undefined) return { says: 'unknown', why: 'ambiguous' };
  if (!alert.enabled) return { says: 'unknown', why: 'disabled' };
  const { state, checkedAt, check } = alert;
  switch (state) {
    case 'Firing':
      return { says: 'hold', ...defined({ at: timeIn(checkedAt) }) };
    case 'Errored':
      return { says: 'unknown', why: 'errored' };
    case 'Snoozed':
      return { says: 'unknown', why: 'snoozed' };
    case 'Not firing': {
      const at = timeIn(check?.at);
      if (check === undefined || at === undefined) return { says: 'unknown', why: 'never_checked' };
      return check.state === 'Not firing' && alert.isEdited !== true
        ? { says: 'pass', at }
        : { says: 'unknown', why: 'reset', at };
    }
    default:
      return { says: 'unknown', why: 'state_unknown', detail: state };
  }
}

/** Times of the service have microseconds and an offset. */
function timeIn(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
