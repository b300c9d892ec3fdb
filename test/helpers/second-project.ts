/** Two projects with two thirds of their flags in common: the second is made from the first by changes that a table decides. */

import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { isJsonArray, isJsonObject } from '../../src/base/json.ts';
import { rolledOut } from './states.ts';

const COHORT_NAMES: ReadonlyMap<number, string> = new Map([
  [42, 'Beta testers'],
  [57, 'Power users'],
]);

const ROLES = ['Engineering', 'Growth'].map((name, index) => ({
  id: `0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c${index + 1}${index + 1}`,
  name,
}));

/** The seeds of both projects, with `size` flags each. */
export function twoProjects(size: number): readonly [JsonObject, JsonObject] {
  const text = readFileSync(new URL('../fixtures/flags-today.json', import.meta.url), 'utf8');
  const flags = (JSON.parse(text) as { results: JsonObject[] }).results.slice(0, size);
  const own = new Set(flags.flatMap(({ filters }) => cohortsIn(filters ?? null)));
  const cohorts = [...own].map((id): [number, number, string] => [
    id,
    id + 1000,
    COHORT_NAMES.get(id) ?? `Cohort no. ${id}`,
  ]);
  const second = flags.map((flag, index) => (index < (size * 2) / 3 ? change(flag, index) : rename(flag)));
  const toSecond = new Map(cohorts.map(([first, other]) => [first, other]));
  const access = (index: number): number => index % ROLES.length;
  return [
    {
      flags,
      roles: ROLES,
      cohorts: cohorts.map(([id, , name]) => ({ id, name })),
      role_access: flags
        .filter((_, index) => index % 10 === 0)
        .map(({ key }, index) => ({ flag: key ?? null, role: ROLES[access(index)]?.name ?? '' })),
    },
    {
      flags: second.map((flag) => ({
        ...flag,
        id: Number(flag['id']) + 5000,
        filters: withCohorts(flag['filters'] ?? null, toSecond),
      })),
      roles: ROLES,
      cohorts: cohorts.map(([, id, name]) => ({ id, name })),
      role_access: second
        .filter((_, index) => index % 15 === 0)
        .map(({ key }, index) => ({ flag: key ?? null, role: ROLES[access(index)]?.name ?? '' })),
    },
  ];
}

/** Every change that an overlay can say, and none for most flags. */
const CHANGES: readonly ((flag: JsonObject) => JsonObject)[] = [
  ({ active }) => ({ active: active !== true }),
  ({ filters }) => ({ filters: { ...(isJsonObject(filters) ? filters : {}), ...rolledOut(7) } }),
  () => ({ filters: { ...rolledOut(50), multivariate: null, payloads: { true: '{"a": [1]}' } } }),
  () => ({ name: 'Only "here":\n # of course', tags: ['second', 'yes'] }),
  () => ({ tags: [], name: '' }),
  () => ({ evaluation_runtime: 'server', ensure_experience_continuity: true, bucketing_identifier: 'distinct_id' }),
  ({ filters }) => ({ filters: reversed(filters ?? null) }),
];

function change(flag: JsonObject, index: number): JsonObject {
  const apply = CHANGES[index % (CHANGES.length * 2)];
  return apply === undefined ? flag : { ...flag, ...apply(flag) };
}

function rename(flag: JsonObject): JsonObject {
  const { key } = flag;
  return { ...flag, key: `second-${typeof key === 'string' ? key : ''}` };
}

function reversed(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters) || !isJsonArray(filters['groups'])) return filters;
  return { ...filters, groups: [...filters['groups'].toReversed(), { properties: [], rollout_percentage: 3 }] };
}

function cohortsIn(value: JsonValue): number[] {
  if (isJsonArray(value)) return value.flatMap(cohortsIn);
  if (!isJsonObject(value)) return [];
  if (value['type'] === 'cohort') return typeof value['value'] === 'number' ? [value['value']] : [];
  return Object.values(value).flatMap((member) => cohortsIn(member ?? null));
}

function withCohorts(value: JsonValue, ids: ReadonlyMap<number, number>): JsonValue {
  if (isJsonArray(value)) return value.map((element) => withCohorts(element, ids));
  if (!isJsonObject(value)) return value;
  const { value: id } = value;
  if (value['type'] === 'cohort' && typeof id === 'number') return { ...value, value: ids.get(id) ?? id };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withCohorts(member ?? null, ids)]));
}
