/** Finds, from a plan's warnings, the declared differences that no plan can write. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Unplanned } from '../../core/engine/base.ts';
import type { Skipped } from '../../core/engine/matched.ts';
import { familyOf, nameOf } from '../../core/engine/kind.ts';
import { kindFor, KINDS } from '../kinds.ts';
import type { LeftOutPart } from '../kind.ts';
import type { PlanWarning } from '../plan.ts';
import type { KindName, OwnKind } from '../kind-types.ts';
import { readName } from '../names/resource-name.ts';

/** `key`: as options name the resource. */
export interface LeftOut {
  readonly resource: OwnKind;
  readonly key: string;
}

/** The resources that are not as declared although the plan does not change them. */
export function findLeftOut(warnings: readonly PlanWarning[]): LeftOut[] {
  const keys = warnings.flatMap(leftOutIn).flatMap(({ key, isOutOfPlan }) => (isOutOfPlan === true ? key : []));
  return [...new Set(keys)].map((key) => ({ resource: readName(key).kind, key }));
}

/** The declared differences that a plan does not make: those that it leaves apart from drift, and those that it cannot write. */
export function findUnplanned({
  left,
  warnings,
}: {
  readonly left: readonly Skipped[];
  readonly warnings: readonly PlanWarning[];
}): Unplanned[] {
  const leftOut = warnings.flatMap(leftOutIn);
  return [...left.flatMap(unplannedOf), ...leftOut.map(({ key, fields }) => ({ key, ...defined({ fields }) }))];
}

function leftOutIn(warning: PlanWarning): readonly LeftOutPart[] {
  return KINDS.flatMap((kind) => kind.findLeftOutParts(warning));
}

function unplannedOf({ resource, key: given, action, fields }: Skipped): Unplanned[] {
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
