/** Filters as they stand: every value as the service holds it, for what no rule of today allows. */

import { isJsonObject, type JsonValue } from '../../../base/json.ts';
import { withoutInjected } from '../canonical.ts';
import { hasEncryptedPayloads } from '../encrypted-payloads.ts';
import type { Flag } from '../flag.ts';
import { FILTER_PARTS_OWNED_ELSEWHERE } from '../tolerances.ts';
import { withOwnAggregation } from './filters.ts';
import { without } from '../../../manifest/write/members.ts';
import { nameFlags, type NameLookup } from '../../names.ts';
import { encryptedPayloads } from './payloads.ts';

/** Only other flags get their keys, since ids change when a flag is made anew; everything else stays as it is. */
export function uncheckedFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters)) return flag.filters;
  const managed = without(flag.filters, FILTER_PARTS_OWNED_ELSEWHERE);
  const { payloads } = managed;
  const safe =
    hasEncryptedPayloads(flag) && payloads !== undefined
      ? { ...managed, payloads: encryptedPayloads(payloads) }
      : managed;
  const told = withoutInjected({ filters: withOwnAggregation(nameFlags(safe, names)) });
  return told['filters'];
}
