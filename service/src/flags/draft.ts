/** Computes the result of a flag write for the approval gate, which checks it before the lock does. */

import type { JsonObject } from '../../../src/base/json.ts';
import { formatOf } from '../filters/format.ts';
import type { ServiceContext } from '../handler/call.ts';
import { withValues, type StoredFlag } from '../store/flag.ts';
import { draftChange } from './change.ts';

/** Throws where the write would be refused. A flag with rules is checked when the write is made. */
export function draftOf(service: ServiceContext, before: StoredFlag, values: JsonObject): () => StoredFlag {
  return () =>
    formatOf(before.filters) === 'conditions' ? draftChange(service, { before, values }) : withValues(before, values);
}
