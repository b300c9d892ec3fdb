/** Searches people for whom a flag has different values: those that its conditions, and those of its dependencies, name. */

import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonValue } from '../../src/base/json.ts';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import type { FlagValue, Generation, Subject } from '../../src/evaluation/input.ts';
import { matchesProperty } from '../../src/evaluation/match-property.ts';
import type { Flag, Property } from '../../src/posthog/flag/model/flag.ts';
import { NOW } from '../review/impact/support.ts';

const CONTEXT = {
  now: NOW,
  timeZone: 'UTC',
  groupTypes: { 0: 'type 0', 1: 'type 1', 2: 'type 2' },
  cohorts: { 1: { kind: 'static' }, 2: { kind: 'static' }, 3: { kind: 'static' } },
} as const;

interface Asked {
  readonly live: readonly Flag[];
  readonly generation: Generation;
}

/** All values that people were found to have. Those in a holdout do not have the flag. */
export function valuesOf(key: string, { live, generation }: Asked, people: readonly Subject[]): Set<FlagValue> {
  return new Set(
    people.map((subject) => {
      const found = evaluateFlag(key, { flags: live, subject, context: { ...CONTEXT, generation } });
      return found === undefined || found.reason === 'holdout_condition_value' ? false : found.value;
    }),
  );
}

/** People for whom some conditions of the flags match, and others as they come; each with several identifiers, thus several hashes. */
export function searchPeople({ live, generation }: Asked, amount: number): Subject[] {
  const conditions = live.flatMap(conditionsOf);
  const early = live.flatMap(({ filters = {} }) =>
    arrayOrEmpty(filters['super_groups']).flatMap(
      (one) => arrayOrEmpty(objectOrEmpty(one)['properties']) as readonly { readonly key: string }[],
    ),
  );
  const values = [
    ...COMMON,
    ...conditions.flatMap(({ properties }) => [...properties.flatMap(near), ...joined(properties)]),
  ];
  const next = createNumbers(7);
  return Array.from({ length: amount }, (_, index) => {
    const pick = <Value>(list: readonly Value[]): Value | undefined => {
      return list[next() % list.length];
    };
    const chosen = [0, 1, 2].slice(0, index % 4).flatMap(() => pick(conditions) ?? []);
    const places = new Map<string, readonly Property[]>();
    for (const { properties, aggregation } of chosen)
      for (const one of properties) {
        const place = placeOf(one, aggregation);
        places.set(place, [...(places.get(place) ?? []), one]);
      }
    const person = new Map<string, JsonValue>();
    const groups = new Map<number, Map<string, JsonValue>>();
    const give = (place: string, value: JsonValue): void => {
      const [of, name] = JSON.parse(place) as [number | null, string];
      if (of === null) person.set(name, value);
      else groups.set(of, (groups.get(of) ?? new Map<string, JsonValue>()).set(name, value));
    };
    const cohorts = new Set<number>([1, 2, 3].filter(() => pick([true, false]) === true));
    for (const [place, asked] of places) {
      const [of, name] = JSON.parse(place) as [number | string | null, string];
      if (of === 'cohort') {
        for (const { operator } of asked) cohorts[operator === 'not_in' ? 'delete' : 'add'](Number(name));
        continue;
      }
      const matches = (value: JsonValue | undefined): boolean =>
        asked.every(
          (one) =>
            matchesProperty(one, value === undefined ? {} : { [String(one.key)]: value }, {
              ...CONTEXT,
              generation,
            }) === true,
        );
      const found = pick([undefined, ...values].filter(matches));
      if (found !== undefined) give(place, found);
    }
    // Beside what was chosen, anything.
    for (const condition of conditions)
      for (const one of condition.properties) {
        const place = placeOf(one, condition.aggregation);
        const value = pick(values);
        if (!places.has(place) && !place.startsWith('["') && value !== undefined && pick([true, false]) === true)
          give(place, value);
      }
    for (const type of [0, 1, 2].filter((one) => pick([true, true, false]) === true || asks(chosen, one)))
      groups.set(type, groups.get(type) ?? new Map<string, JsonValue>());
    // Who has a property that the older form of early access names is asked, whatever its value.
    for (const { key } of early) if (!person.has(key) && pick([true, false]) === true) person.set(key, 'true');
    for (const { key } of live) {
      const enrolled = pick<JsonValue | undefined>([undefined, undefined, true, false]);
      if (enrolled !== undefined) person.set(`$feature_enrollment/${key}`, enrolled);
    }
    const { distinct_id: own, ...properties } = Object.fromEntries(person);
    const distinctId = typeof own === 'string' && own !== '' ? own : `person ${index}`;
    const all = [...groups].map(([type, ofGroup]) => [`type ${type}`, ofGroup] as const);
    return {
      distinctId,
      personProperties: properties,
      ...(pick([true, false]) === true ? { anonymousId: `anonymous ${index}` } : {}),
      ...(pick([true, true, false]) === true ? { deviceId: `device ${index}` } : {}),
      groups: Object.fromEntries(
        all.map(([type, ofGroup]) => {
          const key = ofGroup.get('$group_key');
          return [type, typeof key === 'string' && key !== '' ? key : `${type} ${index}`];
        }),
      ),
      groupProperties: Object.fromEntries(
        all.map(([type, ofGroup]) => [
          type,
          Object.fromEntries([...ofGroup].filter(([name]) => name !== '$group_key')),
        ]),
      ),
      cohortIds: [...cohorts],
    };
  });
}

