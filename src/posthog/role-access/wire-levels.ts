/** Access as today's service has it: a PUT of one level for a role or for everyone (docs/service.md, "Access rules"). */

import { defined } from '../../base/optional.ts';
import type { Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import { heldAccess } from './access.ts';
import { EVERYONE, levelAfter, subjectOf, type RoleChange } from './change.ts';
import { levelOf } from './level-of.ts';

/** The same PUT sent twice does no harm, but it would also replace what another user set in between. */
export function prepareLevel(change: RoleChange, flagId: number, client: ServiceClient): Write {
  const [subject, level, before] = [subjectOf(change), levelAfter(change), levelBefore(change)];
  const send = async (): Promise<number> => {
    await client.setAccess(flagId, { role: subject === EVERYONE ? null : subject, level });
    return flagId;
  };
  return {
    send,
    lookUpAfter: 'not_found',
    repeatRefused: false,
    lookUp: async () => {
      const held = heldAccess(await client.getAccess(flagId), undefined);
      const found = held === undefined ? null : levelOf(change, held);
      if (found === level) return { kind: 'in_effect', id: flagId };
      if (found === before) return { kind: 'unwritten', send };
      const values = defined({ before: before ?? undefined, after: found ?? undefined });
      return { kind: 'changed', moved: [{ path: `/access/${subject}`, ...values }] };
    },
  };
}

function levelBefore(change: RoleChange): string | null {
  switch (change.action) {
    case 'grant':
      return null;
    case 'adjust':
      return change.before;
    case 'revoke':
      return 'level' in change ? change.level : null;
  }
}
