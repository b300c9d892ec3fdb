/** Flags as resources with a log: what their entries say, in comparable form. (docs/service.md, "Activity") */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../engine/change.ts';
import { indexResources, type Names } from '../../engine/snapshot.ts';
import type { EditedChange, LoggedInquiry } from '../inquiries.ts';
import type { LiveState } from '../live.ts';
import { placeFields, type Logged, type SoughtValue } from '../replay-log.ts';
import type { FlagChange } from './change.ts';
import { comparableFlag } from './comparison.ts';
import type { Flag } from './flag.ts';

/** One inquiry for each flag, also where it has two changes. */
export function inquireFlags(edits: readonly EditedChange<FlagChange>[], live: LiveState): readonly LoggedInquiry[] {
  const names = indexResources(live.flags);
  const byFlag = new Map<Flag, Map<string, readonly SoughtValue[]>>();
  for (const { change, fields } of edits) {
    const flag = change.action === 'create' ? formerHolder(change.key, live) : names.byId(change.id);
    if (flag === undefined) continue;
    const sought =
      change.action === 'create'
        ? [{ path: '', place: [flag.deleted === true ? 'deleted' : 'key'] }]
        : soughtIn(fields, { flag, names, body: change.body });
    byFlag.set(flag, (byFlag.get(flag) ?? new Map<string, readonly SoughtValue[]>()).set(change.ref, sought));
  }
  return [...byFlag].map(([flag, sought]) => ({ logged: loggedFlag(flag, names), sought }));
}

/** A declared flag that was deleted or renamed in the service. */
function formerHolder(key: string, { flags, traces }: LiveState): Flag | undefined {
  const trace = traces?.flags?.find((one) => one.kind === 'former' && one.key === key);
  return trace?.kind === 'former' ? flags.find(({ id }) => id === trace.id) : undefined;
}

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

/** The places of a change's fields in its live flag. `body`: of the change, whose lists are the wanted ones. */
export function soughtIn(
  fields: readonly FieldChange[],
  { flag, names, body }: { readonly flag: Flag; readonly names: Names; readonly body: JsonObject },
): readonly SoughtValue[] {
  return placeFields(fields, {
    live: comparableFlag(flag, names),
    wanted: comparableFlag({ ...flag, ...body }, names),
  });
}
