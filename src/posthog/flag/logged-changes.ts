/** The changes in an entry of the activity log: field by field, and condition by condition if it has whole filters. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { diff, type Difference } from '../../engine/diff.ts';
import { parseLog, type LogEntry } from '../log-entry.ts';
import { canonicalFlag } from './canonical.ts';
import { withPayloadDigests } from './encrypted-payloads.ts';

export interface LoggedEdit {
  /** Absent if the answer is no entry that is known. */
  readonly entry?: LogEntry;
  readonly differences: readonly Difference[];
}

/**
 * `isOpen`: whether the payloads of the flag are known to be no secrets; digests stand for any others. The counter of updates is left out,
 * since each update changes it.
 */
export function readEdit(answered: JsonObject, isOpen: boolean): LoggedEdit {
  const [entry] = parseLog([answered]);
  if (entry === undefined) return { differences: [] };
  const shown = (field: string, value: JsonValue): JsonObject => {
    const form = canonicalFlag({ [field]: value });
    return isOpen ? form : withPayloadDigests(form);
  };
  const differences = [...entry.changes].flatMap(([field, { before, after }]): Difference[] => {
    if (field === 'version') return [];
    const found = diff(shown(field, before), shown(field, after));
    // A difference that the canonical form omits is a change too.
    return found.length > 0 || jsonEquals(before, after) ? found : [{ path: `/${field}`, before, after }];
  });
  return { entry, differences };
}
