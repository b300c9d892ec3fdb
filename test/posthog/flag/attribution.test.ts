/** The replay of an activity log, as PostHog writes it, over the differences of a comparison. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonEquals, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Attribution, OwnWrite } from '../../../src/posthog/authors/attribution.ts';
import { loggedFlag, soughtIn } from '../../../src/posthog/flag/explain.ts';
import { comparableFlag } from '../../../src/posthog/flag/comparison.ts';
import type { FlagChange } from '../../../src/posthog/flag/change.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { attribute, type ReadLog } from '../../../src/posthog/authors/replay-log.ts';
import { diff } from '../../../src/core/engine/diff.ts';
import { holds } from '../../helpers/runs.ts';

const NAMES = { keyOf: () => undefined };

interface Edit {
  readonly by?: string | null;
  readonly fields: JsonObject;
  readonly more?: JsonObject;
  readonly detail?: JsonObject;
}

/** The flag after its creation and the edits, with the log of today's service. */
function lived(created: JsonObject, edits: readonly Edit[]): { flag: Flag; log: JsonObject[] } {
  let flag: JsonObject = { id: 7, key: 'a', name: '', active: true, filters: { groups: [] }, ...created, version: 1 };
  const log = [entry(0, { by: 'creator@example.org', fields: {} }, { activity: 'created', changes: [] })];
  edits.forEach((edit, index) => {
    const fields: JsonObject = { ...edit.fields, version: index + 2 };
    const changes = Object.entries(fields).map(([field, after]) => ({
      type: 'FeatureFlag',
      action: 'changed',
      field,
      before: flag[field] ?? null,
      after: after ?? null,
    }));
    log.unshift(entry(index + 1, edit, { activity: 'updated', changes }));
    flag = { ...flag, ...fields };
  });
  return { flag: flag as unknown as Flag, log };
}

function entry(
  minute: number,
  { by, more, detail }: Edit,
  { activity, changes }: { activity: string; changes: JsonValue },
): JsonObject {
  return {
    id: `entry-${minute}`,
    user: by === null || by === undefined ? null : { first_name: 'Somebody', email: by },
    activity,
    scope: 'FeatureFlag',
    item_id: '7',
    detail: { name: 'a', short_id: null, trigger: null, type: null, changes, ...detail },
    created_at: timeOf(minute),
    client: null,
    is_system: false,
    was_impersonated: false,
    ...more,
  };
}

function timeOf(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString().replace('.000Z', '.123456Z');
}

/** What the log says of each difference between the flag and the wanted fields. */
function attributions(
  flag: Flag,
  wanted: JsonObject,
  log: Partial<ReadLog>,
  writes: readonly OwnWrite[] = [],
): Record<string, Attribution | undefined> {
  const live = comparableFlag(flag, NAMES);
  const after = comparableFlag({ ...flag, ...wanted } as Flag, NAMES);
  const fields = Object.keys(wanted).flatMap((field) => diff(live[field], after[field], [field]));
  const sought = soughtIn(fields, { flag, names: NAMES, body: wanted });
  return Object.fromEntries(
    attribute({ logged: loggedFlag(flag, NAMES), writes, sought }, { entries: [], isWhole: true, ...log }),
  );
}

const rollout = (...percentages: number[]): JsonObject => ({
  filters: {
    groups: percentages.map((percentage, index) => ({ rollout_percentage: percentage, description: `c${index}` })),
  },
});
const ROLLOUT = '/filters/groups/0/rollout_percentage';
const known = (by: string, minute: number): Attribution => ({
  kind: 'known',
  by,
  at: timeOf(minute),
  via: 'web_or_key',
});

