/** Lists the ids of all flags that match the parameters of a list, on any page, and that the caller can edit. */

import { canEdit } from '../flags/serialise.ts';
import { findMatching } from '../flags/read.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';

export function matchingIds(service: ServiceContext, call: Call): Answer {
  const ids = findMatching(service, call.projectId, call.query)
    .filter(canEdit)
    .map(({ id }) => id);
  return { status: 200, body: { ids, total: ids.length } };
}
