/**
 * Holds rollouts at their step if somebody changed their flag in the service. Reverting an edit, such as an emergency `off`, restores what
 * was applied before it: a step that fell due since then is made by a later run, not by the same one.
 */

import { valueOf } from '../../rollout/position.ts';
import type { DeclaredRollout } from '../../rollout/rollout.ts';
import type { DesiredState } from '../desired.ts';
import { setAt } from '../flag/values-of-others.ts';
import type { Plan } from '../plan.ts';
import { isDue, waitingFlags } from './rollouts.ts';

/** `plan`: the plan of the state. Returns the same state if none of its due steps waits. */
export function holdEdited(desired: DesiredState, plan: Plan): DesiredState {
  const waiting = waitingFlags(plan);
  const isHeld = (key: string, rollout: DeclaredRollout): boolean =>
    isDue(rollout) && (WAITS_FOR_PEOPLE.has(waiting.get(key)) || turnsOn(plan, key));
  if (!(plan.rollouts ?? []).some((one) => isHeld(one.key, one))) return desired;
  const flags = desired.flags.map((flag) => {
    if (flag.kind !== 'declared' || flag.rollouts === undefined) return flag;
    const held = flag.rollouts.filter((one) => isHeld(flag.key, one));
    const fields = held.reduce(
      (made, one) => setAt(made, one.path, valueOf(one, one.applied?.step ?? -1)),
      flag.fields,
    );
    return { ...flag, fields, rollouts: flag.rollouts.map((one) => (held.includes(one) ? atApplied(one) : one)) };
  });
  return { ...desired, flags };
}

const WAITS_FOR_PEOPLE: ReadonlySet<string | undefined> = new Set(['edited', 'held_back', 'switched_off']);

/** Whether the manifests turn the flag on, and not a step: the rollout then begins with what people had. */
function turnsOn({ changes, rollouts = [] }: Plan, flag: string): boolean {
  if (rollouts.some(({ key, path }) => key === flag && path === '/active')) return false;
  return changes.some(
    (change) =>
      change.resource === 'flag' &&
      change.action === 'update' &&
      change.key === flag &&
      change.fields.some(({ path, after }) => path === '/active' && after === true),
  );
}

function atApplied({ then_due: _then, due_by: _by, ...rollout }: DeclaredRollout): DeclaredRollout {
  return { ...rollout, step: rollout.applied?.step ?? rollout.step, held: true };
}
