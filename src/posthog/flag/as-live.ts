/** Declared flags as if they were live. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { AsLive, IdsByFamily } from '../as-live.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import { knownFields } from '../known-fields.ts';
import { EDITOR } from '../role-access/access.ts';
import type { Flag } from './flag.ts';
import { mapReferences, withCohortIds } from './references.ts';

export const FLAGS_AS_LIVE: AsLive<'flags'> = {
  idsOf: (former) => new Map(former.map(({ key }, index) => [key, index + 1])),
  known: (desired, former) => {
    const before = new Map(former.map((flag) => [flag.key, flag]));
    return desired.map((flag) => withKnownMembers(flag, before));
  },
  toLive,
};

function withKnownMembers(flag: DesiredFlag, former: ReadonlyMap<string, DeclaredFlag>): DesiredFlag {
  if (flag.kind === 'retired') return flag;
  const before = [flag.key, ...flag.previousKeys].map((key) => former.get(key)).find((one) => one !== undefined);
  if (before === undefined) return flag;
  const { roleAccess, everyone, ...declared } = flag;
  return {
    ...declared,
    fields: knownFields(flag.fields, before.fields),
    ...defined({
      roleAccess: before.roleAccess && roleAccess,
      everyone: before.everyone && everyone,
    }),
  };
}

/** Live conditions name other flags and cohorts by id. The service is one with levels of access. */
function toLive({ key, fields }: DeclaredFlag, { flags = new Map(), cohorts }: IdsByFamily): Flag {
  const known = { ...withCohortIds(fields, (alias) => cohorts?.get(alias)), user_access_level: EDITOR };
  const id = flags.get(key) ?? 0;
  const { filters } = known as JsonObject;
  if (!isJsonObject(filters)) return { id, key, ...known } as Flag;
  const flag = (reference: string | number): string | number => String(flags.get(String(reference)) ?? reference);
  return { id, key, ...known, filters: mapReferences(filters, { flag }) as NonNullable<Flag['filters']> };
}
