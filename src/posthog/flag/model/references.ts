/** Finds and rewrites the flags and cohorts that the conditions of a flag refer to: by key in manifests and plans, by id in requests. */

import type { Impossible } from '../../../core/engine/writer.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { readReference } from './cohort-filters.ts';
import { CONDITION_LISTS, viewFilters, type Flag } from './flag.ts';
import type { ProjectNames } from '../../project.ts';

/** Maps a reference; returning the same value keeps it. */
export interface ReferenceMapping {
  /** Called with the `key` of each property of type `flag`. */
  readonly flag?: (key: string | number) => string | number;
  /** Called with the `value` of each property of type `cohort`. */
  readonly cohort?: (value: JsonValue) => JsonValue;
}

/** Maps each reference; returns the same object where none changes, and for opaque filters. */
export function mapReferences(filters: JsonObject, mapping: ReferenceMapping): JsonObject {
  const { flags, cohorts } = viewFilters(filters).references;
  const isConcerned =
    (mapping.flag !== undefined && flags.length > 0) || (mapping.cohort !== undefined && cohorts.length > 0);
  if (!isConcerned) return filters;
  const mapped: Record<string, JsonValue | undefined> = { ...filters };
  for (const listName of CONDITION_LISTS) {
    const list = filters[listName];
    if (!isJsonArray(list)) continue;
    mapped[listName] = mapElements(list, (condition) =>
      isJsonObject(condition) ? withProperties(condition, (property) => mapProperty(property, mapping)) : condition,
    );
  }
  return CONDITION_LISTS.every((listName) => mapped[listName] === filters[listName]) ? filters : mapped;
}

/** The same for the fields of a flag; returns the same object where no reference changes. */
export function mapReferencesIn<Fields extends JsonObject>(fields: Fields, mapping: ReferenceMapping): Fields {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const mapped = mapReferences(filters, mapping);
  return mapped === filters ? fields : { ...fields, filters: mapped };
}

/** The flags that a flag's conditions depend on, in order of appearance, as they are written. */
export function flagReferences(filters: JsonObject | undefined): readonly (string | number)[] {
  return filters === undefined ? [] : viewFilters(filters).references.flags;
}

/** The fields of a flag with ids instead of the aliases of cohorts that have one. */
export function withCohortIds(fields: JsonObject, idOf: (alias: string) => number | string | undefined): JsonObject {
  const cohort = (value: JsonValue): JsonValue => (typeof value === 'string' ? (idOf(value) ?? value) : value);
  return mapReferencesIn(fields, { cohort });
}

/** The values of the conditions on cohorts, in order of appearance, as they are written. */
export function cohortValues(filters: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(filters) ? viewFilters(filters).references.cohorts : [];
}

/** The keys that filters of manifests and plans name; a number is an id, not a key. */
export function namedFlags(filters: JsonValue | undefined): string[] {
  return isJsonObject(filters) ? flagReferences(filters).filter((key) => typeof key === 'string') : [];
}

/** The list itself where every element stays. */
export function mapElements(list: JsonArray, change: (element: JsonValue) => JsonValue): JsonArray {
  const changed = list.map(change);
  return changed.every((element, index) => element === list[index]) ? list : changed;
}

/** A condition with each of its properties changed. */
export function withProperties(condition: JsonObject, change: (property: JsonValue) => JsonValue): JsonObject {
  const { properties } = condition;
  if (!isJsonArray(properties)) return condition;
  const changed = mapElements(properties, change);
  return changed === properties ? condition : { ...condition, properties: changed };
}

function mapProperty(property: JsonValue, mapping: ReferenceMapping): JsonValue {
  if (!isJsonObject(property)) return property;
  const { key, type, value } = property;
  if (type === 'flag' && mapping.flag && (typeof key === 'string' || typeof key === 'number')) {
    const named = mapping.flag(key);
    return named === key ? property : { ...property, key: named };
  }
  if (type === 'cohort' && mapping.cohort && value !== undefined) {
    const named = mapping.cohort(value);
    return named === value ? property : { ...property, value: named };
  }
  return property;
}

/** Ids of what a plan names: dependencies by key, and new cohorts by alias. A request names ids. */
export interface IdLookup {
  readonly flag: (key: string) => number | undefined;
  readonly cohort: (alias: string) => number | undefined;
}

/** The first flag or cohort that does not exist. */
type MissingReference = { readonly flag: string } | { readonly cohort: string };

/** The body with ids, or what does not exist. */
export function resolveBody(
  body: JsonObject,
  ids: IdLookup,
): { readonly body: JsonObject } | { readonly missing: MissingReference } {
  const missing: MissingReference[] = [];
  const resolved = mapReferencesIn(body, {
    flag: (reference) => {
      if (typeof reference === 'number') return String(reference);
      const id = ids.flag(reference);
      if (id === undefined) missing.push({ flag: reference });
      return String(id);
    },
    cohort: (value) => {
      const reference = readReference(value);
      if (typeof reference !== 'string') return value;
      const id = ids.cohort(reference);
      if (id === undefined) missing.push({ cohort: reference });
      return id ?? value;
    },
  });
  return missing[0] === undefined ? { body: resolved } : { missing: missing[0] };
}

/** The reason that a change with such a reference cannot be sent. */
export function missingReference(missing: MissingReference): Impossible {
  const [code, name] =
    'cohort' in missing
      ? ['cohort_missing', `cohort ${missing.cohort}`]
      : ['dependency_missing', `flag ${missing.flag}`];
  const message = `A condition names the ${name}, which does not exist.`;
  return { impossible: { code, message, field: 'filters' } };
}

/** The id of an unknown flag must not equal another flag's key, which may consist of digits. */
export function nameOfReference(reference: string | number): string {
  return typeof reference === 'number' ? `id ${reference}` : reference;
}

/** Looks up names by id; `undefined` if there is none. */
export interface NameLookup {
  readonly flag: (id: number) => string | undefined;
  readonly cohort: (id: number) => string | undefined;
  readonly role: (id: string) => string | undefined;
}

export function lookupNames(flags: readonly Flag[], names: ProjectNames): NameLookup {
  const flagKeys = new Map(flags.map((flag) => [flag.id, flag.key]));
  const cohorts = invert(names.cohorts, (alias) => !isIdText(alias));
  const roles = invert(names.roles, () => true);
  return {
    flag: (id) => flagKeys.get(id),
    cohort: (id) => cohorts.get(id),
    role: (id) => roles.get(id),
  };
}

/** Replaces ids of other flags with their keys. The id of a flag that is not listed stays, as a number. */
export function nameFlags(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    flag: (key) => {
      const id = idOf(key);
      return id === undefined ? key : (names.flag(id) ?? id);
    },
  });
}

/** Replaces cohort ids with aliases. An alias stands for a number, so an id that the service has as a string is kept. */
export function nameCohorts(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    cohort: (value) => (typeof value === 'number' ? (names.cohort(value) ?? value) : value),
  });
}

/** The id that a reference holds as a number or a string; `undefined` for anything else. */
export function idOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'string') return isIdText(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function isIdText(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

/** Chooses the alphabetically first of several names for an id, so that every export is the same. */
function invert<Id>(ids: Readonly<Record<string, Id>>, usable: (name: string) => boolean): Map<Id, string> {
  const sorted = Object.keys(ids).filter(usable).sort().reverse();
  return new Map(sorted.map((name) => [ids[name] as Id, name]));
}
