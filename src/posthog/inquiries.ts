/** Which differences of a plan the activity logs are asked about: edits of live flags and cohorts, not what git changed. */

import type { Divergence } from '../engine/base.ts';
import type { FieldChange } from '../engine/change.ts';
import { indexResources } from '../engine/snapshot.ts';
import { loggedCohort, soughtInCohort } from './cohort/attribution.ts';
import type { CohortChange } from './cohort/change.ts';
import type { Cohort } from './cohort/cohort.ts';
import { loggedFlag, soughtIn } from './flag/attribution.ts';
import type { FlagChange } from './flag/change.ts';
import type { Flag } from './flag/flag.ts';
import type { LiveState } from './live.ts';
import type { Plan } from './plan.ts';
import type { Logged, Sought } from './replay-log.ts';
import type { RoleChange } from './role-access/change.ts';

export interface Inquiries {
  /** Each flag and cohort once. */
  readonly logged: readonly LoggedInquiry[];
  readonly access: readonly RoleChange[];
}

interface LoggedInquiry {
  readonly logged: Logged;
  /** By the ref of a change of it. */
  readonly sought: ReadonlyMap<string, readonly Sought[]>;
}

/** Without a base, every difference may be an edit. */
export function chooseInquiries({ changes, base }: Plan, live: LiveState): Inquiries {
  const isEdit = base?.kind === 'commit' ? isDrift : () => true;
  const names = indexResources(live.flags);
  const cohorts = new Map((live.cohorts ?? []).map((cohort) => [cohort.id, cohort]));
  const byFlag = new Map<Flag, Map<string, readonly Sought[]>>();
  const ofCohorts: LoggedInquiry[] = [];
  const access: RoleChange[] = [];
  for (const change of changes) {
    if (change.resource === 'role_access') {
      if (isEdit(change)) access.push(change);
      continue;
    }
    // Nothing records changes of early access features.
    if (change.resource === 'early_access') continue;
    const fields = change.fields.filter(isEdit);
    if (fields.length === 0) continue;
    if (change.resource === 'cohort') {
      ofCohorts.push(...inquireCohort(change, fields, cohorts));
      continue;
    }
    const flag = change.action === 'create' ? formerHolder(change.key, live) : names.byId(change.id);
    if (flag === undefined) continue;
    const sought = soughtOf(change, fields, { flag, live });
    byFlag.set(flag, (byFlag.get(flag) ?? new Map<string, readonly Sought[]>()).set(change.ref, sought));
  }
  const ofFlags = [...byFlag].map(([flag, sought]) => ({ logged: loggedFlag(flag, names), sought }));
  return { logged: [...ofFlags, ...ofCohorts], access };
}

/** A cohort that is created anew has no log that is known. */
function inquireCohort(
  change: CohortChange,
  fields: readonly FieldChange[],
  cohorts: ReadonlyMap<number, Cohort>,
): LoggedInquiry[] {
  const cohort = change.action === 'create' ? undefined : cohorts.get(change.id);
  if (cohort === undefined) return [];
  const sought = soughtInCohort(fields, { cohort, body: change.body });
  return [{ logged: loggedCohort(cohort), sought: new Map([[change.ref, sought]]) }];
}

function isDrift({ divergence }: { readonly divergence?: Divergence }): boolean {
  return divergence === 'drifted' || divergence === 'conflict';
}

/** A declared flag that was deleted or renamed in the service. */
function formerHolder(key: string, { flags, traces }: LiveState): Flag | undefined {
  const trace = traces?.flags?.find((one) => one.kind === 'former' && one.key === key);
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
