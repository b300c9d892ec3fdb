/** One flag's change: create, update, restore or delete, or none. */

import { fieldAt, fieldsIn } from '../../core/engine/field-kind.ts';
import {
  arrayOrEmpty,
  without,
  isJsonArray,
  isJsonObject,
  memberOf,
  type JsonObject,
  type JsonValue,
  canonicalText,
  definedKeys,
  jsonEquals,
  objectFrom,
  objectOrEmpty,
} from '../../base/json.ts';
import { childAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import type { Divergence } from '../../core/engine/base.ts';
import { nameChange, createdFields, softDelete } from '../../core/engine/body-kind.ts';
import type { LastEdit } from '../../core/engine/change.ts';
import type { Match } from '../../core/engine/matched.ts';
import type { ObservedValue } from '../../core/engine/ownership.ts';
import type { DeclaredFlag, DesiredFlag, RetiredFlag } from '../desired.ts';
import type { CreateFlag, DeleteFlag, FlagBase, FlagChange } from '../plan.ts';
import {
  canonicalFlag,
  impliedMembers,
  isAbsent,
  type ToleranceRule,
  ruleOf,
  TOLERANCE_TREE,
  withoutInjected,
} from './model/canonical.ts';
import type { FlagWarning } from './change.ts';
import {
  compareFlag,
  type FlagComparison,
  classifyFlagDelete,
  classifyMissingFlag,
  completed,
  type FormerFlag,
} from './compare-flag.ts';
import { writableFields } from './comparison.ts';
import { hasEncryptedPayloads, withMarksReplaced, withPayloadDigests } from './model/encrypted-payloads.ts';
import { KNOWN_FIELDS } from './model/fields.ts';
import { type Flag, viewFilters } from './model/flag.ts';
import { splitByFormat } from './assess.ts';
import { newValuesOfOthers } from './owned-fields.ts';
import type { FlagSnapshot } from './snapshot.ts';

export interface FlagOutcome {
  readonly changes: readonly FlagChange[];
  readonly warnings: readonly FlagWarning[];
  /** The number of values that the manifests and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
  readonly observed?: readonly ObservedValue[];
}

/** `live` is absent when the service has no such flag. */
export function changeFlag(
  { desired, live, base, isOther }: Match<DesiredFlag, Flag>,
  flags: FlagSnapshot,
): FlagOutcome {
  const former = defined({ base, isOther });
  if (desired.kind === 'retired') {
    const gone = live === undefined || live.deleted === true;
    return {
      changes: gone ? [] : [deleteFlag(live, flags, { ...former, retired: desired })],
      warnings: [],
      converged: 0,
    };
  }
  if (live !== undefined) return changeLive(compareFlag({ desired, live, ...former }, flags), live, flags);
  const whole = completed(desired);
  const { fields } = whole;
  const format = viewFilters(fields['filters']).opaqueVersion;
  if (format !== undefined) return { changes: [], warnings: [{ code: 'create_opaque', key: desired.key, format }] };
  // Everybody gets a new remote configuration whose filters are not declared: the plan says so.
  const isForAll = fields['is_remote_configuration'] === true && fields['filters'] === undefined;
  const created = isForAll
    ? { ...whole, fields: { ...fields, filters: { groups: [{ rollout_percentage: 100 }] } } }
    : whole;
  return { changes: [createFlag(created, classifyMissingFlag(whole, former, flags))], warnings: [] };
}

function changeLive(compared: FlagComparison, live: Flag, flags: FlagSnapshot): FlagOutcome {
  const { desired, seen, written, canonical, differences: found, valuesOfOthers } = compared;
  const shown = defined({ converged: compared.converged, observed: compared.observed });
  const differing = fieldsIn(found);
  const format = viewFilters(live.filters).opaqueVersion ?? viewFilters(written['filters']).opaqueVersion;
  const { writable: changedFields, warnings: opaque } =
    format === undefined
      ? { writable: differing, warnings: [] }
      : splitByFormat(differing, { key: desired.key, wanted: written, live, format });
  const differences = found.filter(({ path }) => changedFields.includes(fieldAt(path)));
  const decides = changedFields.some((field) => field === 'filters' || field === 'active');
  const undeclared = decides ? warnOfUndeclaredParts(desired, live) : [];
  const warnings = [...compared.warnings, ...undeclared, ...opaque];
  if (differences.length === 0) return { changes: [], warnings, ...shown };
  const base = flagBase(seen, { compared: Object.keys(written), written: changedFields }, flags);
  const body = updateBody(changedFields, written, { former: base.former, canonical });
  const change = {
    ...nameChange('flag', desired.key),
    id: live.id,
    fields: differences.map(({ path, before, after, divergence, base: declared, bounds }) => ({
      path,
      ...defined({ before, after, source: placeAt(desired.places, path), divergence, base: declared, bounds }),
    })),
    body: seen === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
    source: placeAt(desired.places, differences[0]?.path ?? ''),
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
  return {
    changes: [{ action: live.deleted === true ? 'restore' : 'update', ...change }],
    warnings,
    ...shown,
  };
}

/** Whether a live flag differs from its declaration in its key at most. */
export function isAsDeclared(desired: DesiredFlag, live: Flag, flags: FlagSnapshot): boolean {
  const { changes, warnings } = changeFlag({ desired: { ...desired, key: live.key }, live }, flags);
  return changes.length === 0 && !warnings.some(({ code }) => code === 'filters_opaque');
}

/** The soft delete of a flag that a manifest retires or that `--prune` removes. `retired`: absent if no manifest names the flag. */
export function deleteFlag(
  live: Flag,
  flags: FlagSnapshot,
  { retired, ...former }: FormerFlag & { readonly retired?: RetiredFlag },
): DeleteFlag {
  const divergence = classifyFlagDelete(former, live, flags);
  const { key } = retired ?? live;
  const base = flagBase(live, { compared: [], written: ['deleted'] }, flags);
  return {
    ...softDelete('flag', key, { id: live.id, base, divergence }),
    reason: retired === undefined ? 'pruned' : 'retired',
    ...(retired === undefined ? {} : { source: placeAt(retired.places, '/deleted') }),
  };
}

function createFlag(desired: DeclaredFlag, divergence: Divergence | undefined): CreateFlag {
  const body = createBody(desired.key, desired.fields);
  const valuesOfOthers = newValuesOfOthers(desired);
  const shown = hasEncryptedPayloads(body) ? withPayloadDigests(canonicalFlag(desired.fields)) : desired.fields;
  const fields = createdFields(shown, desired.places, divergence);
  return {
    action: 'create',
    ...nameChange('flag', desired.key),
    ...(fields.length === 0 ? defined({ divergence }) : {}),
    fields,
    body,
    needs: [],
    source: desired.places.place,
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
}

/** The plan's view of a live flag. `compared`: fields that the plan compared; known fields are always included. */
export function flagBase(
  live: Flag,
  { compared, written }: { readonly compared: readonly string[]; readonly written: readonly string[] },
  flags: FlagSnapshot,
): FlagBase {
  const counts = (field: string): boolean => KNOWN_FIELDS.has(field) || compared.includes(field);
  return {
    version: live.version ?? null,
    ...defined({ edited: readLastEdit(live) }),
    flag: Object.fromEntries(Object.entries(flags.comparable(live)).filter(([field]) => counts(field))),
    former: writableFields(live, written, flags),
  };
}

/**
 * Warns, where the plan changes who has the flag, of parts that other products own and no manifest declares: they may decide its value.
 * Does not warn for a disabled flag, or for one whose filters no manifest declares.
 */
function warnOfUndeclaredParts({ key, fields }: DeclaredFlag, { active: isOn, filters }: Flag): FlagWarning[] {
  const { filters: declared, active } = fields;
  if (!isJsonObject(declared) || !isJsonObject(filters) || viewFilters(filters).isOpaque) return [];
  if ((active ?? isOn) === false) return [];
  const undeclared = without(filters, Object.keys(declared));
  // The service evaluates only the first condition of a list.
  const firstOf = (part: string): JsonObject | undefined => {
    const [first = null] = arrayOrEmpty(memberOf(undeclared, part));
    return isJsonObject(first) ? first : undefined;
  };
  const { rollout_percentage: held = 100 } = firstOf('holdout_groups') ?? { rollout_percentage: 0 };
  const holdouts = [
    ['holdout', objectOrEmpty(undeclared['holdout'])['exclusion_percentage']],
    ['holdout_groups', held ?? 100],
  ] as const;
  const enrollments = [
    ['super_groups', arrayOrEmpty(firstOf('super_groups')?.['properties']).length > 0],
    ['feature_enrollment', undeclared['feature_enrollment'] === true],
  ] as const;
  return [
    ...holdouts.flatMap(([part, percent]): FlagWarning[] =>
      typeof percent === 'number' && percent > 0 ? [{ code: 'holdout_undeclared', key, part, percent }] : [],
    ),
    ...enrollments.flatMap(([part, isThere]): FlagWarning[] =>
      isThere ? [{ code: 'early_access_undeclared', key, part }] : [],
    ),
  ];
}

/** The last editor of a flag. `undefined` if the service names neither user nor time, as it did until 2025. */
export function readLastEdit({ last_modified_by: user, updated_at: at }: Flag): LastEdit | undefined {
  const by = readUser(user);
  if (by === undefined && typeof at !== 'string') return undefined;
  return defined({ by, at: at ?? undefined });
}

/** `undefined` if the service does not name the user. */
export function readUser(user: JsonValue | undefined): string | undefined {
  if (!isJsonObject(user)) return undefined;
  const { email, first_name: name } = user;
  return [email, name].find((text): text is string => typeof text === 'string' && text !== '');
}

/**
 * The body of a create. For a flag without conditions it omits `filters`: today's service refuses an empty list of
 * conditions, and creates a list itself. (docs/service.md, "Create")
 */
export function createBody(key: string, fields: JsonObject): JsonObject {
  const { filters, ...others } = fields;
  const isEmpty = jsonEquals(canonicalFlag({ filters: filters ?? null })['filters'], { groups: [] });
  // Of a remote configuration, that list has everybody.
  const own = fields['is_remote_configuration'] === true ? { ...others, filters: { groups: [] } } : others;
  return { key, ...sentForm(isEmpty ? own : withoutInjected(fields)) };
}

/**
 * The body of a PATCH that sets the named top-level fields as wanted. Dependencies stay keys; apply replaces them by ids. `former`: these
 * fields, as `writableFields` of the live flag; `canonical`: both sides of the comparison that found the change.
 */
export function updateBody(
  fields: readonly string[],
  wanted: JsonObject,
  {
    former,
    canonical,
  }: { readonly former: JsonObject; readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject } },
): JsonObject {
  const written = Object.fromEntries(fields.map((field) => [field, memberOf(wanted, field)]));
  const carried = withCarriedMembers(
    { written, canonical: canonical.wanted },
    { written: former, canonical: canonical.live },
  );
  const body = withoutInjected(carried);
  if (!fields.includes('filters')) return sentForm(body);
  // `filters` is always sent whole and with `groups`: services before 2026 ignore it without. Later ones merge it into
  // what they have, so removing a part takes an explicit null. (docs/service.md, "PATCH")
  const declared = objectOrEmpty(body['filters']);
  const current = objectOrEmpty(former['filters']);
  const undeclared = definedKeys(current).filter((part) => !Object.hasOwn(declared, part) && current[part] !== null);
  const removed = undeclared.filter((part) => part !== 'groups').map((part) => [part, null] as const);
  return sentForm({ ...body, filters: { groups: [], ...declared, ...Object.fromEntries(removed) } });
}

/**
 * Carries over members that no comparison looks at: otherwise every update would remove them, and no plan would show it. The tolerance
 * table lists them. Returns the fields of `ours` with the carried members of their counterparts in `theirs`; a member that `ours` has wins.
 * The counterpart of a list element has an equal canonical form; or else, among those that are left, the same key or, if elements have no
 * key, the same position.
 */
export function withCarriedMembers(ours: Twin<JsonObject>, theirs: Twin<JsonObject>): JsonObject {
  return carriedInto(ours, theirs, TOLERANCE_TREE) as JsonObject;
}

/** A value as it is written, with the canonical form by which it is recognized. */
interface Twin<Value extends JsonValue = JsonValue> {
  readonly written: Value;
  readonly canonical: JsonValue | undefined;
}

function carriedInto(ours: Twin, theirs: Twin, rule: ToleranceRule): JsonValue {
  const [written, live] = [ours.written, theirs.written];
  if (!rule.carries) return written;
  // The canonical form of these lists keeps every element at its index.
  const twin = ({ canonical }: Twin, name: string, value: JsonValue): Twin => ({
    written: value,
    canonical: childAt(canonical, name),
  });
  if (isJsonObject(written) && isJsonObject(live)) {
    const kept = Object.keys(written).map((key): [string, JsonValue] => {
      const child = ruleOf(rule, key);
      const other = memberOf(live, key);
      const value = written[key] as JsonValue;
      if (child === undefined || other === undefined) return [key, value];
      return [key, carriedInto(twin(ours, key, value), twin(theirs, key, other), child)];
    });
    const carried = Object.keys(live).flatMap((key): [string, JsonValue][] => {
      const isCarried = ruleOf(rule, key)?.carried === true && !Object.hasOwn(written, key);
      return isCarried && live[key] !== undefined ? [[key, live[key]]] : [];
    });
    return objectFrom([...kept, ...carried]);
  }
  const element = rule.children.get('*');
  if (!isJsonArray(written) || !isJsonArray(live) || element === undefined) return written;
  const mine = written.map((one, index) => twin(ours, String(index), one));
  const others = live.map((one, index) => twin(theirs, String(index), one));
  const continued = pair(mine, others);
  return mine.map((one, index) => {
    const other = continued[index];
    return other === undefined ? one.written : carriedInto(one, other, element);
  });
}

/** The counterpart in `theirs` of each of `ours`; each is used once. */
function pair(ours: readonly Twin[], theirs: readonly Twin[]): readonly (Twin | undefined)[] {
  const continued: (Twin | undefined)[] = ours.map(() => undefined);
  const left = [...theirs];
  const take = (nameOf: (one: Twin) => string | undefined): void => {
    for (const [index, one] of ours.entries()) {
      const name = continued[index] === undefined ? nameOf(one) : undefined;
      const found = name === undefined ? -1 : left.findIndex((other) => nameOf(other) === name);
      if (found >= 0) [continued[index]] = left.splice(found, 1);
    }
  };
  take(({ canonical }) => (canonical === undefined ? undefined : canonicalText(canonical)));
  take(keyOf);
  const rest = left.filter((other) => keyOf(other) === undefined);
  return ours.map((one, index) => continued[index] ?? (keyOf(one) === undefined ? rest.shift() : undefined));
}

function keyOf({ canonical }: Twin): string | undefined {
  const key = isJsonObject(canonical) ? canonical['key'] : undefined;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined;
}

/**
 * The form of fields in requests: complete, and without spellings that some services refuse. The tolerance table says which values these
 * are (`sent`, `sentAs`), so the form means the same as the fields. Takes some or all fields of a flag, by API name. Idempotent.
 * (docs/service.md, "Filters")
 */
export function sentForm(fields: JsonObject): JsonObject {
  return asSent(fields, TOLERANCE_TREE) as JsonObject;
}

function asSent(value: JsonValue, rule: ToleranceRule | undefined): JsonValue {
  if (rule === undefined) return value;
  if (rule.sentAs !== undefined && (value === null || isAbsent(value, rule))) return rule.sentAs;
  if (rule.children.size === 0) return value;
  if (isJsonArray(value)) return value.map((one) => asSent(one, rule.children.get('*')));
  if (!isJsonObject(value)) return value;
  const implied = impliedMembers(value, rule).filter(({ sent }) => sent === true);
  return Object.fromEntries([
    ...Object.entries(value).map(
      ([key, member]) => [key, member === undefined ? member : asSent(member, ruleOf(rule, key))] as const,
    ),
    ...implied.map(({ key, value: meant }) => [key, meant] as const),
  ]);
}
