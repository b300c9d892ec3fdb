/** Flags as resources with a log: what their entries say, in comparable form. (docs/service.md, "Activity") */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { Names } from '../../engine/snapshot.ts';
import { placeFields, type Logged, type Sought } from '../replay-log.ts';
import { comparableFlag } from './comparison.ts';
import type { Flag } from './flag.ts';

export function loggedFlag(flag: Flag, names: Names): Logged {
  const secrecy = defined({ has_encrypted_payloads: flag['has_encrypted_payloads'] });
  return {
    resource: 'flag',
    id: flag.id,
    current: comparableFlag(flag, names),
    formOf: (field, value) => comparableFlag({ ...secrecy, [field]: value } as unknown as Flag, names),
    isLater: ({ version }) => version !== undefined && typeof flag.version === 'number' && version > flag.version,
    unlogged: UNLOGGED,
  };
}

/** The service stores them after it wrote the entry. */
const UNLOGGED: ReadonlySet<string> = new Set(['tags', 'evaluation_tags']);

/** The places of a change's fields in its live flag. `body`: of the change, whose lists are those that it wants. */
export function soughtIn(
  fields: readonly FieldChange[],
  { flag, names, body }: { readonly flag: Flag; readonly names: Names; readonly body: JsonObject },
): readonly Sought[] {
  return placeFields(fields, {
    live: comparableFlag(flag, names),
    wanted: comparableFlag({ ...flag, ...body }, names),
  });
}
