/** What a project has of a flag or cohort, to be promoted: as its manifests declare it, or as it is live. */

import { isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { writeCohort } from '../../posthog/cohort/layout.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { writableFields } from '../../posthog/flag/comparison.ts';
import { EXPORTED_FIELDS } from '../../posthog/flag/fields.ts';
import { only } from '../../posthog/flag/layout/members.ts';
import { isListed } from '../../posthog/flag/flag.ts';
import { withCommonAggregation } from '../../posthog/flag/forms.ts';
import type { LiveState } from '../../posthog/live.ts';
import { EDITOR, heldAccess } from '../../posthog/role-access/access.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { SourceFlag } from './to-wish.ts';
import { nameResource } from '../../posthog/resource-name.ts';

/** By key. `live`: take the live values of what the manifests declare, and of flags that they do not declare, everything. */
export function sourceFlags(
  { flags }: Pick<DesiredState, 'flags'>,
  live: LiveState | undefined,
): ReadonlyMap<string, SourceFlag> {
  const declared = new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])));
  if (live === undefined) return new Map([...declared].map(([key, flag]) => [key, declaredSource(flag)]));
  const { flags: snapshot } = takeSnapshot(live);
  return new Map(
    live.flags.filter(isListed).map((flag): [string, SourceFlag] => {
      const names = namesOf(declared.get(flag.key)?.fields);
      const access = live.roleAccess[String(flag.id)];
      const held = access === undefined ? undefined : heldAccess(access, live.organization);
      const roles = held?.roles.map(({ role, level }) => ({ id: role.id, name: role.name, level }));
      const everyone = held?.wire === 'levels' ? held.everyone : undefined;
      return [flag.key, { fields: present(writableFields(flag, names, snapshot)), ...defined({ roles, everyone }) }];
    }),
  );
}

/** By name, `cohort:ALIAS`, in the same way; `from` has the ids of the declared cohorts. */
export function sourceCohorts(
  { cohorts = [] }: Pick<DesiredState, 'cohorts'>,
  live: LiveState | undefined,
  from: ProjectNames,
): ReadonlyMap<string, SourceFlag> {
  const declared = new Map(cohorts.flatMap((one) => (one.kind === 'declared' ? [[one.key, one.fields] as const] : [])));
  if (live === undefined) {
    return new Map([...declared].map(([alias, fields]) => [nameResource('cohort', alias), { fields }]));
  }
  return new Map(
    Object.entries(from.cohorts).flatMap(([alias, id]): [string, SourceFlag][] => {
      const cohort = live.cohorts?.find((one) => one.id === id);
      if (cohort === undefined || cohort.deleted === true || cohort.is_static === true) return [];
      const fields = writeCohort(cohort, { nameOf: () => undefined, minimal: false, nameless: false });
      const own = declared.get(alias);
      const names = own === undefined ? Object.keys(fields) : Object.keys(own);
      return [[nameResource('cohort', alias), { fields: present(only(fields, names)) }]];
    }),
  );
}

function declaredSource({ fields, roleAccess, everyone }: DeclaredFlag): SourceFlag {
  const roles = roleAccess?.map(({ id, name, level }) => ({ id, level: level ?? EDITOR, ...defined({ name }) }));
  const { filters } = fields;
  const meant = isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
  return { fields: meant, ...defined({ roles, everyone: everyone?.level }) };
}

function namesOf(declared: JsonObject | undefined): readonly string[] {
  return declared === undefined ? EXPORTED_FIELDS.map(({ api }) => api) : Object.keys(declared);
}

function present(fields: JsonObject): JsonObject {
  return objectFrom(
    Object.entries(fields).flatMap(([name, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