describe('the newest entry that made the value', () => {
  test('of a field', () => {
    const { flag, log } = lived({}, [
      { by: 'ada', fields: { active: false } },
      { by: 'bob', fields: { name: 'x' } },
    ]);
    expect(attributions(flag, { active: true, name: '' }, { entries: log })).toEqual({
      '/active': known('ada', 1),
      '/name': known('bob', 2),
    });
  });

  test('of a part of filters, whose entries hold all of them', () => {
    const { flag, log } = lived(rollout(10, 10), [
      { by: 'ada', fields: rollout(20, 10) },
      { by: 'bob', fields: rollout(20, 30) },
    ]);
    expect(attributions(flag, rollout(10, 10), { entries: log })).toEqual({
      [ROLLOUT]: known('ada', 1),
      '/filters/groups/1/rollout_percentage': known('bob', 2),
    });
  });

  test('that was edited, undone and edited again', () => {
    const { flag, log } = lived(rollout(10), [
      { by: 'ada', fields: rollout(20) },
      { by: 'bob', fields: rollout(10) },
      { by: 'eve', fields: rollout(20) },
    ]);
    expect(attributions(flag, rollout(10), { entries: log })).toEqual({ [ROLLOUT]: known('eve', 3) });
  });

  test('of a condition behind one that came later', () => {
    const { flag, log } = lived({ filters: { groups: [{ rollout_percentage: 1 }, { rollout_percentage: 2 }] } }, [
      { by: 'ada', fields: { filters: { groups: [{ rollout_percentage: 1 }, { rollout_percentage: 50 }] } } },
      {
        by: 'bob',
        fields: {
          filters: { groups: [{ rollout_percentage: 9 }, { rollout_percentage: 1 }, { rollout_percentage: 50 }] },
        },
      },
    ]);
    const wanted = {
      filters: { groups: [{ rollout_percentage: 9 }, { rollout_percentage: 1 }, { rollout_percentage: 2 }] },
    };
    expect(attributions(flag, wanted, { entries: log })).toEqual({
      '/filters/groups/2/rollout_percentage': known('ada', 1),
    });
  });

  test('of a condition whose former place another edit was about', () => {
    const conditions = (...shares: number[]): JsonObject => ({
      filters: { groups: shares.map((share) => ({ rollout_percentage: share })) },
    });
    const { flag, log } = lived(conditions(1, 2, 3), [
      { by: 'ada', fields: conditions(1, 50, 3) },
      { by: 'eve', fields: conditions(1, 50, 70) },
      { by: 'bob', fields: conditions(9, 1, 50, 70) },
    ]);
    expect(attributions(flag, conditions(9, 1, 2, 70), { entries: log })).toEqual({
      '/filters/groups/2/rollout_percentage': known('ada', 1),
    });
  });

  test('of a variant that the live list has at another place', () => {
    const variants = (...pairs: [string, number][]): JsonObject => ({
      filters: {
        groups: [],
        multivariate: { variants: pairs.map(([key, share]) => ({ key, rollout_percentage: share })) },
      },
    });
    const { flag, log } = lived(variants(['a', 50], ['b', 50]), [
      { by: 'ada', fields: variants(['a', 50], ['b', 40]) },
      { by: 'bob', fields: variants(['a', 50], ['x', 10], ['b', 40]) },
    ]);
    expect(attributions(flag, variants(['a', 50], ['b', 50]), { entries: log })).toEqual({
      '/filters/multivariate/variants/1/rollout_percentage': known('ada', 1),
      '/filters/multivariate/variants/1': known('bob', 2),
    });
  });

  test('of what is missing', () => {
    const payloads = { payloads: { true: '1' } };
    const { flag, log } = lived(
      { filters: { groups: [{ rollout_percentage: 5 }, { rollout_percentage: 6 }], ...payloads } },
      [
        { by: 'ada', fields: { filters: { groups: [{ rollout_percentage: 5 }], ...payloads } } },
        { by: 'bob', fields: { filters: { groups: [{ rollout_percentage: 5 }] } } },
        { by: 'eve', fields: { active: false } },
      ],
    );
    const wanted = { filters: { groups: [{ rollout_percentage: 5 }, { rollout_percentage: 6 }], ...payloads } };
    expect(attributions(flag, wanted, { entries: log })).toEqual({
      '/filters/groups/1': known('ada', 1),
      '/filters/payloads': known('bob', 2),
    });
  });

  test('of a deletion, also of several flags at once, which has no changes', () => {
    const { flag, log } = lived({}, [{ by: 'ada', fields: { deleted: true } }]);
    expect(attributions(flag, { deleted: false }, { entries: log })).toEqual({ '/deleted': known('ada', 1) });
    const bulk = [entry(1, { by: 'bob', fields: {} }, { activity: 'deleted', changes: [] }), ...log.slice(1)];
    expect(attributions(flag, { deleted: false }, { entries: bulk })).toEqual({ '/deleted': known('bob', 1) });
  });

  test('or the creation, where none did', () => {
    const { flag, log } = lived(rollout(10), [{ by: 'ada', fields: { active: false } }]);
    expect(attributions(flag, rollout(20), { entries: log })).toEqual({
      [ROLLOUT]: { ...known('creator@example.org', 0), created: true },
    });
  });

  test('whatever the order of the answer, and each entry once', () => {
    const { flag, log } = lived(rollout(10), [
      { by: 'ada', fields: rollout(20) },
      { by: 'bob', fields: rollout(30) },
    ]);
    const mixed = [...log.toReversed(), ...log];
    expect(attributions(flag, rollout(10), { entries: mixed })).toEqual({ [ROLLOUT]: known('bob', 2) });
  });

  test('before the flag was read: a later one is left out, by its version or, without one, by its values', () => {
    const { flag } = lived(rollout(10), [{ by: 'ada', fields: rollout(20) }]);
    const { log } = lived(rollout(10), [
      { by: 'ada', fields: rollout(20) },
      { by: 'bob', fields: rollout(30) },
    ]);
    expect(attributions(flag, rollout(10), { entries: log })).toEqual({ [ROLLOUT]: known('ada', 1) });
    const { version: _version, ...old } = flag;
    expect(attributions(old as Flag, rollout(10), { entries: log })).toEqual({ [ROLLOUT]: known('ada', 1) });
  });
});

