/** Chooses which differences of a plan to look up in the activity log: those that were made in the service, not in git. */

import type { Divergence } from '../../engine/base.ts';
import type { FieldChange } from '../../engine/change.ts';
import { FAMILIES } from '../families.ts';
import type { LiveState } from '../live.ts';
import type { Change, Plan } from '../plan.ts';
import type { Logged, SoughtValue } from '../authors/replay-log.ts';
import type { RoleChange } from '../role-access/change.ts';

export interface Inquiries {
  /** Each resource once. */
  readonly logged: readonly LoggedInquiry[];
  readonly access: readonly RoleChange[];
}

export interface LoggedInquiry {
  readonly logged: Logged;
  /** Keys are refs of changes. */
  readonly sought: ReadonlyMap<string, readonly SoughtValue[]>;
}

/** A change with its fields that may be edits: at least one. */
export interface EditedChange<Made extends Change> {
  readonly change: Made;
  readonly fields: readonly FieldChange[];
}

/** Every difference may be an edit if there is no base. */
export function chooseInquiries({ changes, base }: Plan, live: LiveState): Inquiries {
  const isEdit = base?.kind === 'commit' ? isDrift : () => true;
  const edits = changes.flatMap((change): EditedChange<Exclude<Change, RoleChange>>[] => {
    if (change.resource === 'role_access') return [];
    const fields = change.fields.filter(isEdit);
    return fields.length === 0 ? [] : [{ change, fields }];
  });
  const logged = FAMILIES.flatMap((family) =>
    family.inquire(
      edits.filter(({ change }) => change.resource === family.kind),
      live,
    ),
  );
  return {
    logged,
    access: changes.filter((change) => change.resource === 'role_access' && isEdit(change)) as RoleChange[],
  };
}

function isDrift({ divergence }: { readonly divergence?: Divergence }): boolean {
  return divergence === 'drifted' || divergence === 'conflict';
}
