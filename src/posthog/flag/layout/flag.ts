/** Writes one flag as a manifest declares it. */

import {
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { NameLookup } from '../../names.ts';
import { EDITOR, INHERITED, type HeldAccess } from '../../role-access/access.ts';
import { CONSENT, needsConsent } from '../checks/unknown-members.ts';
import { EXPORTED_FIELDS, type ManifestField } from '../fields.ts';
import type { Filters, Flag } from '../flag.ts';
import { plainRollout, writeFilters } from './filters.ts';
import { withoutDefaults } from './short.ts';
import { writeUncheckedFilters } from './unchecked.ts';

/** `checked` filters are held to every rule; `unchecked` ones are written exactly as the service holds them. */
export type FiltersForm = 'checked' | 'unchecked';

export interface FlagWriteOptions {
  readonly form: FiltersForm;
  /** `undefined` where access is not exported. */
  readonly access: HeldAccess | undefined;
  readonly names: NameLookup;
  /** Omits values that nobody chose. */
  readonly minimal: boolean;
  /** Also writes what means the same when it is absent. */
  readonly full: boolean;
}

interface AccessOptions {
  readonly names: NameLookup;
  readonly minimal: boolean;
}

/** The mapping under the flag's key. */
export function writeFlag(flag: Flag, { form, access, names, minimal, full }: FlagWriteOptions): JsonObject {
  const own = EXPORTED_FIELDS.filter(({ manifest }) => manifest !== undefined);
  const further = EXPORTED_FIELDS.filter(({ manifest }) => manifest === undefined);
  const members = own.flatMap((field): [string, JsonValue | undefined][] => {
    if (field.api !== 'filters') return [[field.manifest ?? field.api, writeField(flag, field, minimal)]];
    return form === 'checked' ? [writeTargeting(flag, { names, full })] : [];
  });
  const fields: JsonObject = defined({
    ...Object.fromEntries(further.map((field) => [field.api, writeField(flag, field, minimal)])),
    filters: form === 'unchecked' ? writeUncheckedFilters(flag, names) : undefined,
  });
  const written = Object.fromEntries(members);
  return defined({
    ...written,
    [CONSENT[0]]:
      isJsonObject(written['filters']) && needsConsent(written['filters'] as Filters) ? CONSENT[1] : undefined,
    ...writeAccess(access, { names, minimal }),
    fields: nonEmpty(fields),
  });
}

function writeField(flag: Flag, field: ManifestField, minimal: boolean): JsonValue | undefined {
  const value = memberOf(flag, field.api);
  if (value === undefined || field.write === undefined || (minimal && isUsual(flag, field))) return undefined;
  return field.write(value);
}

/** Whether the flag has a value in the field that nobody chose. */
export function isUsual(flag: Flag, { api, write, usual = [] }: ManifestField): boolean {
  const value = memberOf(flag, api);
  return value !== undefined && write !== undefined && usual.some((one) => jsonEquals(one, write(value)));
}

function writeTargeting(
  flag: Flag,
  { names, full }: Pick<FlagWriteOptions, 'names' | 'full'>,
): [string, JsonValue | undefined] {
  const filters = writeFilters(flag, names);
  const rollout = filters === undefined ? undefined : plainRollout(filters);
  if (rollout !== undefined) return ['rollout_percentage', rollout];
  return ['filters', full || filters === undefined ? filters : withoutDefaults(filters)];
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return definedKeys(object).length > 0 ? object : undefined;
}

/** In the short form, what nobody chose is omitted. Otherwise a service with levels gets all of them, so that drift sees each. */
export function writeAccess(access: HeldAccess | undefined, { names, minimal }: AccessOptions): JsonObject {
  if (access === undefined) return {};
  const { wire, everyone } = access;
  const roles = access.roles
    .map(({ role, level }) => [names.role(role.id) ?? role.id, level] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isList = everyone === null && roles.every(([, level]) => level === EDITOR);
  if (isList && minimal && roles.length === 0) return {};
  if (isList && (minimal || wire === 'entries')) return { role_access: [...new Set(roles.map(([name]) => name))] };
  return {
    access: {
      ...(minimal && everyone === null ? {} : { default: everyone ?? INHERITED }),
      ...(minimal && roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    },
  };
}
