/** What a saved plan would take back of a run of `off` that only the journal of this machine knows, or that came after the plan. */

import type { Change, FlagChange, Hazard, Plan } from '../../posthog/plan.ts';
import { takenBack } from '../../posthog/turned-off.ts';
import { findTurnedOff } from '../runs/find-turned-off.ts';
import type { Session } from '../session/session.ts';

/** Without what the plan names itself, refused or permitted. An undo takes back on purpose. */
export async function findTakenBack(session: Session, plan: Plan): Promise<readonly Hazard[]> {
  if (plan.undoes !== undefined) return [];
  const known = new Set([...plan.hazards, ...(plan.overridden ?? [])].flatMap(nameOfSwitch));
  const changes = plan.changes.filter(isUpdate).filter(({ key }) => !known.has(key));
  const ids = new Set(changes.map(({ id }) => id));
  const found = await findTurnedOff(session, plan.project, ids);
  return changes.flatMap((change): Hazard[] => {
    const off = found?.get(change.id);
    if (off === undefined || takenBack(change.fields, off).length === 0) return [];
    const { ref, key } = change;
    return [{ code: 'switched_off', ref, key, off, permit: { kind: 'override', value: key } }];
  });
}

function isUpdate(change: Change): change is Extract<FlagChange, { readonly action: 'update' }> {
  return change.resource === 'flag' && change.action === 'update';
}

function nameOfSwitch(hazard: Hazard): string[] {
  return hazard.code === 'switched_off' ? [hazard.key] : [];
}
