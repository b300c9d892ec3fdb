/** What differs from its declaration in what no plan can write, as the warnings of a plan say. */

import { fromPointer } from '../base/json-pointer.ts';
import type { Unmade } from '../engine/earlier.ts';
import type { Left } from '../engine/left.ts';
import { nameOf } from '../engine/kind.ts';
import { KINDS } from './kinds.ts';
import type { PlanWarning } from './plan.ts';
import type { OwnKind } from './kind-types.ts';
import { readName } from './resource-name.ts';

/** `key`: as options name the resource. */
export interface LeftOut {
  readonly resource: OwnKind;
  readonly key: string;
}

/** The resources that are not as declared although the plan has no change of them. */
export function findLeftOut(warnings: readonly PlanWarning[]): LeftOut[] {
  const keys = warnings.flatMap((warning) => (isOfLeftOut(warning) ? [warning.key, ...heldBy(warning)] : []));
  return [...new Set(keys)].map((key) => ({
    resource: readName(key).kind,
    key,
  }));
}

/** What is left out beside the resource of the warning. */
function heldBy(warning: PlanWarning): readonly string[] {
  return warning.code === 'cohort_name_shared' ? warning.held : [];
}

/** For a static cohort, the service has a list of persons where the manifests declare a definition. */
function isOfLeftOut(warning: PlanWarning): boolean {
  if (warning.code === 'filters_opaque') return warning.omitted.length > 0;
  return warning.code === 'not_enabled' || CANNOT_WRITE.has(warning.code);
}

/** What the manifests ask for and a plan does not make: what it leaves beside drift, and what it cannot write. */
export function findUnmade({
  left,
  warnings,
}: {
  readonly left: readonly Left[];
  readonly warnings: readonly PlanWarning[];
}): Unmade[] {
  return [...left.flatMap(unmadeOf), ...warnings.flatMap(unwritten)];
}

function unmadeOf({ resource, key: given, action, fields }: Left): Unmade[] {
  const paths = fields.filter(({ divergence }) => divergence !== 'drifted').map(({ path }) => path);
  if (paths.length === 0) return [];
  if (resource === 'role_access') return [{ key: given, fields: ['role_access'] }];
  const key = nameOf(KINDS, resource, given);
  const isWhole = resource === 'cohort' || WHOLE.has(action) || paths.some((path) => DECIDES_ALL.has(path));
  return [isWhole ? { key } : { key, fields: paths.map((path) => fromPointer(path)[0] ?? '') }];
}

const WHOLE: ReadonlySet<string> = new Set(['create', 'delete']);
const DECIDES_ALL: ReadonlySet<string> = new Set(['', '/key', '/deleted']);

function unwritten(warning: PlanWarning): Unmade[] {
  const { key } = warning;
  if (warning.code === 'filters_opaque') return warning.omitted.length === 0 ? [] : [{ key, fields: warning.omitted }];
  if (warning.code === 'field_unsupported') return [{ key, fields: [warning.field] }];
  if (warning.code === 'not_enabled') return [{ key, fields: ['active'] }];
  if (CANNOT_WRITE_ACCESS.has(warning.code)) return [{ key, fields: ['role_access'] }];
  return CANNOT_WRITE.has(warning.code) ? [key, ...heldBy(warning)].map((one) => ({ key: one })) : [];
}

const CANNOT_WRITE: ReadonlySet<PlanWarning['code']> = new Set([
  'create_opaque',
  'cohort_static',
  'cohort_name_shared',
]);
const CANNOT_WRITE_ACCESS: ReadonlySet<PlanWarning['code']> = new Set([
  'access_refused',
  'access_unread',
  'access_unpaid',
]);