test('several edits after the flag was read are left out by their versions', () => {
  const { flag } = lived(rollout(10), [{ by: 'ada', fields: rollout(20) }]);
  const { log } = lived(rollout(10), [
    { by: 'ada', fields: rollout(20) },
    { by: 'bob', fields: rollout(30) },
    { by: 'eve', fields: rollout(40) },
  ]);
  expect(attributions(flag, rollout(10), { entries: log })).toEqual({ [ROLLOUT]: known('ada', 1) });
});

describe('unknown', () => {
  const { flag, log } = lived(rollout(10), [{ by: 'ada', fields: rollout(20) }]);
  const { log: others } = lived(rollout(20), [{ by: 'bob', fields: { active: false } }]);

  test('where the log is empty or begins later', () => {
    const reason = { [ROLLOUT]: { kind: 'unknown', reason: 'too_old' } };
    expect(attributions(flag, rollout(10), { entries: [] })).toEqual(reason);
    expect(attributions(flag, rollout(10), { entries: others.slice(0, 1) })).toEqual(reason);
  });

  test('as yet, where older entries may say it', () => {
    expect(attributions(flag, rollout(10), { entries: others.slice(0, 1), isWhole: false })).toEqual({
      [ROLLOUT]: undefined,
    });
  });

  test('where the newest entry left another value', () => {
    const changed = { ...flag, ...rollout(55) } as Flag;
    expect(attributions(changed, rollout(10), { entries: log })).toEqual({
      [ROLLOUT]: { kind: 'unknown', reason: 'not_logged' },
    });
  });

  test('where the service does not log the field', () => {
    const tagged = { ...flag, tags: ['x'] } as Flag;
    expect(attributions(tagged, { tags: [] }, { entries: log })).toEqual({
      '/tags': { kind: 'unknown', reason: 'not_logged' },
    });
  });

  test('where several people made the value together', () => {
    const extra = (share: number): JsonObject => ({
      filters: { groups: [{ rollout_percentage: 5 }, { rollout_percentage: share }] },
    });
    const one = { filters: { groups: [{ rollout_percentage: 5 }] } };
    const edits = [
      { by: 'ada', fields: extra(6) },
      { by: 'bob', fields: extra(7) },
    ];
    const several = lived(one, edits);
    expect(attributions(several.flag, one, { entries: several.log })).toEqual({
      '/filters/groups/1': { kind: 'unknown', reason: 'overlapping', people: ['bob', 'ada'] },
    });
    const alone = lived(
      one,
      edits.map((edit) => ({ ...edit, by: 'ada' })),
    );
    expect(attributions(alone.flag, one, { entries: alone.log })).toEqual({ '/filters/groups/1': known('ada', 2) });
  });

  test('where the answer has no entries', () => {
    const reason = { [ROLLOUT]: { kind: 'unknown', reason: 'unreadable' } };
    for (const entries of [[{ ...flag }], [{ activity: 'updated', created_at: 'yesterday' }]]) {
      expect(attributions(flag, rollout(10), { entries })).toEqual(reason);
    }
  });
});

