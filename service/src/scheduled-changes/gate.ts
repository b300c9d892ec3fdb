/** The approval that a scheduled change needs: a change request is bound to it when it is scheduled, and decided before it runs. */

import { objectOrEmpty, type JsonValue } from '../../../src/base/json.ts';
import { gate, wouldGate, type PlannedWrite } from '../approvals/gate.ts';
import { draftOf } from '../flags/draft.ts';
import { readWrite } from '../flags/write-fields.ts';
import type { Answer, ServiceContext } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { ImpossibleChange, valuesOf } from './values.ts';

/** `request`: the id of the change request to bind, or null. `refusal`: the answer that refuses to schedule. */
type ApprovalBinding = { readonly request: string | null } | { readonly refusal: Answer };

interface ScheduledPayload {
  readonly flag: StoredFlag;
  readonly payload: JsonValue | undefined;
}

/** `bound`: the request that the schedule has already. */
export function bindApproval(
  service: ServiceContext,
  asked: ScheduledPayload & { readonly bound?: string },
): ApprovalBinding {
  const write = plannedWrite(service, asked);
  const answer = write && gate(service, write);
  if (answer === undefined) return { request: null };
  const { code, change_request_id: id } = objectOrEmpty(answer.body);
  if (typeof id === 'string' && (code === 'approval_required' || id === asked.bound)) return { request: id };
  return { refusal: answer };
}

/** Whether a policy covers the change as the flag is now, although none did when it was scheduled. */
export function isGatedNow(service: ServiceContext, scheduled: ScheduledPayload): boolean {
  const write = plannedWrite(service, scheduled);
  return write !== undefined && wouldGate(service, write);
}

/** `undefined` for a change that cannot be made: its run says why. */
function plannedWrite(service: ServiceContext, { flag, payload }: ScheduledPayload): PlannedWrite | undefined {
  try {
    const values = readWrite(valuesOf(flag, payload), { profile: service.rules.name, partial: true });
    const after = draftOf(service, flag, values)();
    return { projectId: flag.projectId, before: flag, values, draft: () => after };
  } catch (error) {
    if (error instanceof ImpossibleChange || error instanceof Refusal) return undefined;
    throw error;
  }
}
