/**
 * Splits the differences between the service and the manifests into changes by people, and changes in git that are not applied yet; and finds
 * those that no plan can write.
 */

import { jsonEquals } from '../../base/json.ts';
import type { LeaveRule, LeftChange } from '../../core/engine/matched.ts';
import { kindFor, nameOfChange, KINDS } from '../kinds.ts';
import type { Change, FieldChange, Plan, PlanWarning } from '../plan.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Unrecorded } from '../../core/engine/base.ts';
import { familyOf, nameOf } from '../../core/engine/kind.ts';
import type { UnwritablePart } from '../kind.ts';
import type { KindName, OwnKind } from '../kind-types.ts';
import { readName } from '../names/resource-name.ts';

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

/** `key`: as options name the resource. */
export interface Unwritable {
  readonly resource: OwnKind;
  readonly key: string;
}

/** The resources that are not as declared although the plan does not change them. */
export function findUnwritable(warnings: readonly PlanWarning[]): Unwritable[] {
  const keys = warnings.flatMap(unwritableIn).flatMap(({ key, isOutOfPlan }) => (isOutOfPlan === true ? key : []));
  return [...new Set(keys)].map((key) => ({ resource: readName(key).kind, key }));
}

/** The declared differences that a plan does not make: those that it leaves apart from drift, and those that it cannot write. */
export function findUnrecorded({
  left,
  warnings,
}: {
  readonly left: readonly LeftChange[];
  readonly warnings: readonly PlanWarning[];
}): Unrecorded[] {
  const unwritable = warnings.flatMap(unwritableIn);
  return [...left.flatMap(unrecordedOf), ...unwritable.map(({ key, fields }) => ({ key, ...defined({ fields }) }))];
}

function unwritableIn(warning: PlanWarning): readonly UnwritablePart[] {
  return KINDS.flatMap((kind) => kind.findUnwritableParts(warning));
}

function unrecordedOf({ resource, key: given, action, fields }: LeftChange): Unrecorded[] {
  const paths = fields.filter(({ divergence }) => divergence !== 'drifted').map(({ path }) => path);
  if (paths.length === 0) return [];
  const kind = kindFor({ resource: resource as KindName });
  const key = nameOf(KINDS, familyOf(kind), given);
  if (kind.attachedTo !== undefined) return [{ key, fields: [kind.name] }];
  const isWhole = kind.isLeftWhole === true || WHOLE.has(action) || paths.some((path) => DECIDES_ALL.has(path));
  return [isWhole ? { key } : { key, fields: paths.map((path) => fromPointer(path)[0] ?? '') }];
}

const WHOLE: ReadonlySet<string> = new Set(['create', 'delete']);
const DECIDES_ALL: ReadonlySet<string> = new Set(['', '/key', '/deleted']);
