/** What the scheduled changes of flags do to people. Each is judged like a change of a plan, on the flag as it will be at its time. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ResourceEffects } from '../effects/effect.ts';
import type { Scheduled, ScheduledEffects, ScheduledFacts } from '../effects/impact.ts';
import { findEffects } from '../effects/find-effects.ts';
import { readUser } from '../../posthog/flag/find-changes.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import {
  approvalOf,
  predictChanges,
  type PredictedChange,
  pendingByFlag,
  type ScheduledChange,
  toFacts,
} from '../../posthog/flag/schedules.ts';
import {
  takeFlagSnapshot,
  type FlagSnapshot,
  afterPlan,
  asUpdate,
  changesById,
  isAt,
  sidesOf,
} from '../../posthog/flag/snapshot.ts';
import { setAt } from '../../posthog/flag/values-of-others.ts';
import { isDue, waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import { stepAt, valueOf } from '../../core/rollout/position.ts';
import { findImpact, type Circumstances } from './find-impact.ts';

/** Finds the effects of the scheduled changes, flag by flag, in the order of their times. */
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
        .reduce(predictNext(flags, step), { flag: start, changes: [] })
        .changes.map((predicted) => toEffects(predicted, { key, id, world, flags, circumstances }));
    }),
    ...defined({ unknown: live.unknownSchedules }),
  };
}

interface Predicted {
  readonly flag: JsonObject;
  readonly changes: readonly PredictedChange[];
}

type Stepping = (flag: JsonObject, at: number) => JsonObject;

function predictNext(flags: FlagSnapshot, step: Stepping): (before: Predicted, schedule: ScheduledChange) => Predicted {
  return ({ flag, changes }, schedule) => {
    const before = step(flag, Date.parse(schedule.scheduled_at));
    const [predicted] = predictChanges(before, [schedule], flags);
    if (predicted === undefined) return { flag: before, changes };
    const { outcome } = predicted;
    return { flag: outcome.kind === 'made' ? outcome.after : before, changes: [...changes, predicted] };
  };
}

/** Returns a function that makes the steps due by a time. A rollout whose live value is not that of its step makes none. */
function stepping(key: string, { rollouts = [], moment }: Scheduled): Stepping {
  const waiting = waitingFlags({ rollouts });
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

function toEffects(predicted: PredictedChange, around: ScheduledFlag): ScheduledEffects {
  const { schedule, outcome } = predicted;
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
    ...(outcome.kind === 'made' ? effectsOf(predicted.before, outcome.after, around) : {}),
  };
}

function effectsOf(
  before: JsonObject,
  after: JsonObject,
  { key, id, world, flags, circumstances }: ScheduledFlag,
): Pick<ScheduledEffects, 'effects' | 'dormant' | 'impact'> {
  const change = asUpdate({ key, id }, { before, after }, flags);
  if (change.fields.length === 0) return { effects: [] };
  const changes = [change];
  const [found] = findEffects({ changes, warnings: [] }) as [ResourceEffects];
  const impact = findImpact({ changes, warnings: [], live: world }, circumstances).flags;
  return { effects: found.effects, ...defined({ dormant: found.dormant }), ...(impact.length > 0 && { impact }) };
}