describe('what did it', () => {
  const CASES: readonly [name: string, edit: Partial<Edit>, expected: JsonObject][] = [
    ['a person', { by: 'ada' }, { by: 'ada', via: 'web_or_key' }],
    [
      'a person without an address',
      { more: { user: { first_name: 'Ada', email: '' } } },
      { by: 'Ada', via: 'web_or_key' },
    ],
    ['a person without a name', { more: { user: { first_name: ' ', email: null } } }, { via: 'web_or_key' }],
    [
      'an API client that names itself',
      { by: 'ada', more: { client: 'mcp' } },
      { by: 'ada', via: 'api_client', client: 'mcp' },
    ],
    ['flagwright', { by: 'ada', more: { client: 'flagwright' } }, { by: 'ada', via: 'apply' }],
    [
      'a schedule',
      { by: 'ada', detail: { trigger: { job_type: 'scheduled_change', job_id: '3', payload: {} } } },
      { by: 'ada', via: 'schedule' },
    ],
    [
      'an experiment',
      { by: 'ada', detail: { trigger: { job_type: 'experiment_exposure_frozen', job_id: '3', payload: {} } } },
      { by: 'ada', via: 'experiment' },
    ],
    ['another job', { detail: { trigger: { job_type: 'new_job' } } }, { via: 'system' }],
    ["the service's staff", { by: 'ada', more: { was_impersonated: true } }, { by: 'ada', via: 'staff' }],
    [
      'the service',
      { more: { is_system: true, user: { first_name: 'System', email: null, is_system: true } } },
      { via: 'system' },
    ],
    [
      'nobody that is named, on a service of 2023',
      { more: { client: undefined, is_system: undefined } },
      { via: 'web_or_key' },
    ],
  ];
  test.each(CASES)('%s', (_name, edit, expected) => {
    const { flag, log } = lived({}, [{ fields: { active: false }, ...edit }]);
    expect(attributions(flag, { active: true }, { entries: log })).toEqual({
      '/active': { kind: 'known', at: timeOf(1), ...expected },
    });
  });

  test('early access and experiments, by the parts of filters that only they write', () => {
    const { flag, log } = lived(rollout(10), [
      {
        by: 'ada',
        fields: { filters: { groups: [{ rollout_percentage: 100, description: 'c0' }], feature_enrollment: null } },
      },
      {
        by: 'bob',
        fields: { filters: { groups: [{ rollout_percentage: 30, description: 'c0' }], feature_enrollment: true } },
      },
    ]);
    expect(attributions(flag, rollout(10), { entries: log })).toMatchObject({
      [ROLLOUT]: { ...known('bob', 2), via: 'early_access' },
    });
  });
});

test('the author of each part is the last one who set it, over any history', () => {
  const people = ['ada', 'bob', 'eve'];
  const step = fc.record({
    by: fc.constantFrom(...people),
    part: fc.constantFrom('active', 'name', 'c0', 'c1', 'c2'),
    value: fc.integer({ min: 0, max: 3 }),
  });
  holds(200, [fc.array(step, { maxLength: 12 })], (steps) => {
    const state: Record<string, number> = { active: 0, name: 0, c0: 0, c1: 0, c2: 0 };
    const author: Record<string, string | undefined> = {};
    const edits = steps.map(({ by, part, value }): Edit => {
      if (state[part] !== value) author[part] = by;
      state[part] = value;
      return { by, fields: fieldsOf(state) };
    });
    const { flag, log } = lived(fieldsOf({ active: 0, name: 0, c0: 0, c1: 0, c2: 0 }), edits);
    const found = attributions(flag, fieldsOf({ active: 9, name: 9, c0: 9, c1: 9, c2: 9 }), { entries: log });
    const byPart = Object.fromEntries(
      Object.entries(PATHS).map(([part, path]) => [part, (found[path] as { by?: string } | undefined)?.by]),
    );
    expect(byPart).toEqual(
      Object.fromEntries(Object.keys(PATHS).map((part) => [part, author[part] ?? 'creator@example.org'])),
    );
  });
});

const PATHS: Readonly<Record<string, string>> = {
  name: '/name',
  c0: '/filters/groups/0/rollout_percentage',
  c1: '/filters/groups/1/rollout_percentage',
  c2: '/filters/groups/2/rollout_percentage',
};

function fieldsOf({ active = 0, name = 0, c0 = 0, c1 = 0, c2 = 0 }: Record<string, number>): JsonObject {
  return { active: active % 2 === 1, name: `n${name}`, ...rollout(c0, c1, c2) };
}

