/** `no-personal-data`: no condition names people by their e-mail addresses or phone numbers. */

import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { matchPermits } from '../../engine/scope.ts';
import type { PersonalData } from '../finding.ts';
import type { Found, JudgedResource, Rule } from '../judged.ts';
import { findPersonalData } from '../personal-data.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const noPersonalData: Rule<PolicyFor<'no-personal-data'>> = (resource, { allow }) => {
  const { before, after } = resource;
  if (after === undefined) return [];
  const isAllowed = matchPermits(allow);
  const had = new Set(before === undefined ? [] : conditionsOf(before).flatMap(({ values }) => values));
  return conditionsOf(after).flatMap((condition) => {
    const values = condition.values.filter((value) => !had.has(value) && !isAllowed(value));
    return findIn(values).map((found) => toFound(resource, condition, found));
  });
};

interface Condition {
  readonly list: 'groups' | 'super_groups';
  readonly index: number;
  readonly values: readonly string[];
}

function conditionsOf({ filters }: JsonObject): Condition[] {
  return (['groups', 'super_groups'] as const).flatMap((list) =>
    arrayOrEmpty(objectOrEmpty(filters)[list]).map((condition, index) => ({
      list,
      index,
      values: [...new Set(arrayOrEmpty(objectOrEmpty(condition)['properties']).flatMap(valuesOf))],
    })),
  );
}

function valuesOf(property: JsonValue): string[] {
  return isJsonObject(property) ? stringsIn(property['value'] ?? null) : [];
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (isJsonArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap((member) => stringsIn(member ?? null)) : [];
}

interface Amount {
  readonly data: PersonalData;
  readonly amount: number;
}

function findIn(values: readonly string[]): Amount[] {
  const found = values.flatMap((value) => findPersonalData(value) ?? []);
  return [...new Set(found)].map((data) => ({ data, amount: found.filter((one) => one === data).length }));
}

function toFound(resource: JudgedResource, { list, index }: Condition, { data, amount }: Amount): Found {
  const condition = list === 'groups' ? { condition: index + 1 } : {};
  const facts = { what: 'no-personal-data', data, amount, ...condition } as const;
  return { facts, ...sourceOf(resource, `/filters/${list}/${index}`) };
}
