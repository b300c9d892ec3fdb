/** Which differences of a plan the activity logs are asked about: edits of live resources, not what git changed. */

import type { Divergence } from '../engine/base.ts';
import type { FieldChange } from '../engine/change.ts';
import { inquireCohorts } from './cohort/attribution.ts';
import { inquireFlags } from './flag/attribution.ts';
import type { KindTypes, OwnKind } from './kind-types.ts';
import type { LiveState } from './live.ts';
import type { Change, Plan } from './plan.ts';
import type { Logged, SoughtValue } from './replay-log.ts';
import type { RoleChange } from './role-access/change.ts';

export interface Inquiries {
  /** Each resource once. */
  readonly logged: readonly LoggedInquiry[];
  readonly access: readonly RoleChange[];
}

export interface LoggedInquiry {
  readonly logged: Logged;
  /** By the ref of a change of it. */
  readonly sought: ReadonlyMap<string, readonly SoughtValue[]>;
}

/** A change with those of its fields that may be edits; there are some. */
export interface EditedChange<Made extends Change> {
  readonly change: Made;
  readonly fields: readonly FieldChange[];
}

type Inquire<Made extends Change> = (edits: readonly EditedChange<Made>[], live: LiveState) => readonly LoggedInquiry[];

const INQUIRIES: { readonly [Kind in OwnKind]: Inquire<KindTypes[Kind]['change']> } = {
  flag: inquireFlags,
  cohort: inquireCohorts,
  // Nothing records changes of early access features.
  early_access: () => [],
};

/** Without a base, every difference may be an edit. */
export function chooseInquiries({ changes, base }: Plan, live: LiveState): Inquiries {
  const isEdit = base?.kind === 'commit' ? isDrift : () => true;
  const edits = changes.flatMap((change): EditedChange<Change>[] => {
    const fields = change.resource === 'role_access' ? [] : change.fields.filter(isEdit);
    return fields.length === 0 ? [] : [{ change, fields }];
  });
  const logged = Object.entries(INQUIRIES).flatMap(([kind, inquire]) =>
    (inquire as Inquire<Change>)(
      edits.filter(({ change }) => change.resource === kind),
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
