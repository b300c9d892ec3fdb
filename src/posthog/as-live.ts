/** The state that manifests declare, compared with another as if it were live: what a change of the manifests does, without the service. */

import { isJsonObject, objectFrom, type JsonValue } from '../base/json.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import { mapReferences } from './flag/references.ts';
import type { LiveState } from './live.ts';

/**
 * Both states without what only the service can tell: access, cohorts, and fields that the former manifests did not declare.
 * `former`: taken as live.
 */
export function asLive(
  desired: DesiredState,
  former: DesiredState,
): { readonly desired: DesiredState; readonly live: LiveState } {
  const declared = former.flags.filter((flag): flag is DeclaredFlag => flag.kind === 'declared');
  const ids = new Map(declared.map(({ key }, index) => [key, index + 1]));
  const byKey = new Map(declared.map((flag) => [flag.key, flag]));
  const flags = desired.flags.map((flag) => withKnownFields(flag, byKey));
  const { namedElsewhere } = desired;
  return {
    desired: { flags, ...(namedElsewhere === undefined ? {} : { namedElsewhere }) },
    live: { flags: declared.map((flag) => toLive(flag, ids)), roleAccess: {} },
  };
}

function withKnownFields(flag: DesiredFlag, former: ReadonlyMap<string, DeclaredFlag>): DesiredFlag {
  if (flag.kind === 'retired') return flag;
  const { roleAccess: _, everyone: __, ...declared } = flag;
  const before = [flag.key, ...flag.previousKeys].map((key) => former.get(key)).find((one) => one !== undefined);
  if (before === undefined) return declared;
  const known = Object.entries(flag.fields).filter(([field]) => field === 'key' || Object.hasOwn(before.fields, field));
  return { ...declared, fields: objectFrom(known as [string, JsonValue][]) };
}

/** Live conditions name other flags by id. */
function toLive({ key, fields }: DeclaredFlag, ids: ReadonlyMap<string, number>): Flag {
  const id = ids.get(key) ?? 0;
  const { filters } = fields;
  if (!isJsonObject(filters)) return { id, key, ...fields } as Flag;
  const flag = (reference: string | number): string | number => String(ids.get(String(reference)) ?? reference);
  return { id, key, ...fields, filters: mapReferences(filters, { flag }) as NonNullable<Flag['filters']> };
}