function asks(chosen: readonly Asking[], type: number): boolean {
  return chosen.some(({ aggregation }) => aggregation === type);
}

/** The numbers of `minstd`, so that the same people are found again. */
function createNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state >> 3;
  };
}

interface Asking {
  readonly properties: readonly Property[];
  readonly aggregation: number | null;
}

function conditionsOf({ filters }: Flag): Asking[] {
  const all = objectOrEmpty(filters as JsonValue);
  const { aggregation_group_type_index: common = null } = all;
  // Early access is of persons.
  const lists = [
    ...arrayOrEmpty(all['groups']).map((one) => [objectOrEmpty(one), common] as const),
    ...arrayOrEmpty(all['super_groups']).map((one) => [objectOrEmpty(one), null] as const),
  ];
  return lists.map(([condition, usual]) => {
    const { aggregation_group_type_index: aggregation = usual } = condition;
    const properties = arrayOrEmpty(condition['properties']).filter(
      (one) => isJsonObject(one) && one['type'] !== 'flag',
    );
    return {
      properties: properties as unknown as Property[],
      aggregation: typeof aggregation === 'number' ? aggregation : null,
    };
  });
}

/** Whose property it is, and its name, as JSON. */
function placeOf({ type, key, value = null, ...others }: Property, aggregation: number | null): string {
  if (type === 'cohort') return JSON.stringify(['cohort', value]);
  const own = others['group_type_index'];
  const isOfGroup = type === 'group' || (type === undefined && aggregation !== null);
  return JSON.stringify([isOfGroup ? (typeof own === 'number' ? own : aggregation) : null, String(key)]);
}

/** Values that equal what the filter names, and values close to it. */
function near({ value = null }: Property): JsonValue[] {
  return [value].flat().flatMap((one): JsonValue[] => {
    if (one === null || typeof one === 'object') return [];
    const text = String(one);
    return [one, text, text.toUpperCase(), `x${text}`, `${text}x`, `${text}.1`, `ad ${text}`];
  });
}

/** Texts that begin with what one filter names and end with what another one names. */
function joined(properties: readonly Property[]): JsonValue[] {
  const texts = properties.flatMap(({ value = null }) => [value].flat().filter((one) => typeof one === 'string'));
  return texts.flatMap((start) => texts.map((end) => `${start}${end}`));
}

/** What the patterns, numbers, dates and versions of the arbitraries match. */
const COMMON: readonly JsonValue[] = [
  ...['ada', 'acme', 'ada@acme.com', 'US', '5', '0', '-10', '1', '7', '100', '10.25', 'other', ''],
  ...[true, false, 5, 7.5, 1e9, 1],
  ...['2020-01-01', '2024-06-01', '2024-06-01T18:00:00Z', '2024-06-02', '2026-02-27', '2030-01-01', 1_717_243_200],
  ...[
    '0.0.1',
    '0.2.3',
    '0.2.9',
    '1.2.0',
    '1.2.3',
    '1.2.3-alpha',
    '1.2.9',
    '1.2.3-beta.2',
    '1.3.0',
    '1.9.9',
    '2.0.0',
    '3.0.0',
  ],
];
