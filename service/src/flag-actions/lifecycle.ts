/** Enables, disables, archives and unarchives a flag. The request has no body; nothing is written if it is so already. */

import type { JsonObject } from '../../../src/base/json.ts';
import { gate } from '../approvals/gate.ts';
import { formatOf } from '../filters/format.ts';
import { changeFlag } from '../flags/change.ts';
import { changeFlagWithRules } from '../flags/change-rules.ts';
import { draftOf } from '../flags/draft.ts';
import { findEditableFlag } from '../flags/find.ts';
import { serialise } from '../flags/serialise.ts';
import type { Handler, ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import { refuseDeleted } from './deleted.ts';

interface Transition {
  readonly isDone: (flag: StoredFlag) => boolean;
  readonly values: (flag: StoredFlag) => JsonObject;
}

export const enableFlag: Handler = transition({ isDone: (flag) => flag.active, values: () => ({ active: true }) });

export const disableFlag: Handler = transition({ isDone: (flag) => !flag.active, values: () => ({ active: false }) });

/** An archived flag must be disabled. */
export const archiveFlag: Handler = transition({
  isDone: (flag) => flag.archived,
  values: ({ active }) => ({ archived: true, ...(active && { active: false }) }),
});

export const unarchiveFlag: Handler = transition({
  isDone: (flag) => !flag.archived,
  values: () => ({ archived: false }),
});

function transition({ isDone, values }: Transition): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      const before = findEditableFlag(service, call);
      const refusal = refuseDeleted(before);
      if (refusal !== undefined) return refusal;
      if (isDone(before)) return { status: 200, body: serialise(service, before) };
      const changed = values(before);
      const asked = gate(service, {
        projectId: call.projectId,
        before,
        values: changed,
        draft: draftOf(service, before, changed),
        keepsOutdated: true,
      });
      return asked ?? { status: 200, body: serialise(service, write(service, before, changed)) };
    });
}

function write(service: ServiceContext, before: StoredFlag, values: JsonObject): StoredFlag {
  return formatOf(before.filters) === 'conditions'
    ? changeFlag(service, { before, values, keepsOutdated: true })
    : changeFlagWithRules(service, { before, values, body: values });
}
