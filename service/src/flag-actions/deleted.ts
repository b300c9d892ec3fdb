/** The refusal of an action on a deleted flag, whose body has another form than all other errors. */

import type { Answer } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';

/** `undefined` for a flag that is not deleted. */
export function refuseDeleted(flag: StoredFlag): Answer | undefined {
  if (!flag.deleted) return undefined;
  return { status: 400, body: { success: false, error: 'The flag is deleted. Restore it first.' } };
}
