/** What the scheduled changes of flags do to people: each is judged like a change of a plan, on the flag as it is by then. */

import type { JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Effect, ResourceEffects } from '../effects/effect.ts';
import { findEffects } from '../effects/find-effects.ts';
import { sidesOf } from '../effects/sides.ts';
import { readUser } from '../posthog/flag/find-changes.ts';
import type { Flag } from '../posthog/flag/model/flag.ts';
import {
  approvalOf,
  foretellChanges,
  type ForetoldChange,
  type ForetoldOutcome,
  pendingByFlag,
  type ScheduledChange,
  type ScheduleFacts,
  toFacts,
  type UnknownSchedules,
} from '../posthog/flag/schedules.ts';
import { takeFlagSnapshot, type FlagSnapshot } from '../posthog/flag/snapshot.ts';
import { setAt } from '../posthog/flag/values-of-others.ts';
import type { LiveState } from '../posthog/live.ts';
import type { Plan } from '../posthog/plan.ts';
import { isDue, waitingFlags } from '../posthog/rollouts/rollouts.ts';
import { stepAt, valueOf } from '../rollout/position.ts';
import type { Moment, PlannedRollout } from '../rollout/rollout.ts';
import { afterPlan, asUpdate, changesById, isAt } from './after-plan.ts';
import { findImpact, type Circumstances } from './find-impact.ts';
import type { FlagImpact } from './impact.ts';

/** One scheduled change of a declared flag. */
export interface ScheduledEffects extends ScheduleFacts {
  /** The end of the repetition. */
  readonly until?: string;
  /** The user who scheduled it, in whose name it is made. */
  readonly by?: string;
  /** The change request that is bound to it; its state is the service's. */
  readonly approval?: { readonly request: string; readonly state: string };
  readonly outcome: ForetoldOutcome['kind'];
  /** Absent if nothing is made, or if that is not known. An empty list: the flag is so already. */
  readonly effects?: readonly Effect[];
  readonly dormant?: true;
  /** The flag itself, and those that depend on it; absent if no value may change. */
  readonly impact?: readonly FlagImpact[];
}

/** `unknown`: why they are not known. */
export interface ScheduledFacts {
  readonly changes: readonly ScheduledEffects[];
  readonly unknown?: UnknownSchedules;
}

interface Scheduled {
  readonly live: LiveState;
  /** The flags to tell of, by their keys in the report. */
  readonly subjects: readonly { readonly key: string; readonly id: number }[];
  /** What is applied first; empty where the live state is told of. */
  readonly changes: Plan['changes'];
  /** Their steps go on in between. */
  readonly rollouts?: readonly PlannedRollout[];
  readonly left?: Plan['left'];
  readonly moment?: Pick<Moment, 'now' | 'every'>;
}

/** Scheduled changes by flag, in the order of their times. */
export function findScheduled(scheduled: Scheduled, circumstances: Circumstances): ScheduledFacts {
  const { live, subjects, changes } = scheduled;
  const flags = takeFlagSnapshot(live);
  const pending = pendingByFlag(live.schedules ?? []);
  const planned = changesById(changes);
  const world = afterPlan(flags, changes);
  return {
    changes: subjects.flatMap(({ key, id }) => {
      const flag = flags.byId(id);
      const own = planned.get(id);
      const start = own === undefined ? flag && flags.comparable(flag) : sidesOf(own).after;
      if (start === undefined) return [];
      const step = stepping(key, scheduled);
      return (pending.get(id) ?? [])
        .reduce(foretellNext(flags, step), { flag: start, told: [] })
        .told.map((foretold) => toEffects(foretold, { key, id, world, flags, circumstances }));
    }),
    ...defined({ unknown: live.unknownSchedules }),
  };
}

interface Foretold {
  readonly flag: JsonObject;
  readonly told: readonly ForetoldChange[];
}

type Stepping = (flag: JsonObject, at: number) => JsonObject;

function foretellNext(flags: FlagSnapshot, step: Stepping): (before: Foretold, schedule: ScheduledChange) => Foretold {
  return ({ flag, told }, schedule) => {
    const before = step(flag, Date.parse(schedule.scheduled_at));
    const [foretold] = foretellChanges(before, [schedule], flags);
    if (foretold === undefined) return { flag: before, told };
    const { outcome } = foretold;
    return { flag: outcome.kind === 'made' ? outcome.after : before, told: [...told, foretold] };
  };
}

/** The flag with the steps that its rollouts make until then. One that does not stand at its step makes none. */
function stepping(key: string, { rollouts = [], left = [], moment, changes }: Scheduled): Stepping {
  const waiting = waitingFlags({ changes, left, rollouts });
  const own = rollouts.filter((one) => one.key === key && !waiting.has(key));
  if (moment === undefined || own.length === 0) return (flag) => flag;
  const begun = new Date(moment.now).toISOString();
  const reached = new Map(own.map((one) => [one, valueOf(one, one.step)]));
  return (flag, at) =>
    own.reduce((before, rollout) => {
      const made = isDue(rollout) ? undefined : rollout.applied;
      const applied = made ?? { step: rollout.step, at: begun };
      const value = valueOf(rollout, stepAt(rollout, applied, { ...moment, now: at, reach: 'planned' }));
      if (!isAt(before, rollout.path, reached.get(rollout))) return before;
      reached.set(rollout, value);
      return setAt(before, rollout.path, value);
    }, flag);
}

interface ScheduledFlag {
  readonly key: string;
  readonly id: number;
  readonly world: readonly Flag[];
  readonly flags: FlagSnapshot;
  readonly circumstances: Circumstances;
}

function toEffects(foretold: ForetoldChange, around: ScheduledFlag): ScheduledEffects {
  const { schedule, outcome } = foretold;
  const approval = approvalOf(schedule);
  const { end_date: until } = schedule;
  return {
    ...toFacts(around.key, schedule),
    outcome: outcome.kind,
    ...defined({
      until: typeof until === 'string' ? until : undefined,
      by: readUser(schedule['created_by']),
      approval: approval && { request: approval.id, state: approval.state },
    }),
    ...(outcome.kind === 'made' ? effectsOf(foretold.before, outcome.after, around) : {}),
  };
}

function effectsOf(
  before: JsonObject,
  after: JsonObject,
  { key, id, world, flags, circumstances }: ScheduledFlag,
): Pick<ScheduledEffects, 'effects' | 'dormant' | 'impact'> {
  const change = asUpdate({ key, id, before, after, flags });
  if (change.fields.length === 0) return { effects: [] };
  const changes = [change];
  const [found] = findEffects({ changes, warnings: [] }) as [ResourceEffects];
  const impact = findImpact({ changes, warnings: [], live: world }, circumstances).flags;
  return { effects: found.effects, ...defined({ dormant: found.dormant }), ...(impact.length > 0 && { impact }) };
}
