/** `no-personal-data`: no condition of a flag or a cohort names people by their e-mail addresses or phone numbers. */

import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { leavesOf } from '../../posthog/cohort/references.ts';
import { matchPermits } from '../../engine/scope.ts';
import type { PersonalData } from '../finding.ts';
import type { Found, JudgedResource, Rule } from '../judged.ts';
import { findPersonalData } from '../personal-data.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';

export const noPersonalData: Rule<PolicyFor<'no-personal-data'>> = (resource, { allow }) => {
  const { before, after } = resource.cohort ?? resource;
  const placesIn = resource.cohort === undefined ? conditionsOf : definitionOf;
  if (after === undefined) return [];
  const isAllowed = matchPermits(allow);
  const had = new Set(before === undefined ? [] : placesIn(before).flatMap(({ values }) => values));
  return placesIn(after).flatMap((found) => {
    const values = found.values.filter((value) => !had.has(value) && !isAllowed(value));
    return findIn(values).map((amount) => toFound(resource, found, amount));
  });
};

/** Where values are: a condition of a flag, with its number among the release conditions, or the definition of a cohort. */
interface Values {
  readonly pointer: string;
  readonly condition?: number;
  readonly values: readonly string[];
}

function conditionsOf({ filters }: JsonObject): Values[] {
  return (['groups', 'super_groups'] as const).flatMap((list) =>
    arrayOrEmpty(objectOrEmpty(filters)[list]).map((condition, index) => ({
      pointer: `/filters/${list}/${index}`,
      ...(list === 'groups' ? { condition: index + 1 } : {}),
      values: [...new Set(arrayOrEmpty(objectOrEmpty(condition)['properties']).flatMap(valuesOf))],
    })),
  );
}

function definitionOf({ filters }: JsonObject): Values[] {
  return [{ pointer: '/filters', values: [...new Set(leavesOf(filters).flatMap(valuesOf))] }];
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

function toFound(resource: JudgedResource, { pointer, condition }: Values, { data, amount }: Amount): Found {
  const facts = { what: 'no-personal-data', data, amount, ...defined({ condition }) } as const;
  return { facts, ...sourceOf(resource, pointer) };
}
