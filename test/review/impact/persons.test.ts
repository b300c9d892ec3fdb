/** The people of a file: how they are read, and what becomes of them by a plan. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { findImpact, type Circumstances } from '../../../src/review/impact/find-impact.ts';
import type { Impact, PersonCounts } from '../../../src/review/effects/impact.ts';
import { countPersons } from '../../../src/review/impact/persons/count-persons.ts';
import { readPersons } from '../../../src/review/impact/persons/read-persons.ts';
import { holdoutHash, rolloutHash, variantHash } from '../../../src/evaluation/hash.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { NOW } from './support.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const IN_COHORT = { key: 'id', type: 'cohort', operator: 'in', value: 7 };
const conditions = (...groups: readonly JsonObject[]): JsonObject => ({ filters: { groups } });
const GOLD = { key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: ['gold'] };
const ACME = { ...GOLD, key: '$group_key', value: ['acme'] };
const ofGroups = (...groups: readonly JsonObject[]): JsonObject => ({
  filters: { aggregation_group_type_index: 0, groups },
});
const UNTYPED = { key: 'tier', operator: 'exact', value: ['gold'] };
const ENROLLED_AND_OTHERS = [true, 'true', false, 'no', undefined].map((value, index): JsonObject => ({
  id: `u${index}`,
  properties: value === undefined ? {} : { '$feature_enrollment/a': value },
}));
const ON_FOR_US: readonly [JsonObject, JsonObject] = [
  conditions({ properties: [US], rollout_percentage: 0 }),
  conditions({ properties: [US], rollout_percentage: 100 }),
];

async function* chunksOf(content: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Given {
  readonly name?: string;
  readonly fields?: readonly [JsonObject, JsonObject];
}

async function counting(
  content: string | Uint8Array,
  { name = 'p.csv', fields = ON_FOR_US }: Given = {},
): Promise<Impact> {
  const live = [liveFlag(1, 'a', fields[0])];
  const plan = planFor(desiredState(declared('a', fields[1])), liveState(live));
  const circumstances: Circumstances = { generation: 'rust-2026', now: NOW };
  const planned = { ...plan, live };
  const size = content.length > 1e5 ? 65_536 : 7;
  const entries = readPersons(chunksOf(content, size), name);
  return countPersons(findImpact(planned, circumstances), entries, { planned, circumstances });
}

async function outcomes(content: string, fields: readonly [JsonObject, JsonObject]): Promise<Partial<PersonCounts>> {
  const { flags } = await counting(content, { name: 'p.jsonl', fields });
  return Object.fromEntries(Object.entries(flags[0]?.persons ?? {}).filter(([, count]) => count > 0));
}

const json = (...people: readonly JsonObject[]): string => people.map((one) => `${JSON.stringify(one)}\n`).join('');
const split = (first: number): JsonObject => ({
  variants: [
    { key: 'x', rollout_percentage: first },
    { key: 'y', rollout_percentage: 100 - first },
  ],
});

describe('countPersons', () => {
  it.each<[string, readonly JsonObject[], readonly [JsonObject, JsonObject], Partial<PersonCounts>]>([
    [
      'people who are asked for by an unknown operator: another condition may decide them',
      [
        { id: 'a', properties: { country: 'US' } },
        { id: 'b', properties: { country: 'DE' } },
      ],
      [
        conditions({ properties: [US], rollout_percentage: 100 }),
        conditions(
          { properties: [US], rollout_percentage: 100 },
          { properties: [{ ...US, operator: 'sounds_like' }], rollout_percentage: 100 },
        ),
      ],
      { unchanged: 1, undecided: 1 },
    ],
    [
      'people by their property',
      [
        { id: 'a', properties: { country: 'US' } },
        { id: 'b', properties: { country: 'DE' } },
        { id: 'c', properties: {} },
      ],
      ON_FOR_US,
      { turnsOn: 1, unchanged: 1, undecided: 1 },
    ],
    [
      'people who are turned off',
      [{ id: 'a', properties: { country: 'US' } }],
      [ON_FOR_US[1], ON_FOR_US[0]],
      { turnsOff: 1 },
    ],
    [
      'another variant',
      [{ id: 'a' }],
      [{ filters: { groups: [{}], multivariate: split(100) } }, { filters: { groups: [{}], multivariate: split(0) } }],
      { changesVariant: 1 },
    ],
    [
      'another payload',
      [{ id: 'a' }],
      [{ filters: { groups: [{}], payloads: { true: '1' } } }, { filters: { groups: [{}], payloads: { true: '2' } } }],
      { changesPayload: 1 },
    ],
    [
      'an unknown property that decides nothing, since the condition stays',
      [{ id: 'a' }],
      [conditions({ properties: [US] }, { rollout_percentage: 0 }), conditions({ properties: [US] })],
      { unchanged: 1 },
    ],
    [
      'a cohort that is known, known to be none, and unknown',
      [{ id: 'a', cohorts: [7] }, { id: 'b', cohorts: [] }, { id: 'c' }],
      [conditions({ rollout_percentage: 0 }), conditions({ rollout_percentage: 0 }, { properties: [IN_COHORT] })],
      { turnsOn: 1, unchanged: 1, undecided: 1 },
    ],
    [
      'a group that is known and unknown',
      [
        { id: 'a', groups: { '0': 'acme' } },
        { id: 'b', groups: { '1': 'acme' } },
      ],
      [
        { filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 0 }] } },
        { filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 100 }] } },
      ],
      { turnsOn: 1, undecided: 1 },
    ],
    [
      'people by the properties of their group',
      [
        { id: 'a', groups: { '0': 'acme' }, group_properties: { '0': { tier: 'gold' } } },
        { id: 'b', groups: { '0': 'other' }, group_properties: { '0': { tier: 'free' } } },
        { id: 'c', groups: { '0': 'acme' } },
        { id: 'd', groups: { '0': null } },
        { id: 'e' },
        { id: 'f', group_properties: { '0': { tier: 'gold' } } },
      ],
      [ofGroups({ properties: [GOLD], rollout_percentage: 0 }), ofGroups({ properties: [GOLD] })],
      { turnsOn: 2, unchanged: 2, undecided: 2 },
    ],
    [
      'people whose group is known but not its key, by a share of the groups',
      [{ id: 'a', group_properties: { '0': { tier: 'gold' } } }],
      [
        ofGroups({ properties: [GOLD], rollout_percentage: 0 }),
        ofGroups({ properties: [GOLD], rollout_percentage: 50 }),
      ],
      { undecided: 1 },
    ],
    [
      'people by the key of their group',
      [
        { id: 'a', groups: { '0': 'acme' } },
        { id: 'b', groups: { '0': 'other' } },
        { id: 'c', group_properties: { '0': { tier: 'gold' } } },
      ],
      [ofGroups({ properties: [ACME], rollout_percentage: 0 }), ofGroups({ properties: [ACME] })],
      { turnsOn: 1, unchanged: 1, undecided: 1 },
    ],
    [
      'a device, which the file never says',
      [{ id: 'a' }],
      [
        { bucketing_identifier: 'device_id', ...conditions({ rollout_percentage: 0 }) },
        conditions({ rollout_percentage: 50 }),
      ],
      { undecided: 1 },
    ],
    [
      'early access that is known and unknown',
      [{ id: 'a', properties: { '$feature_enrollment/a': true } }, { id: 'b' }],
      [
        { filters: { feature_enrollment: true, groups: [{ rollout_percentage: 0 }] } },
        { filters: { feature_enrollment: true, groups: [{ rollout_percentage: 100 }] } },
      ],
      { unchanged: 1, undecided: 1 },
    ],
    [
      'early access: who enrolled gets the flag, also where a file says so in a text',
      ENROLLED_AND_OTHERS,
      [
        { filters: { feature_enrollment: false, groups: [{ rollout_percentage: 0 }] } },
        { filters: { feature_enrollment: true, groups: [{ rollout_percentage: 0 }] } },
      ],
      { turnsOn: 2, unchanged: 2, undecided: 1 },
    ],
    [
      'early access: who declined loses the flag',
      ENROLLED_AND_OTHERS,
      [
        { filters: { feature_enrollment: false, groups: [{ rollout_percentage: 100 }] } },
        { filters: { feature_enrollment: true, groups: [{ rollout_percentage: 100 }] } },
      ],
      { turnsOff: 2, unchanged: 2, undecided: 1 },
    ],
    [
      'the older form of early access',
      ENROLLED_AND_OTHERS,
      [
        { filters: { groups: [{ rollout_percentage: 0 }] } },
        {
          filters: {
            groups: [{ rollout_percentage: 0 }],
            super_groups: [{ properties: [{ ...US, key: '$feature_enrollment/a', value: ['true'] }] }],
          },
        },
      ],
      { turnsOn: 2, unchanged: 2, undecided: 1 },
    ],
    [
      'a device of two flags that come and go by it',
      [{ id: 'a' }],
      [
        { bucketing_identifier: 'device_id', ...conditions({ rollout_percentage: 50 }) },
        { bucketing_identifier: 'device_id', ...conditions({ rollout_percentage: 100 }) },
      ],
      { undecided: 1 },
    ],
    [
      'a filter on the distinct id',
      [{ id: 'ada' }, { id: 7 }],
      [
        conditions({ properties: [{ ...US, key: 'distinct_id', value: ['ada'] }], rollout_percentage: 0 }),
        conditions({ properties: [{ ...US, key: 'distinct_id', value: ['ada'] }] }),
      ],
      { turnsOn: 1, unchanged: 1 },
    ],
    [
      'a filter without a type, which is about what its condition is about',
      [{ id: 'a', properties: { tier: 'gold' } }, { id: 'b', properties: { tier: 'free' } }, { id: 'c' }],
      [conditions({ properties: [UNTYPED], rollout_percentage: 0 }), conditions({ properties: [UNTYPED] })],
      { turnsOn: 1, unchanged: 1, undecided: 1 },
    ],
    [
      'a filter without a type in a condition on groups',
      [
        { id: 'a', groups: { '0': 'x' }, group_properties: { '0': { tier: 'gold' } } },
        { id: 'b', properties: { tier: 'gold' }, groups: { '0': 'x' } },
        { id: 'c', groups: { '0': null } },
        { id: 'd', properties: { tier: 'gold' } },
      ],
      [ofGroups({ properties: [UNTYPED], rollout_percentage: 0 }), ofGroups({ properties: [UNTYPED] })],
      { turnsOn: 1, unchanged: 1, undecided: 2 },
    ],
    [
      'filters that only the service evaluates',
      [{ id: 'a' }],
      [{ filters: { version: 2, rules: [] } }, { active: false }],
      { undecided: 1 },
    ],
    [
      'a flag that stays disabled',
      [{ id: 'a' }],
      [{ active: false, ...conditions({ rollout_percentage: 0 }) }, conditions({ rollout_percentage: 100 })],
      { unchanged: 1 },
    ],
  ])('%s', async (_, people, fields, expected) => {
    expect(await outcomes(json(...people), fields)).toEqual(expected);
  });

  it('hashes people as the service does', async () => {
    const ids = Array.from({ length: 2000 }, (_, index) => `u-${index}`);
    const wanted = ids.filter((id) => rolloutHash('a', id) > 0.1 && rolloutHash('a', id) <= 0.35).length;
    const fields = [conditions({ rollout_percentage: 10 }), conditions({ rollout_percentage: 35 })] as const;
    expect(await outcomes(json(...ids.map((id) => ({ id }))), fields)).toEqual({
      turnsOn: wanted,
      unchanged: ids.length - wanted,
    });
  });
});

it('hashes people for their variant as the service does', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `u-${index}`);
  const hashes = ids.map((id) => variantHash('a', id));
  const moved = hashes.filter((hash) => hash >= 0.2 && hash < 0.5).length;
  const of = (first: number): JsonObject => ({ filters: { groups: [{}], multivariate: split(first) } });
  expect(await outcomes(json(...ids.map((id) => ({ id }))), [of(50), of(20)])).toEqual({
    changesVariant: moved,
    unchanged: ids.length - moved,
  });
});

it('hashes people for a holdout as the service does', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => `u-${index}`);
  const held = ids.filter((id) => holdoutHash(id) <= 0.4).length;
  const of = (share: number): JsonObject => ({
    filters: { groups: [{ rollout_percentage: 100 }], holdout: { id: 1, exclusion_percentage: share } },
  });
  expect(held).toBeGreaterThan(50);
  expect(await outcomes(json(...ids.map((id) => ({ id }))), [of(0), of(40)])).toEqual({
    changesVariant: held,
    unchanged: ids.length - held,
  });
});

describe('readPersons', () => {
  it('reads CSV with a byte order mark, CRLF, quotes, cells of several lines and empty lines', async () => {
    const text =
      '\uFEFF"distinct_id",country,"a ""note""",groups.0\r\n1,US,"x, ""y""\r\nz",\r\n\r\n2,"US",,acme\r\n3,DE,,';
    const { flags, persons } = await counting(text);
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 2, unchanged: 1, undecided: 0 });
    expect(persons).toMatchObject({ counted: 3, malformed: { count: 0 } });
  });

  it('leaves out a byte order mark at the start of a file, and nowhere else', async () => {
    const mark = '\uFEFF';
    const { persons } = await counting(`${mark}${json({ id: 'a' })}${mark}${json({ id: 'b' })}`, { name: 'p.jsonl' });
    expect(persons).toMatchObject({ counted: 1, malformed: { count: 1, first: [2] } });
  });

  it('knows nothing of a group with an empty key and without properties', async () => {
    const toAll = [ofGroups({ rollout_percentage: 0 }), ofGroups({ rollout_percentage: 100 })] as const;
    expect(await outcomes(json({ id: 'a', groups: { '0': '' } }), toAll)).toEqual({ undecided: 1 });
    expect(await outcomes(json({ id: 'a', groups: { '0': null } }), toAll)).toEqual({ unchanged: 1 });
    expect(await outcomes(json({ id: 'a', groups: { '0': 'x' } }), toAll)).toEqual({ turnsOn: 1 });
  });

  it('tells the key of a group from its properties, in any order of the columns', async () => {
    const fields = [ofGroups({ properties: [ACME], rollout_percentage: 0 }), ofGroups({ properties: [ACME] })] as const;
    for (const text of [
      'id,groups.0.tier,groups.0\n1,acme,x\n2,x,acme\n3,y,acme\n',
      'id,groups.0,groups.0.tier\n1,x,acme\n2,acme,x\n3,acme,y\n',
    ]) {
      expect((await counting(text, { fields })).flags[0]?.persons).toMatchObject({ turnsOn: 2, unchanged: 1 });
    }
  });

  it('reads keys and properties of groups from columns', async () => {
    const fields = [ofGroups({ properties: [GOLD], rollout_percentage: 0 }), ofGroups({ properties: [GOLD] })] as const;
    const { flags } = await counting('id,groups.0.tier,groups.0\n1,gold,acme\n2,free,b\n3,,c\n4,gold,\n5,,\n', {
      fields,
    });
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 2, unchanged: 1, undecided: 2 });
  });

  it('does not know whether a person with empty cells is in a group', async () => {
    const { flags } = await counting('id,groups.0.tier,groups.0\n1,,acme\n2,,\n', {
      fields: [ofGroups({ rollout_percentage: 0 }), ofGroups({ rollout_percentage: 100 })],
    });
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 1, undecided: 1 });
  });

  it('takes the columns of groups for no property of the person', async () => {
    const named = (key: string): readonly [JsonObject, JsonObject] => [
      conditions({ properties: [{ ...US, key }], rollout_percentage: 0 }),
      conditions({ properties: [{ ...US, key }] }),
    ];
    const text = 'id,groups.0.tier,groups.0,groups,ungrouped.groups.\n1,US,US,US,US\n';
    const of = async (key: string): Promise<unknown> =>
      (await counting(text, { fields: named(key) })).flags[0]?.persons;
    expect(await of('groups.0.tier')).toMatchObject({ undecided: 1 });
    expect(await of('groups.0')).toMatchObject({ undecided: 1 });
    expect(await of('groups')).toMatchObject({ turnsOn: 1 });
    expect(await of('ungrouped.groups.')).toMatchObject({ turnsOn: 1 });
  });

  it.each([
    ['a.jsonl', '{"id": "x"}\n', 1, 0],
    ['a.NDJSON', '{"id": "x"}\n', 1, 0],
    ['a.jsonl.txt', '  {"id": "x"}\n', 1, 0],
    ['a', '{"id": "x"}\n"id": "y"\n', 1, 1],
    ['a.CSV', '{id,id\n1,2\n', 1, 0],
    ['a.jsonl', 'id\nx\n', 0, 2],
    ['a.csv', '"distinct_id" , id \nx,y\n', 0, 0],
  ])('reads %s that begins with %j', async (name, text, counted, malformed) => {
    const read = counting(text, { name });
    if (counted + malformed === 0) await expect(read).rejects.toThrow(`${name}:1:`);
    else expect((await read).persons).toMatchObject({ counted, malformed: { count: malformed } });
  });

  it('takes the distinct id for the id where a file has both, in a column of any place', async () => {
    const twice = async (text: string, name?: string): Promise<unknown> =>
      (await counting(text, name === undefined ? {} : { name })).persons;
    expect(await twice('id,country,distinct_id\n1,US,a\n2,US,a\n')).toMatchObject({
      counted: 1,
      duplicate: { count: 1 },
    });
    const lines = json({ id: 1, distinct_id: 'a' }, { id: 2, distinct_id: 'a' }, { id: 1 });
    expect(await twice(lines, 'p.jsonl')).toMatchObject({ counted: 2, duplicate: { count: 1, first: [2] } });
  });

  it('counts the lines of a quoted cell that the end of the file leaves open, and an end of line begins none', async () => {
    for (const end of ['', '\n']) {
      const { persons } = await counting(`id,country\n1,US\n2,"US\nDE${end}`);
      expect(persons).toMatchObject({ counted: 1, malformed: { count: 2, first: [3, 4] } });
    }
  });

  it('goes on after a first line of JSON that cannot be read', async () => {
    const text = Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(json({ id: 'a' }))]);
    expect((await counting(text, { name: 'p.jsonl' })).persons).toMatchObject({
      counted: 1,
      malformed: { count: 1, first: [1] },
    });
  });

  it('reads a quoted cell of 1,000 lines, and none of more', async () => {
    const cell = (lines: number): string => `id,country\n1,"${'x\n'.repeat(lines - 1)}x"\n2,US\n`;
    expect((await counting(cell(999))).persons).toMatchObject({ counted: 2, malformed: { count: 0 } });
    expect((await counting(cell(1000))).persons).toMatchObject({ counted: 2, malformed: { count: 0 } });
    expect((await counting(cell(1001))).persons).toMatchObject({ malformed: { count: 1001 } });
  });

  it('leaves out columns without a name', async () => {
    const { flags } = await counting('id,,country,\n1,x,US,\n2,,DE,y\n');
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 1, unchanged: 1 });
  });

  it('names duplicates, missing ids and malformed lines by line, the first five', async () => {
    const text = [
      'id,country',
      ...['1,US', '1,DE', ',US', '2', '3,US,more', '4,a"b', '5,"US" ', '6,US', '"7"x,US', '8'],
    ].join('\n');
    expect((await counting(text)).persons).toEqual({
      source: 'file',
      counted: 2,
      duplicate: { count: 1, first: [3] },
      withoutId: { count: 1, first: [4] },
      malformed: { count: 6, first: [5, 6, 7, 8, 10] },
    });
  });

  it('counts every line of a quoted cell that does not end, and goes on after it', async () => {
    const text = `id,country\n1,US\n2,"US\n${'3,US\n'.repeat(1500)}`;
    expect((await counting(text)).persons).toEqual({
      source: 'file',
      counted: 2,
      duplicate: { count: 500, first: [1004, 1005, 1006, 1007, 1008] },
      withoutId: { count: 0, first: [] },
      malformed: { count: 1000, first: [3, 4, 5, 6, 7] },
    });
  });

  it.each([
    'nonsense',
    '[]',
    '1',
    '{"id":true}',
    '{"id":1,"properties":[]}',
    '{"id":1,"groups":{"company":"x"}}',
    '{"id":1,"groups":{"0":true}}',
    '{"id":1,"group_properties":{"0":7}}',
    '{"id":1,"group_properties":[]}',
    '{"id":1,"groups":{"0":null},"group_properties":{"0":{}}}',
    '{"id":1,"cohorts":7}',
    '{"id":1,"cohorts":[7,true]}',
  ])('takes the JSON line %s as malformed', async (line) => {
    expect((await counting(`{"id":9}\n${line}\n{"id":"9"}\n{"properties":{}}\n`, { name: 'people' })).persons).toEqual({
      source: 'file',
      counted: 1,
      duplicate: { count: 1, first: [3] },
      withoutId: { count: 1, first: [4] },
      malformed: { count: 1, first: [2] },
    });
  });

  it('takes a line that is not UTF-8 as malformed', async () => {
    const text = Buffer.concat([Buffer.from('id,country\n1,'), Buffer.from([0xff, 0xfe]), Buffer.from('\n2,US\n')]);
    expect((await counting(text)).persons).toMatchObject({ counted: 1, malformed: { count: 1, first: [2] } });
  });

  it('reads a line of 1 MB, and none of more than 16 MiB', async () => {
    const text = `id,country\n1,"${'x""'.repeat(4e5)}"\n2,${'y'.repeat(17 * 1024 * 1024)}\n3,US\n`;
    const { flags, persons } = await counting(text);
    expect(persons).toMatchObject({ counted: 2, malformed: { count: 1, first: [3] } });
    expect(flags[0]?.persons).toMatchObject({ turnsOn: 1, unchanged: 1 });
  });

  it.each([
    ['', 'p.csv is empty.'],
    ['\n\n', 'p.csv is empty.'],
    ['name,country\n1,US\n', 'p.csv:1: No column is named distinct_id or id.'],
    ['id,country,country\n', 'p.csv:1: Column 3 has the name of an earlier column.'],
    ['id,country\r1,US\r', 'p.csv:1: The lines end with a carriage return only.'],
    ['id,groups.company\n', 'p.csv:1: Column 2 has an unknown group type.'],
    ['id,groups.0.\n', 'p.csv:1: Column 2 has an unknown group type.'],
    ['id,groups.0.tier,groups.0.tier\n', 'p.csv:1: Column 3 has the name of an earlier column.'],
    [Buffer.from([0xff, 0xfe, 0x69, 0x00]), 'p.csv:1: The first line cannot be read.'],
  ])('refuses %j', async (content, message) => {
    await expect(counting(content)).rejects.toThrow(message);
  });
});
