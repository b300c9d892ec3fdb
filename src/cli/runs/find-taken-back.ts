/** Finds what a run would take back of runs of `off` that it does not know. */

import { FlagwrightError } from '../../base/errors.ts';
import type { Change, FlagChange, Hazard, Plan } from '../../posthog/plan.ts';
import { takenBack } from '../../posthog/turned-off.ts';
import { escapeLine } from '../../report/escape.ts';
import type { Session } from '../session/session.ts';
import { findTurnedOff } from './find-turned-off.ts';

type SwitchedOff = Extract<Hazard, { code: 'switched_off' }>;
type RevertedOff = SwitchedOff & Required<Pick<SwitchedOff, 'off'>>;

/**
 * What the changes revert of a run of `off` that only the journal of this machine knows, or that came after the plan. Without what the plan
 * names itself, refused or permitted, and without the run that it undoes.
 */
export async function findTakenBack(
  session: Session,
  plan: Plan,
  changes: readonly Change[] = plan.changes,
): Promise<readonly RevertedOff[]> {
  const known = new Set([...plan.hazards, ...(plan.overridden ?? [])].flatMap(nameOfSwitch));
  const updates = changes.filter(isUpdate).filter(({ key }) => !known.has(key));
  const found = await findTurnedOff(session, plan.project, new Set(updates.map(({ id }) => id)));
  return updates.flatMap((change): RevertedOff[] => {
    const off = found?.get(change.id);
    if (off === undefined || off.run === plan.undoes || takenBack(change.fields, off).length === 0) return [];
    const { ref, key } = change;
    return [{ code: 'switched_off', ref, key, off, permit: { kind: 'override', value: key } }];
  });
}

/** @throws {FlagwrightError} `refused` for a run of the journal, undone or resumed, where somebody used `off` after it. */
export async function refuseTakenBack(session: Session, plan: Plan, changes?: readonly Change[]): Promise<void> {
  const [first] = await findTakenBack(session, plan, changes);
  if (first === undefined) return;
  const { key, off } = first;
  const who = off.by === undefined ? '' : ` by ${off.by}`;
  const why = off.reason === undefined ? '' : `: ${off.reason}`;
  throw new FlagwrightError(
    'refused',
    `${escapeLine(`${key} was turned off${who} with \`flagwright off\` after that run (run ${off.run})${why}`)}. This would turn it on again; nothing was applied.`,
    { remedy: `To turn it on again: flagwright undo ${off.run}. To leave it off, name the other flags with --target.` },
  );
}

function isUpdate(change: Change): change is Extract<FlagChange, { readonly action: 'update' }> {
  return change.resource === 'flag' && change.action === 'update';
}

function nameOfSwitch(hazard: Hazard): string[] {
  return hazard.code === 'switched_off' ? [hazard.key] : [];
}
