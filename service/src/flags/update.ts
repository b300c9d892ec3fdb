/** Updates a flag: a PATCH changes fields, soft-deletes and restores. */

import { formatOf } from '../filters/format.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { gate } from '../approvals/gate.ts';
import { changeFlag } from './change.ts';
import { draftOf } from './draft.ts';
import { changeFlagWithRules } from './change-rules.ts';
import { findEditableFlag } from './find.ts';
import { applyLock } from './lock.ts';
import { serialise } from './serialise.ts';
import { flagBody, readWrite } from './write-fields.ts';

export function updateFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: true });
}

/** PUT: required fields must be present; omitted ones stay. */
export function replaceFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: false });
}

function update(service: ServiceContext, call: Call, { partial }: { readonly partial: boolean }): Answer {
  const { rules, store } = service;
  return store.transaction(() => {
    const before = findEditableFlag(service, call);
    const sent = readWrite(flagBody(call, !partial), { profile: rules.name, partial });
    const asked = gate(service, {
      projectId: call.projectId,
      before,
      values: sent,
      draft: draftOf(service, before, sent),
    });
    if (asked !== undefined) return asked;
    if (rules.formats && formatOf(before.filters) !== 'conditions') {
      const after = changeFlagWithRules(service, { before, body: call.body, values: sent });
      return { status: 200, body: serialise(service, after) };
    }
    const values = rules.optimisticLock ? applyLock(before, call.body, sent) : sent;
    return { status: 200, body: serialise(service, changeFlag(service, { before, values })) };
  });
}
