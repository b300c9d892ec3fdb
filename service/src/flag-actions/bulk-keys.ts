/** The keys of flags by their ids. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { readIds } from './ids.ts';

/** Unknown ids are left out; values that are not ids are named in a warning. */
export function bulkKeys({ store }: ServiceContext, call: Call): Answer {
  const { body = {} } = call;
  const ids = isJsonObject(body) ? readIds(body['ids']) : undefined;
  if (ids === undefined || (ids.valid.length === 0 && ids.invalid.length > 0)) {
    return { status: 400, body: { error: 'None of the ids is a flag id.' } };
  }
  const found = ids.valid.flatMap((id) => {
    const flag = store.flags.find(call.projectId, id);
    return flag === undefined || flag.deleted ? [] : [[String(id), flag.key] as const];
  });
  const warning = `Ignored, since they are not flag ids: ${stringifyJson(ids.invalid)}`;
  return { status: 200, body: { keys: Object.fromEntries(found), ...(ids.invalid.length > 0 && { warning }) } };
}
