/** Scheduled changes of what a rollout changes too, found when its steps are reviewed, and not only when they meet. */

import { refTo } from '../../engine/change.ts';
import type { FlagPart } from '../flag/change.ts';
import { foretellChanges, type Schedules } from '../flag/schedules.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { DesiredState } from '../desired.ts';
import type { RiskHazard } from '../plan.ts';
import { stepsOf } from './steps-to-review.ts';

interface Around {
  readonly flags: FlagSnapshot;
  readonly schedules: Schedules;
}

/** `former`: what was applied last; its steps are reviewed already. One of an unknown operation may touch anything. */
export function riskSteps(
  desired: DesiredState,
  former: DesiredState | undefined,
  { flags, schedules }: Around,
): readonly RiskHazard[] {
  if (schedules.size === 0) return [];
  return desired.flags.flatMap((flag): RiskHazard[] => {
    const live = flag.kind === 'declared' ? flags.byKey(flag.key) : undefined;
    const scheduled = live && schedules.get(live.id);
    if (flag.kind !== 'declared' || live === undefined || scheduled === undefined) return [];
    const stepped = new Set(stepsOf(flag, former).map(({ path }): FlagPart => partOf(path)));
    const met = foretellChanges(flags.comparable(live), scheduled, flags).flatMap(({ schedule, outcome }) => {
      const touched = outcome.kind === 'made' ? outcome.parts : outcome.kind === 'unknown' ? [...stepped] : [];
      return touched.filter((part) => stepped.has(part)).map((part) => ({ schedule, part }));
    });
    const [next] = met;
    if (next === undefined) return [];
    return [
      {
        code: 'schedule_conflict',
        ref: refTo('flag', flag.key),
        key: flag.key,
        parts: [...new Set(met.map(({ part }) => part))],
        schedules: [...new Set(met.map(({ schedule }) => schedule.id))],
        at: next.schedule.scheduled_at,
        permit: { kind: 'risky', value: flag.key },
      },
    ];
  });
}

function partOf(path: string): FlagPart {
  return path === '/active' ? 'active' : 'conditions';
}
