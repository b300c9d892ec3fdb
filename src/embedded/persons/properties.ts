/** Which properties persons have, and which values of one. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';

/** As many as the real service offers to choose from. */
const MOST_VALUES = 25;

export function personProperties({ store }: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: store.propertyCounts.keys(projectId).map(({ name, count }) => ({ name, count })) };
}

/** Without a key there is nothing to choose from. */
export function personValues({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const key = query.get('key') ?? '';
  if (key === '') return { status: 200, body: [] };
  const found = store.propertyCounts.values(projectId, { key, part: query.get('value') ?? '', limit: MOST_VALUES });
  return { status: 200, body: found.map(({ name, count }) => ({ name, count })) };
}
