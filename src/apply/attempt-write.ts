/** The one write loop: record, send, and when the outcome is unknown, look up and judge before sending again. */

import type { ResourceId } from '../engine/snapshot.ts';
import { defined } from '../base/optional.ts';
import type { ChangeRequest } from '../engine/change-request.ts';
import type { Change, FieldChange } from '../posthog/plan.ts';
import type { LookUpResult, WriteRefusal, Write, WritePart } from '../engine/writer.ts';
import { isNotFound } from '../posthog/client/service-error.ts';
import {
  isConflict,
  isKeyTaken,
  isUncertain,
  needsSeveralApprovals,
  outcomeOfAttempts,
  outcomeOfEffect,
  outcomeOfError,
  requestIn,
} from './outcome-of-error.ts';
import type { ApplyRecorder } from './recorder.ts';
import type { Outcome } from './result.ts';

/** The most times that a write is sent if no look-up finds it. */
const ATTEMPTS = 3;

const REFUSALS: { readonly [Name in WriteRefusal]: (error: unknown) => boolean } = {
  key_taken: isKeyTaken,
  conflict: isConflict,
  not_found: isNotFound,
};

export async function attemptWrite(change: Change, write: Write, recorder: ApplyRecorder): Promise<Outcome> {
  if (write.onlyInParts === true && write.parts !== undefined) return attemptParts(change, write.parts, recorder);
  const isRefusal = REFUSALS[write.lookUpAfter];
  const errors: unknown[] = [];
  let { send } = write;
  while (errors.length < ATTEMPTS) {
    try {
      await recorder.sending(change);
      return await confirmed(await send(), write);
    } catch (error) {
      errors.push(error);
      if (!isUncertain(error) && !isRefusal(error)) break;
      const finding = await lookUp(write);
      if (finding.kind === 'in_effect') return outcomeOfEffect(finding.id, errors);
      if (finding.kind !== 'unwritten') return outcomeOfDoubt(errors, finding.moved);
      if (isRefusal(error) && !write.repeatRefused) break;
      send = finding.send;
    }
  }
  if (write.parts !== undefined && needsSeveralApprovals(errors.at(-1)))
    return attemptParts(change, write.parts, recorder);
  return compared(outcomeOfAttempts(errors), requestIn(errors.at(-1)), write);
}

/** If the confirming read fails, the service's answer to the write stands. */
async function confirmed(id: ResourceId, { confirm }: Write): Promise<Outcome> {
  if (confirm === undefined) return { outcome: 'applied', id };
  try {
    const found = await confirm(id);
    if (found.kind === 'doubled') return { outcome: 'unknown', error: { code: found.code, message: found.message } };
    return { outcome: 'applied', id: found.id, ...defined({ already: found.already }) };
  } catch {
    return { outcome: 'applied', id };
  }
}

/** Sends a part only once the one before it is in effect: an approval is valid only for the version that it was requested for. */
async function attemptParts(change: Change, parts: readonly WritePart[], recorder: ApplyRecorder): Promise<Outcome> {
  let outcome: Outcome = { outcome: 'applied' };
  for (const [index, part] of parts.entries()) {
    const { id }: { readonly id?: ResourceId } = outcome.outcome === 'applied' ? outcome : {};
    outcome = await attemptWrite(change, part.prepare(), recorder);
    if (outcome.outcome === 'applied') continue;
    const fieldsOf = (some: readonly WritePart[]): readonly string[] => some.flatMap(({ fields }) => fields);
    const written = fieldsOf(parts.slice(0, index));
    const created = change.action === 'create' ? defined({ id }) : {};
    const unsent = fieldsOf(parts.slice(index + 1));
    return { ...outcome, parts: { written, waiting: part.fields, unsent, ...created } };
  }
  return outcome;
}

/** Adds to an open change request whether it asks for our change. */
function compared(outcome: Outcome, request: ChangeRequest | undefined, { compareRequest }: Write): Outcome {
  if (outcome.outcome !== 'pending' || outcome.request?.wasOpen !== true || request === undefined) return outcome;
  return { ...outcome, request: { ...outcome.request, ...defined({ asks: compareRequest?.(request) }) } };
}

async function lookUp(write: Write): Promise<LookUpResult | { readonly kind: 'unreadable'; readonly moved?: never }> {
  try {
    return await write.lookUp();
  } catch {
    return { kind: 'unreadable' };
  }
}

/**
 * The state after a lost answer may show our write or another user's over it; the two cannot be distinguished. The service
 * refused each attempt if no answer was lost.
 */
function outcomeOfDoubt(errors: readonly unknown[], moved: readonly FieldChange[] | undefined): Outcome {
  const uncertain = errors.find(isUncertain);
  if (uncertain !== undefined || moved === undefined) return outcomeOfError(uncertain ?? errors.at(-1));
  return { outcome: 'skipped', reason: { code: 'stale', moved } };
}
