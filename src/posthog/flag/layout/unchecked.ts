/** Writes filters that break current rules exactly as the service holds them. */

import { isJsonObject, type JsonValue } from '../../../base/json.ts';
import { withoutInjected } from '../canonical.ts';
import { hasEncryptedPayloads } from '../encrypted-payloads.ts';
import type { Flag } from '../flag.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../tolerances.ts';
import { withOwnAggregation } from './filters.ts';
import { without } from './members.ts';
import { nameFlags, type NameLookup } from '../../names.ts';
import { markEncryptedPayloads } from './payloads.ts';

/** References to flags become keys, since ids change when a flag is recreated. All else is kept. */
export function writeUncheckedFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters)) return flag.filters;
  const managed = without(flag.filters, PARTS_OF_OTHER_PRODUCTS);
  const { payloads } = managed;
  const safe =
    hasEncryptedPayloads(flag) && payloads !== undefined
      ? { ...managed, payloads: markEncryptedPayloads(payloads) }
      : managed;
  const told = withoutInjected({ filters: withOwnAggregation(nameFlags(safe, names)) });
  return told['filters'];
}
