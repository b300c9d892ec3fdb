/** An update of filters keeps all members that plans do not compare. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { fromPointer } from '../../src/base/json-pointer.ts';
import { canonicalFlag, TOLERANCES } from '../../src/posthog/flag/model/canonical.ts';
import { sentForm } from '../../src/posthog/flag/find-changes.ts';
import { filters } from '../helpers/arbitraries.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { declared, desiredState } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

/** The table's paths within filters; `*` is any element. */
const CARRIED = TOLERANCES.filter(({ treat }) => treat.kind === 'carried').map(({ path }) =>
  fromPointer(path).slice(1),
);

/** The value with a unique string at each place; strings begin with the path, so that they can be found again. */
function planted(value: JsonValue, path: readonly string[], at: string): JsonValue {
  const [segment = '', ...rest] = path;
  if (segment === '*') {
    return isJsonArray(value) ? value.map((one, index) => planted(one, rest, `${at}/${index}`)) : value;
  }
  if (!isJsonObject(value)) return value;
  const member = value[segment];
  if (rest.length === 0) return { ...value, [segment]: `${at}/${segment}` };
  return member === undefined ? value : { ...value, [segment]: planted(member, rest, `${at}/${segment}`) };
}

/** Distinguishable conditions and properties. */
function distinct(value: JsonObject): JsonObject {
  const groups = (value['groups'] as JsonObject[]).map((group, index) => ({
    ...group,
    description: `condition ${index}`,
    properties: ((group['properties'] ?? []) as JsonObject[]).map((property, place) =>
      property['type'] === 'cohort'
        ? { ...property, value: [42, 43, 57][place] ?? 42 }
        : { ...property, key: `${property['key'] as string}-${place}` },
    ),
  }));
  return { ...value, groups };
}

type Groups = readonly JsonObject[];
const added = (group: JsonObject | undefined): JsonObject => ({
  ...group,
  description: 'added',
  rollout_percentage: 7,
});

/** Typical edits of conditions, by two numbers. */
const EDITS: readonly [name: string, edit: (groups: Groups, a: number, b: number) => Groups][] = [
  ['a condition removed', (groups, a) => groups.toSpliced(a % groups.length, 1)],
  ['a condition added', (groups, a) => groups.toSpliced(a % (groups.length + 1), 0, added(groups[0]))],
  ['a condition moved', (groups, a, b) => move(groups, a % groups.length, b % groups.length)],
  [
    'a rollout changed',
    (groups, a) => groups.with(a % groups.length, { ...groups[a % groups.length], rollout_percentage: 12.5 }),
  ],
  [
    'a property removed',
    (groups, a, b) => groups.with(a % groups.length, withoutProperty(groups[a % groups.length] as JsonObject, b)),
  ],
];

function move(groups: Groups, from: number, to: number): Groups {
  const rest = groups.toSpliced(from, 1);
  return rest.toSpliced(to, 0, groups[from] as JsonObject);
}

function withoutProperty(group: JsonObject, index: number): JsonObject {
  const properties = group['properties'] as JsonObject[];
  return { ...group, properties: properties.toSpliced(index % Math.max(1, properties.length), 1) };
}

/** The planted strings of a condition: of the condition itself, and of each property by its key. */
function textsOf(group: JsonObject): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  for (const path of CARRIED) {
    const [, , member = '', , inner = ''] = path;
    if (path.length === 3) found.set(member, group[member] ?? null);
    else {
      for (const property of group[member] as JsonObject[]) {
        found.set(`${canonicalProperty(property)} ${inner}`, property[inner] ?? null);
      }
    }
  }
  return found;
}

function canonicalProperty(property: JsonObject): string {
  return canonicalText(canonicalFlag({ filters: { groups: [{ properties: [property] }] } }));
}

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(profile);
  });
  afterAll(() => world.close());
  let serial = 0;

  it.each(EDITS)('members that are not compared survive: %s', (_name, edit) =>
    holdsAsync(12, [filters(), fc.nat(), fc.nat()], async (given, a, b) => {
      serial += 1;
      const key = `f${serial}`;
      const before = distinct(given);
      await world.apply(await world.plan(desiredState(declared(key, { filters: before }))));
      const carrying = CARRIED.reduce((value, path) => planted(value, path, '') as JsonObject, before);
      // Newer services drop the label of a condition here, which does no harm.
      const edited = (await world.edit(key, sentForm({ filters: carrying }))) as JsonObject;
      const kept = (edited['filters'] as JsonObject)['groups'] as Groups;
      expect(kept.map(({ sort_key: text }) => text)).toEqual(kept.map((_, index) => `/groups/${index}/sort_key`));

      const after = { ...before, groups: edit(before['groups'] as Groups, a, b) };
      fc.pre(after.groups.length > 0);
      const result = await world.apply(await world.plan(desiredState(declared(key, { filters: after }))));
      expect(result).toMatchObject({ remainder: [], verified: true });

      const live = (await world.live()).flags.find((flag) => flag.key === key) as JsonObject;
      const expected = new Map(kept.map((group) => [group['description'], textsOf(group)]));
      for (const group of (live['filters'] as JsonObject)['groups'] as Groups) {
        const texts = expected.get(group['description']);
        if (texts === undefined) continue;
        for (const [place, text] of textsOf(group)) expect([place, text]).toEqual([place, texts.get(place)]);
      }
    }),
  );
});

it('the test covers every carried place', () => {
  expect(CARRIED.length).toBeGreaterThan(0);
  for (const path of CARRIED) {
    expect(path.slice(0, 2)).toEqual(['groups', '*']);
    expect([3, 5]).toContain(path.length);
  }
});