describe('a run of this machine and people', () => {
  const OWN: OwnWrite = {
    run: 'run-1',
    id: 7,
    from: timeOf(1),
    until: timeOf(1),
    change: { action: 'update', resource: 'flag', id: 7, body: rollout(20) } as unknown as FlagChange,
  };
  const CREATED: OwnWrite = {
    ...OWN,
    from: timeOf(0),
    until: timeOf(0),
    change: { action: 'create', resource: 'flag', body: rollout(10) } as unknown as FlagChange,
  };
  const by = (edits: readonly Edit[], writes: readonly OwnWrite[], wanted: JsonObject = rollout(99)): unknown => {
    const { flag, log } = lived(rollout(10), edits);
    const answer = attributions(flag, wanted, { entries: log }, writes)[ROLLOUT];
    return answer?.kind === 'known' ? [answer.run ?? answer.by, answer.created ?? false] : answer;
  };
  const half = (minute: number): JsonObject => ({ created_at: timeOf(minute).replace(':00.', ':30.') });

  test.each<[string, readonly Edit[], readonly OwnWrite[], unknown]>([
    ['the run created it, and nobody edited it', [], [CREATED], ['run-1', true]],
    ['the run created it, and a person edited it', [{ by: 'ada', fields: rollout(30) }], [CREATED], ['ada', false]],
    ['a person created it, and the run edited it', [{ by: 'key', fields: rollout(20) }], [OWN], ['run-1', false]],
    [
      'the run edited it, and a person edited it within the same minute',
      [
        { by: 'key', fields: rollout(20) },
        { by: 'ada', fields: rollout(30), more: { created_at: half(1)['created_at'] ?? null } },
      ],
      [OWN],
      ['ada', false],
    ],
    [
      'a person gave the value again that the run had given within the same minute',
      [
        { by: 'key', fields: rollout(20) },
        { by: 'ada', fields: rollout(30), more: { created_at: timeOf(1).replace(':00.', ':20.') } },
        { by: 'ada', fields: rollout(20), more: half(1) },
      ],
      [OWN],
      ['ada', false],
    ],
    [
      'the service names the client of the run, whose clock differs from that of the service',
      [
        {
          by: 'key',
          fields: rollout(20),
          more: { client: 'flagwright', created_at: timeOf(1).replace(':00.', ':40.') },
        },
        { by: 'ada', fields: rollout(30), more: { created_at: timeOf(1).replace(':00.', ':50.') } },
        { by: 'ada', fields: rollout(20), more: { created_at: timeOf(1).replace(':00.', ':55.') } },
      ],
      [{ ...OWN, from: timeOf(2), until: timeOf(2) }],
      ['ada', false],
    ],
    [
      'two edits in a row',
      [
        { by: 'ada', fields: rollout(30) },
        { by: 'bob', fields: rollout(40) },
      ],
      [CREATED],
      ['bob', false],
    ],
    [
      'the run was made on another machine',
      [{ by: 'key', fields: rollout(20), more: { client: 'flagwright' } }],
      [],
      ['key', false],
    ],
  ])('%s', (_name, edits, writes, expected) => {
    expect(by(edits, writes)).toEqual(expected);
  });
});

const condition = fc.record(
  {
    properties: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom('email', 'plan'),
        value: fc.constantFrom('x', 'y'),
        type: fc.constant('person'),
        operator: fc.constant('exact'),
      }),
      { maxLength: 2, selector: ({ key }) => key },
    ),
    rollout_percentage: fc.constantFrom(10, 20, 30),
    variant: fc.constantFrom(null, 'a'),
  },
  { requiredKeys: ['properties', 'rollout_percentage'] },
);
const variants = (...pairs: [string, number][]): JsonObject => ({
  variants: pairs.map(([key, share]) => ({ key, rollout_percentage: share })),
});
const someState: fc.Arbitrary<JsonObject> = fc.record({
  name: fc.constantFrom('', 'n1', 'n2'),
  key: fc.constantFrom('a', 'b'),
  active: fc.boolean(),
  filters: fc.record(
    {
      groups: fc.array(condition, { maxLength: 3 }),
      payloads: fc.constantFrom({}, { true: '1' }, { true: '2' }),
      multivariate: fc.constantFrom(
        null,
        variants(['a', 50], ['b', 50]),
        variants(['a', 30], ['b', 70]),
        variants(['b', 100]),
      ),
    },
    { requiredKeys: ['groups'] },
  ),
}) as fc.Arbitrary<JsonObject>;

test('no difference from what was created is said to be as old as the creation', () => {
  const seen = { known: 0, unknown: 0 };
  holds(1500, [someState, fc.array(someState, { minLength: 1, maxLength: 3 })], (first, states) => {
    let former = first;
    const edits = states.map((next): Edit => {
      const changed = Object.entries(next).filter(([field, value]) => !jsonEquals(former[field], value));
      former = next;
      return { by: 'ada', fields: Object.fromEntries(changed) };
    });
    const { flag, log } = lived(first, edits);
    for (const answer of Object.values(attributions(flag, first, { entries: log }))) {
      if (answer === undefined) continue;
      seen[answer.kind] += 1;
      // A person made each difference: the creation did not.
      if (answer.kind === 'known') expect([answer.by, answer.created]).toEqual(['ada', undefined]);
    }
  });
  expect(seen.unknown).toBeLessThan(seen.known / 10);
});
