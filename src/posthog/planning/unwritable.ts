/** The differences that no plan can write, which its warnings name, and all that a plan does not make. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Unrecorded } from '../../core/engine/base.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import { familyOf, nameOf } from '../../core/engine/kind.ts';
import { kindFor, KINDS } from '../kinds.ts';
import type { UnwritablePart } from '../kind.ts';
import type { PlanWarning } from '../plan.ts';
import type { KindName, OwnKind } from '../kind-types.ts';
import { readName } from '../names/resource-name.ts';

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
