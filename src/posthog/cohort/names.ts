/** The names of cohorts that conditions name by id, so that people read names. Requests and documents keep the ids. */

import { valueAt } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { viewFilters } from '../flag/model/flag.ts';
import type { CohortSnapshot } from './cohort.ts';

/** Names by id: the alias of a cohort, or else its name in the service. */
export type CohortNames = Readonly<Record<string, string>>;

/** The names of the cohorts that the conditions of a plan name. `aliases`: those of the configuration. */
export function cohortNamesIn(
  plan: object,
  aliases: Readonly<Record<string, number>>,
  cohorts: () => CohortSnapshot,
): CohortNames | undefined {
  const ids = new Set<number>();
  replaceIds(plan, (id) => {
    ids.add(id);
    return undefined;
  });
  if (ids.size === 0) return undefined;
  const { aliasOf, byId } = cohorts();
  const configured = new Map(Object.entries(aliases).map(([alias, id]) => [id, alias]));
  const named = [...ids]
    .toSorted((a, b) => a - b)
    .flatMap((id): [string, string][] => {
      const name = aliasOf(id) ?? configured.get(id) ?? byId(id)?.name?.trim();
      return name === undefined || name === '' ? [] : [[String(id), name]];
    });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** The names that the service gives beside the ids in the filters of a flag. */
export function cohortNamesBeside(filters: JsonValue | undefined): CohortNames {
  const named = viewFilters(filters).properties.flatMap(({ part: { type, value, cohort_name: name } }) =>
    type === 'cohort' && typeof value === 'number' && typeof name === 'string' && name.trim() !== ''
      ? [[String(value), name.trim()] as const]
      : [],
  );
  return Object.fromEntries(named);
}

/** The same facts with names in place of the ids. What has no id in it stays the same value. */
export function withCohortNames<Facts extends object>(facts: Facts, names: CohortNames | undefined): Facts {
  return names === undefined ? facts : replaceIds(facts, (id) => memberOf(names, String(id)));
}

function replaceIds<Facts extends object>(facts: Facts, nameOf: (id: number) => string | undefined): Facts {
  // Changes that several members of a report share stay shared.
  const known = new Map<object, object>();
  const replaced = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    const before = known.get(value);
    if (before !== undefined) return before;
    const found = Array.isArray(value) ? value.map(replaced) : replacedMembers(value as JsonObject);
    const isSame = Object.entries(found).every(([name, member]) => memberOf(value as JsonObject, name) === member);
    known.set(value, isSame ? value : found);
    return isSame ? value : found;
  };
  const replacedMembers = (object: JsonObject): object => {
    const members = Object.fromEntries(Object.entries(object).map(([name, member]) => [name, replaced(member)]));
    if (isOfCohort(object)) {
      const name = typeof object['value'] === 'number' ? nameOf(object['value']) : undefined;
      if (name === undefined) return members;
      const { cohort_name: _name, ...rest } = members as JsonObject;
      return { ...rest, value: name };
    }
    const { fields } = object;
    return isJsonArray(fields)
      ? { ...members, fields: namedFields(object, (members['fields'] ?? []) as JsonValue[]) }
      : members;
  };
  /** A value that changes alone does not say that it is of a cohort; the condition before and after the change does. */
  const namedFields = (change: JsonObject, fields: readonly JsonValue[]): readonly JsonValue[] => {
    const states = [change['body'], ...Object.values(isJsonObject(change['base']) ? change['base'] : {})];
    const found = fields.map((field) => {
      if (!isJsonObject(field) || typeof field['path'] !== 'string' || !field['path'].endsWith(VALUE)) return field;
      const at = field['path'].slice(0, -VALUE.length);
      const isOf = (id: JsonValue | undefined): boolean =>
        states.some((state) => {
          const condition = valueAt(state, at);
          return isJsonObject(condition) && isOfCohort(condition) && condition['value'] === id;
        });
      const sides = (['before', 'after', 'base'] as const).flatMap((side): [string, string][] => {
        const id = field[side];
        const name = typeof id === 'number' && isOf(id) ? nameOf(id) : undefined;
        return name === undefined ? [] : [[side, name]];
      });
      return sides.length === 0 ? field : { ...field, ...Object.fromEntries(sides) };
    });
    return found.every((field, index) => field === fields[index]) ? fields : found;
  };
  return replaced(facts) as Facts;
}

const VALUE = '/value';

function isOfCohort({ type }: JsonObject): boolean {
  return type === 'cohort';
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
