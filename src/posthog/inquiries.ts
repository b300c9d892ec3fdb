/** Which differences of a plan the activity logs are asked about: edits of live flags, not what git changed. */

import type { Divergence } from '../engine/base.ts';
import type { FieldChange } from '../engine/change.ts';
import { indexResources } from '../engine/snapshot.ts';
import { soughtIn, type Sought } from './flag/attribution.ts';
import type { FlagChange } from './flag/change.ts';
import type { Flag } from './flag/flag.ts';
import type { LiveState } from './live.ts';
import type { Plan } from './plan.ts';
import type { RoleChange } from './role-access/change.ts';

export interface Inquiries {
  /** Each flag once. */
  readonly flags: readonly FlagInquiry[];
  readonly access: readonly RoleChange[];
}

interface FlagInquiry {
  readonly flag: Flag;
  /** By the ref of a change of the flag. */
  readonly sought: ReadonlyMap<string, readonly Sought[]>;
}

/** Without a base, every difference may be an edit. */
export function chooseInquiries({ changes, base }: Plan, live: LiveState): Inquiries {
  const isEdit = base?.kind === 'commit' ? isDrift : () => true;
  const names = indexResources(live.flags);
  const byFlag = new Map<Flag, Map<string, readonly Sought[]>>();
  const access: RoleChange[] = [];
  for (const change of changes) {
    if (change.resource === 'role_access' && isEdit(change)) access.push(change);
    if (change.resource !== 'flag') continue;
    const fields = change.fields.filter(isEdit);
    const flag = change.action === 'create' ? formerHolder(change.key, live) : names.byId(change.id);
    if (flag === undefined || fields.length === 0) continue;
    const sought = soughtOf(change, fields, { flag, live });
    byFlag.set(flag, (byFlag.get(flag) ?? new Map<string, readonly Sought[]>()).set(change.ref, sought));
  }
  return { flags: [...byFlag].map(([flag, sought]) => ({ flag, sought })), access };
}

function isDrift({ divergence }: { readonly divergence?: Divergence }): boolean {
  return divergence === 'drifted' || divergence === 'conflict';
}

/** A declared flag that was deleted or renamed in the service. */
function formerHolder(key: string, { flags, traces = [] }: LiveState): Flag | undefined {
  const trace = traces.find((one) => one.kind === 'former' && one.key === key);
  return trace?.kind === 'former' ? flags.find(({ id }) => id === trace.id) : undefined;
}

function soughtOf(
  change: FlagChange,
  fields: readonly FieldChange[],
  { flag, live }: { readonly flag: Flag; readonly live: LiveState },
): readonly Sought[] {
  if (change.action !== 'create')
    return soughtIn(fields, { flag, names: indexResources(live.flags), body: change.body });
  return [{ path: '', place: [flag.deleted === true ? 'deleted' : 'key'] }];
}
