/** The payload of a remote configuration, by the key or id of its flag. */

import { objectOrEmpty } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';

/** An unknown flag, and one that is not a remote configuration, is a 404 without a body; no payload is a 200 without one. */
export function getRemoteConfig({ store }: ServiceContext, call: Call): Answer {
  const { id = '' } = call.params;
  const flag = /^\d{1,15}$/.test(id)
    ? store.flags.find(call.projectId, Number(id))
    : store.flags.findByKey(call.projectId, id);
  if (flag === undefined || flag.deleted || flag.fields['is_remote_configuration'] !== true) return { status: 404 };
  const payload = payloadOf(flag);
  // An empty payload counts as none.
  return payload === '' || payload === null ? { status: 200 } : { status: 200, body: payload };
}

function payloadOf({ filters: { payloads } }: StoredFlag): NonNullable<Answer['body']> | null {
  return objectOrEmpty(payloads)['true'] ?? null;
}
