/**
 * Splits the differences between the service and the manifests into two groups: changes by people, and changes in git that are not applied
 * yet.
 */

import { jsonEquals } from '../../base/json.ts';
import type { LeaveRule } from '../../core/engine/matched.ts';
import { kindFor, nameOfChange } from '../kinds.ts';
import type { Change, FieldChange, Plan } from '../plan.ts';

export interface DriftGroups {
  /** Changes by people, or by both sides; without a base, all changes. */
  readonly drifted: readonly Change[];
  /** Changes by git only. */
  readonly pending: readonly Change[];
}

/** The same plan of some flags, without the differences that are left. */
export type Replan = (given: {
  readonly targets: readonly string[];
  readonly leaving: readonly LeaveRule[];
}) => Pick<Plan, 'changes'>;

/** A change of both sorts is in both groups, each time with its own part. Without a base, no difference is known to come from git. */
export function groupDrift({ changes }: Pick<Plan, 'changes'>, replan?: Replan): DriftGroups {
  const mixed = changes.filter((change) => isOf(change, 'pending') && isOf(change, 'drifted'));
  const only = (sort: Sort): readonly Change[] => {
    const parts = mixed.length === 0 ? new Map<string, Change>() : partsOf(sort, mixed, replan);
    return changes.flatMap((change) => (isOf(change, sort) ? (parts.get(change.ref) ?? change) : []));
  };
  return { drifted: only('drifted'), pending: only('pending') };
}

type Sort = keyof DriftGroups;

function sortOf({ divergence }: Pick<FieldChange, 'divergence'>): Sort {
  return divergence === 'pending' ? 'pending' : 'drifted';
}

function isOf(change: Change, sort: Sort): boolean {
  const parts = kindFor(change).parts(change);
  return parts.some((part) => sortOf(part) === sort);
}

/** Uses only the fields of a part that cannot be planned without the other, such as one with a new key. */
function partsOf(sort: Sort, mixed: readonly Change[], replan: Replan | undefined): Map<string, Change> {
  const leaving: LeaveRule = { by: 'difference', isLeft: (part) => sortOf(part) !== sort };
  const planned = replan?.({ targets: [...new Set(mixed.map(nameOfChange))], leaving: [leaving] }).changes ?? [];
  const made = new Map(planned.map((change) => [change.ref, change]));
  const fieldsOf = (change: Change): readonly FieldChange[] => ('fields' in change ? change.fields : []);
  const pathsIn = (fields: readonly FieldChange[]): string[] => fields.map(({ path }) => path);
  return new Map(
    mixed.map((change): [string, Change] => {
      const fields = fieldsOf(change).filter((field) => sortOf(field) === sort);
      const part = made.get(change.ref);
      const isPart = part !== undefined && jsonEquals(pathsIn(fieldsOf(part)), pathsIn(fields));
      return [change.ref, { ...(isPart ? part : change), fields } as Change];
    }),
  );
}
