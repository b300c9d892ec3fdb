/** The values of each flag in one project, in a form that can be compared with other projects: names instead of ids. */

import { definedKeys, isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { namedKeys } from '../../engine/desired.ts';
import type { DeclaredFlag, DesiredLevel, DesiredRole } from '../desired.ts';
import { comparableFields } from './comparison.ts';
import { EXPORTED_FIELDS } from './model/fields.ts';
import { isListed, type Flag } from './model/flag.ts';
import { withCommonAggregation } from './model/normal-forms.ts';
import { viewFilters } from './model/view.ts';
import { takeFlagSnapshot } from './snapshot.ts';
import { emptyValue } from './model/canonical.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './model/tolerances.ts';
import type { LiveState } from '../live.ts';
import { lookupNames, nameCohorts } from './model/names.ts';
import type { Project } from '../project.ts';
import { EDITOR, heldAccess, INHERITED } from '../role-access/access.ts';
import type { ComparableValues, ComparableFamily } from '../parity/parity-values.ts';

export const COMPARABLE_FLAGS: ComparableFamily<'flags'> = {
  declared: (flag, project) => (flag.kind === 'retired' ? undefined : comparableDeclaration(flag, project)),
  elsewhere: (flag) => (flag.kind === 'declared' ? flag.previousKeys : namedKeys(flag)),
  live: (live, project) => {
    const flags = takeFlagSnapshot(live);
    return live.flags
      .filter(isListed)
      .map((flag) => [
        flag.key,
        { fields: liveFields(flags.comparable(flag), { flag, live, project }), isPartial: false },
      ]);
  },
};

/** The declared values of a flag, without places. */
export interface ComparedDeclaration extends Pick<DeclaredFlag, 'fields'> {
  readonly roleAccess?: readonly Pick<DesiredRole, 'id' | 'name' | 'level'>[];
  readonly everyone?: Pick<DesiredLevel, 'level'>;
}

export function comparableDeclaration(
  { fields, roleAccess, everyone }: ComparedDeclaration,
  project: Project,
): ComparableValues {
  const { filters } = fields;
  const meant = isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
  const roles = roleAccess?.map(({ id, name, level }): [string, string] => [name ?? id, level ?? EDITOR]);
  return {
    fields: {
      ...withNames(withEvery(fields, comparableFields(meant, {}, { keyOf: () => undefined })), project),
      ...accessField(roles, everyone === undefined ? undefined : (everyone.level ?? INHERITED)),
    },
    isPartial: true,
  };
}

/** The comparable form lacks values that mean the same as none. A manifest that declares one still manages the field. */
function withEvery(declared: JsonObject, comparable: JsonObject): JsonObject {
  const empty = definedKeys(declared).filter((field) => !Object.hasOwn(comparable, field));
  return { ...comparable, ...objectFrom(empty.map((field) => [field, emptyValue(field)] as const)) };
}

interface HeldFlag {
  readonly flag: Flag;
  readonly live: LiveState;
  readonly project: Project;
}

function liveFields(comparable: JsonObject, { flag, live, project }: HeldFlag): JsonObject {
  const own = EXPORTED_FIELDS.flatMap(({ api }): [string, JsonValue][] => {
    const value = memberOf(comparable, api);
    return value === undefined ? [] : [[api, api === 'filters' ? ownParts(value) : value]];
  });
  const access = live.roleAccess[String(flag.id)];
  const held = access === undefined ? undefined : heldAccess(access, live.organization);
  const names = lookupNames([], project);
  const roles = held?.roles.map(({ role, level }): [string, string] => [names.role(role.id) ?? role.name, level]);
  return {
    ...withNames(objectFrom(own), project),
    ...accessField(roles, held?.wire === 'levels' ? (held.everyone ?? INHERITED) : undefined),
  };
}

function accessField(roles: readonly [string, string][] | undefined, everyone: string | undefined): JsonObject {
  if (roles === undefined && everyone === undefined) return {};
  return {
    role_access: {
      ...(everyone === undefined ? {} : { default: everyone }),
      ...(roles === undefined ? {} : { roles: objectFrom(roles) }),
    },
  };
}

function ownParts(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters) || viewFilters(filters).isOpaque) return filters;
  const own = definedKeys(filters).filter((part) => !PARTS_OF_OTHER_PRODUCTS.includes(part));
  return objectFrom(own.map((part) => [part, filters[part] as JsonValue] as const));
}

function withNames(fields: JsonObject, project: Project): JsonObject {
  const { filters } = fields;
  return isJsonObject(filters) ? { ...fields, filters: nameCohorts(filters, lookupNames([], project)) } : fields;
}
