/** The default export is shorter than `--full` and hides no drift of filters: of every edit of live flags, both show the same. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { fromPointer, toPointer } from '../../../src/base/json-pointer.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { holds } from '../../helpers/runs.ts';
import { planFor } from '../../helpers/states.ts';
import { legacyFlags, soundFilters } from './broken-filters.ts';
import { loadedBack } from './loaded-back.ts';

const VALUES: readonly JsonValue[] = [
  null,
  0,
  50,
  100,
  '',
  'person',
  'group',
  'cohort',
  'exact',
  'in',
  'not_in',
  'is_not',
  true,
  false,
  [],
  ['pro'],
  {},
];

/** Members that somebody may add to a part that lacks them. */
const ADDED = ['rollout_percentage', 'type', 'operator', 'value', 'variant', 'properties', 'description', 'payloads'];

interface Edit {
  /** Chooses among the places of the flag. */
  readonly at: number;
  /** `undefined`: the member is removed. */
  readonly value: JsonValue | undefined;
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({ at: fc.nat(), value: fc.option(fc.constantFrom(...VALUES), { nil: undefined }) }),
  { minLength: 1, maxLength: 30 },
);

const flags = fc.oneof(
  legacyFlags({ minLength: 1, maxLength: 2 }),
  soundFilters.map((filters) => [
    { id: 11, key: 'f', name: '', active: true, deleted: false, tags: [], filters } as Flag,
  ]),
);

test('of every edit of one value of a live flag, the default export shows the drift that the full one shows', () => {
  holds(60, [flags, edits], (live, all) => {
    const [short, full] = [loadedBack(live), loadedBack(live, undefined, { full: true })];
    expect(short.changes).toEqual([]);
    expect(short.exported.notExported).toEqual(full.exported.notExported);
    const below = short.exported.unmanaged.filter(({ member }) => !member.startsWith('fields.'));
    expect(below).toEqual(full.exported.unmanaged);
    for (const edit of all) {
      const [first, ...others] = live;
      const edited = [editedBy(edit, first as Flag), ...others];
      expect({ edit, drift: driftOf(short.desired, edited) }).toEqual({ edit, drift: driftOf(full.desired, edited) });
    }
  });
});

/** What differs, by resource and place; an error is a result, too. */
function driftOf(desired: DesiredState, flags: readonly Flag[]): readonly string[] {
  try {
    const { changes, warnings } = planFor(desired, { flags, roleAccess: {} });
    return [
      ...changes.flatMap(({ ref, action, ...change }) => {
        const fields = 'fields' in change ? change.fields : [];
        return [`${action} ${ref}`, ...fields.map(({ path }) => `${ref} ${path}`)];
      }),
      ...warnings.map(({ code }) => code),
    ];
  } catch (error) {
    return [String(error)];
  }
}

/** Edits a value below `filters`, or adds a member there. */
function editedBy({ at, value }: Edit, flag: Flag): Flag {
  const places = placesIn(flag.filters as JsonValue, ['filters']);
  const place = places[at % places.length] ?? '/filters';
  return withValue({ ...flag } as JsonObject, fromPointer(place), value) as unknown as Flag;
}

function placesIn(value: JsonValue | undefined, path: readonly string[]): string[] {
  if (isJsonArray(value)) return value.flatMap((one, index) => placesIn(one, [...path, String(index)]));
  if (!isJsonObject(value)) return [toPointer(path)];
  const added = path.includes('groups') ? ADDED.filter((name) => !Object.hasOwn(value, name)) : [];
  return [
    ...Object.entries(value).flatMap(([name, member]) => placesIn(member as JsonValue, [...path, name])),
    ...added.map((name) => toPointer([...path, name])),
  ];
}

function withValue(
  around: JsonValue | undefined,
  [name, ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonValue | undefined {
  if (name === undefined) return value;
  if (isJsonArray(around)) {
    return around.flatMap((one, index) => {
      const edited = index === Number(name) ? withValue(one, rest, value) : one;
      return edited === undefined ? [] : [edited];
    });
  }
  const { [name]: former, ...others } = (around ?? {}) as JsonObject;
  const edited = withValue(former, rest, value);
  return edited === undefined ? others : { ...others, [name]: edited };
}

test('the short form omits what means the same when it is absent, and nothing else', () => {
  const filters = {
    groups: [
      {
        properties: [
          { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] },
          { key: 'id', type: 'cohort', operator: 'in', value: 42 },
          { key: 'id', type: 'cohort', operator: 'not_in', value: 42 },
        ],
        rollout_percentage: 100,
      },
      {
        aggregation_group_type_index: 0,
        properties: [{ key: 'name', type: 'group', group_type_index: 0, operator: 'exact', value: 'a' }],
        rollout_percentage: 5,
      },
      { properties: [], rollout_percentage: 100 },
    ],
    payloads: { true: '1' },
  };
  const live = [{ id: 1, key: 'a', name: '', active: true, tags: [], archived: false, filters } as unknown as Flag];
  expect(loadedBack(live).exported.files[0]?.text).toBe(`flags:
  a:
    description: ""
    active: true
    filters:
      groups:
        - properties:
            - { key: plan, value: [pro] }
            - { key: id, type: cohort, value: beta-testers }
            - { key: id, type: cohort, operator: not_in, value: beta-testers }
        - aggregation_group_type_index: 0
          properties: [{ key: name, type: group, group_type_index: 0, value: a }]
          rollout_percentage: 5
        - rollout_percentage: 100
      payloads: { "true": 1 }
    tags: []
`);
});
