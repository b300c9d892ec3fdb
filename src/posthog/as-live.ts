/** The state that manifests declare, compared with another as if it were live: what a change of the manifests does, without the service. */

import { isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Cohort } from './cohort/cohort.ts';
import { withCohortIds as withIdsInCohort } from './cohort/references.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from './desired.ts';
import type { DeclaredCohort, DesiredCohort } from './cohort/desired.ts';
import type { Flag } from './flag/flag.ts';
import { mapReferences, withCohortIds } from './flag/references.ts';
import type { LiveState } from './live.ts';
import { EDITOR } from './role-access/access.ts';
import type { AccessRule } from './role-access/rule.ts';

/**
 * Both states without what only the service can tell: values of what existed before that the former manifests did not declare, and
 * cohorts that the configuration names by an id and the former manifests did not declare. `former`: taken as live.
 */
export function asLive(
  desired: DesiredState,
  former: DesiredState,
): { readonly desired: DesiredState; readonly live: LiveState } {
  const flags = former.flags.filter((flag): flag is DeclaredFlag => flag.kind === 'declared');
  const cohorts = (former.cohorts ?? []).filter((cohort): cohort is DeclaredCohort => cohort.kind === 'declared');
  const ids: Ids = {
    flags: new Map(flags.map(({ key }, index) => [key, index + 1])),
    cohorts: idsOf(cohorts, desired),
  };
  const { namedElsewhere } = desired;
  const wanted = desired.cohorts?.flatMap((cohort) => knownCohort(cohort, cohorts, ids.cohorts));
  const known = new Map(flags.map((flag) => [flag.key, flag]));
  return {
    desired: {
      flags: desired.flags.map((flag) => withKnownMembers(flag, known)),
      ...defined({ namedElsewhere, cohorts: wanted }),
    },
    live: {
      flags: flags.map((flag) => toLive(flag, ids)),
      roleAccess: Object.fromEntries(flags.map((flag) => [String(ids.flags.get(flag.key)), toAccess(flag)])),
      ...defined({ cohorts: wanted && cohorts.map((cohort) => toLiveCohort(cohort, ids)) }),
    },
  };
}

interface Ids {
  readonly flags: ReadonlyMap<string, number>;
  /** By alias. */
  readonly cohorts: ReadonlyMap<string, number>;
}

/** A cohort without a configured id gets one that nothing else has. */
function idsOf(cohorts: readonly DeclaredCohort[], { cohorts: wanted = [] }: DesiredState): Ids['cohorts'] {
  const taken = [...cohorts, ...wanted].flatMap(({ id }) => id ?? []);
  const free = taken.reduce((most, id) => Math.max(most, id), 1_000_000) + 1;
  return new Map(cohorts.map(({ key, id }, index) => [key, id ?? free + index]));
}

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

function knownFields(fields: JsonObject, former: JsonObject): JsonObject {
  const known = Object.entries(fields).filter(([field]) => field === 'key' || Object.hasOwn(former, field));
  return objectFrom(known as [string, JsonValue][]);
}

/** The configuration may have named a cohort by id that nobody declared: what it was then only the service knows. */
function knownCohort(cohort: DesiredCohort, former: readonly DeclaredCohort[], ids: Ids['cohorts']): DesiredCohort[] {
  const before = former.find(({ key }) => key === cohort.key);
  if (before === undefined) return cohort.id === undefined ? [cohort] : [];
  const id = ids.get(before.key);
  if (cohort.kind === 'retired') return [{ ...cohort, ...defined({ id }) }];
  return [{ ...cohort, ...defined({ id }), fields: knownFields(cohort.fields, before.fields) }];
}

/** Live conditions name other flags and cohorts by id. The service is one with levels of access. */
function toLive({ key, fields }: DeclaredFlag, { flags, cohorts }: Ids): Flag {
  const known = { ...withCohortIds(fields, (alias) => cohorts.get(alias)), user_access_level: EDITOR };
  const id = flags.get(key) ?? 0;
  const { filters } = known as JsonObject;
  if (!isJsonObject(filters)) return { id, key, ...known } as Flag;
  const flag = (reference: string | number): string | number => String(flags.get(String(reference)) ?? reference);
  return { id, key, ...known, filters: mapReferences(filters, { flag }) as NonNullable<Flag['filters']> };
}

function toAccess({ roleAccess = [], everyone }: DeclaredFlag): LiveState['roleAccess'][string] {
  const rule = (role: string | null, level: string): AccessRule => ({
    access_level: level,
    role,
    organization_member: null,
  });
  const forEveryone = everyone === undefined || everyone.level === null ? [] : [rule(null, everyone.level)];
  return { access_controls: [...roleAccess.map(({ id, level = EDITOR }) => rule(id, level)), ...forEveryone] };
}

function toLiveCohort({ key, names: [name], fields }: DeclaredCohort, { cohorts }: Ids): Cohort {
  const known = withIdsInCohort(fields, (alias) => cohorts.get(alias));
  return { is_static: false, deleted: false, name, ...known, id: cohorts.get(key) ?? 0 };
}
