/** Finds the flag that a path names, or throws a 404 or 403. */

import type { Call, ServiceContext } from '../handler/call.ts';
import { forbidden, notFound } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import { canEdit } from './serialise.ts';

/** Includes deleted flags. */
export function findFlag({ store }: ServiceContext, call: Call, param: 'id' | 'flagId' = 'id'): StoredFlag {
  const flag = store.flags.find(call.projectId, parseId(call.params[param]));
  if (flag === undefined) throw notFound();
  return flag;
}

export function findEditableFlag(service: ServiceContext, call: Call, param: 'id' | 'flagId' = 'id'): StoredFlag {
  const flag = findFlag(service, call, param);
  if (!canEdit(flag)) throw forbidden('You do not have permission to edit this feature flag.');
  return flag;
}

/** Throws a 404 for an id that is not a number. */
export function parseId(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}
