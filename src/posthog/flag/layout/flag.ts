/** Writes one flag as a manifest declares it. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
} from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { nameFlags, type NameLookup } from '../model/names.ts';
import { EDITOR, type HeldAccess, INHERITED } from '../../role-access/access.ts';
import { withoutInjected } from '../model/canonical.ts';
import { findIntended } from '../checks/slips.ts';
import { CONSENT, needsConsent } from '../checks/unknown-members.ts';
import { hasEncryptedPayloads } from '../model/encrypted-payloads.ts';
import { EXPORTED_FIELDS, type ManifestField } from '../model/fields.ts';
import type { Filters, Flag } from '../model/flag.ts';
import { PARTS_OF_OTHER_PRODUCTS, TOLERANCES, type Treatment } from '../model/tolerances.ts';
import { markEncryptedPayloads, plainRollout, withOwnAggregation, withProperties, writeFilters } from './filters.ts';
import { mapElements, without } from './members.ts';

/** `checked` filters must satisfy every rule; `unchecked` ones are written exactly as the service has them. */
export type FiltersForm = 'checked' | 'unchecked';

export interface FlagWriteOptions {
  readonly form: FiltersForm;
  /** `undefined` if access is not exported. */
  readonly access: HeldAccess | undefined;
  readonly names: NameLookup;
  /** Omits default values. */
  readonly minimal: boolean;
  /** Writes values that mean the same when they are absent, too. */
  readonly full: boolean;
}

interface AccessOptions {
  readonly names: NameLookup;
  readonly minimal: boolean;
}

/** The fields with a member of their own in manifests, and those below `fields`. */
const OWN_FIELDS = EXPORTED_FIELDS.filter(({ manifest }) => manifest !== undefined);
const FURTHER_FIELDS = EXPORTED_FIELDS.filter(({ manifest }) => manifest === undefined);

/** The mapping under the flag's key. */
export function writeFlag(flag: Flag, { form, access, names, minimal, full }: FlagWriteOptions): JsonObject {
  const written: Record<string, JsonValue | undefined> = {};
  for (const field of OWN_FIELDS) {
    if (field.api !== 'filters') setMember(written, field.manifest ?? field.api, writeField(flag, field, minimal));
    else if (form === 'checked') Object.assign(written, writeTargeting(flag, { names, full }));
  }
  const fields: Record<string, JsonValue | undefined> = {};
  for (const field of FURTHER_FIELDS) setMember(fields, field.api, writeField(flag, field, minimal));
  if (form === 'unchecked') fields['filters'] = writeUncheckedFilters(flag, names);
  const { filters } = written;
  return defined({
    ...written,
    [CONSENT[0]]: isJsonObject(filters) && needsConsent(filters as Filters) ? CONSENT[1] : undefined,
    intended: form === 'checked' ? intendedIn(written) : undefined,
    ...writeAccess(access, { names, minimal }),
    fields: nonEmpty(defined(fields)),
  });
}

/** What is live stays declarable, however it looks. */
function intendedIn({ filters }: Readonly<Record<string, JsonValue | undefined>>): readonly string[] | undefined {
  const found = isJsonObject(filters) ? findIntended(filters) : [];
  return found.length === 0 ? undefined : found;
}

function writeField(flag: Flag, field: ManifestField, minimal: boolean): JsonValue | undefined {
  const value = memberOf(flag, field.api);
  if (value === undefined || field.write === undefined || (minimal && isUsual(flag, field))) return undefined;
  return field.write(value);
}

/** Whether the flag has a default value in the field. */
export function isUsual(flag: Flag, { api, write, usual = [] }: ManifestField): boolean {
  const value = memberOf(flag, api);
  return value !== undefined && write !== undefined && usual.some((one) => jsonEquals(one, write(value)));
}

function writeTargeting(flag: Flag, { names, full }: Pick<FlagWriteOptions, 'names' | 'full'>): JsonObject {
  const filters = writeFilters(flag, names);
  const rollout = filters === undefined ? undefined : plainRollout(filters);
  if (rollout !== undefined) return { rollout_percentage: rollout };
  return { filters: full || filters === undefined ? filters : withoutDefaults(filters) };
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return definedKeys(object).length > 0 ? object : undefined;
}

/** The short form omits defaults. The usual form writes all of them for a service with levels, so that drift sees each. */
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

/** The defaults that the short form of filters omits: they mean the same when absent, so that no drift is hidden. */
const CONDITION_DEFAULTS = defaultsOf('/filters/groups/*');
const PROPERTY_DEFAULTS = defaultsOf('/filters/groups/*/properties/*');

interface MemberDefault {
  readonly member: string;
  readonly treat: Extract<Treatment, { kind: 'default' }>;
}

function defaultsOf(owner: string): readonly MemberDefault[] {
  return TOLERANCES.flatMap(({ path, treat }) =>
    treat.kind === 'default' && path.startsWith(`${owner}/`) ? [{ member: path.slice(owner.length + 1), treat }] : [],
  );
}

/** Members of conditions and properties that have the value which the tolerance table gives them when they are absent. */
function withoutDefaults(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters) || !isJsonArray(filters['groups'])) return filters;
  const groups = mapElements(filters['groups'], shortCondition);
  return groups === filters['groups'] ? filters : { ...filters, groups };
}

/** A bare `{}` also matches everybody, but looks unfinished. */
function shortCondition(condition: JsonValue): JsonValue {
  if (!isJsonObject(condition)) return condition;
  const short = omitDefaults(condition, CONDITION_DEFAULTS);
  return definedKeys(short).length === 0 ? condition : withProperties(short, shortProperty);
}

function shortProperty(property: JsonValue): JsonValue {
  return isJsonObject(property) ? omitDefaults(property, PROPERTY_DEFAULTS) : property;
}

function omitDefaults(object: JsonObject, defaults: readonly MemberDefault[]): JsonObject {
  const usual = defaults.filter((one) => isImplied(object, one)).map(({ member }) => member);
  return without(object, usual);
}

function isImplied(object: JsonObject, { member, treat: { of, value } }: MemberDefault): boolean {
  const isMeant = of === undefined || of.values.some((owner) => owner === (memberOf(object, of.member) ?? null));
  return isMeant && jsonEquals(memberOf(object, member) ?? null, value);
}

/** References to flags become keys, since ids change when a flag is recreated. All else is kept. */
export function writeUncheckedFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters)) return flag.filters;
  const managed = without(flag.filters, PARTS_OF_OTHER_PRODUCTS);
  const { payloads } = managed;
  const safe =
    hasEncryptedPayloads(flag) && payloads !== undefined
      ? { ...managed, payloads: markEncryptedPayloads(payloads) }
      : managed;
  const told = withoutInjected({ filters: withOwnAggregation(nameFlags(safe, names)) });
  return told['filters'];
}
