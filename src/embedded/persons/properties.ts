/** Lists the properties that persons have, and the values of one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';

/** The maximum of the real service. */
const MOST_VALUES = 25;

export function personProperties({ store }: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: store.propertyCounts.keys(projectId).map(({ name, count }) => ({ name, count })) };
}

/** Without a key the list is empty. */
export function personValues({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const key = query.get('key') ?? '';
  if (key === '') return { status: 200, body: [] };
  const found = store.propertyCounts.values(projectId, { key, part: query.get('value') ?? '', limit: MOST_VALUES });
  return { status: 200, body: found.map(({ name, count }) => ({ name, count })) };
}
