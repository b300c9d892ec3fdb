/** Which scheduled changes are pending, and what a plan says about them. */

import { describe, expect, test } from 'vitest';
import {
  predictChanges,
  pendingByFlag,
  schedulesAgainstOff,
  type ScheduledChange,
  toFacts,
} from '../../../src/posthog/flag/schedules.ts';
import { takeFlagSnapshot } from '../../../src/posthog/flag/snapshot.ts';
import { warningText } from '../../../src/report/words/warnings.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { JsonObject } from '../../../src/base/json.ts';

function schedule(members: JsonObject = {}): ScheduledChange {
  const payload = { operation: 'update_status', value: true };
  return { id: 12, record_id: '7', scheduled_at: '2026-12-01T09:00:00Z', executed_at: null, payload, ...members };
}

function texts(...schedules: readonly ScheduledChange[]): readonly string[] {
  const pending = pendingByFlag(schedules).get(7) ?? [];
  return pending.map((schedule) => warningText({ code: 'scheduled', ...toFacts('search', schedule) }));
}

describe('pending', () => {
  test.each([
    ['once', {}, true],
    ['executed', { executed_at: '2026-12-01T09:00:10Z' }, false],
    ['failed, to be tried again', { failure_reason: 'x' }, true],
    ['repeated', { is_recurring: true, recurrence_interval: 'weekly' }, true],
    ['paused', { is_recurring: false, recurrence_interval: 'weekly' }, false],
    ['paused, by cron', { is_recurring: false, cron_expression: '0 9 * * 1' }, false],
    ['of another flag', { record_id: '8' }, false],
    ['of no flag', { record_id: 'x' }, false],
  ])('%s', (_name, members, isPending) => {
    expect(texts(schedule(members))).toHaveLength(isPending ? 1 : 0);
  });

  test('several changes of a flag are in the order of their times', () => {
    const later = schedule({ id: 3, scheduled_at: '2026-12-02T09:00:00Z' });
    expect(texts(later, schedule())).toEqual([
      expect.stringContaining('Schedule 12 '),
      expect.stringContaining('Schedule 3 '),
    ]);
  });
});

test.each([
  [{ operation: 'update_status', value: true }, {}, 'turns it on'],
  [{ operation: 'update_status', value: false }, {}, 'turns it off'],
  [{ operation: 'update_status' }, {}, 'update_status'],
  [{ operation: 'add_release_condition', value: {} }, {}, 'adds conditions'],
  [{ operation: 'update_variants', value: {} }, {}, 'replaces its variants'],
  [{ operation: 'archive', value: true }, {}, 'archive'],
  [null, {}, 'unknown'],
  [
    { operation: 'update_status', value: true },
    { is_recurring: true, recurrence_interval: 'weekly' },
    'turns it on, weekly',
  ],
])('%j %j', (payload, members, what) => {
  const text = `Schedule 12 changes search on 2026-12-01 09:00:00 UTC (${what}).`;
  expect(texts(schedule({ payload, ...members }))).toEqual([text]);
});

describe('of a flag that is off', () => {
  const OFF = { id: 7, key: 'search', active: false } as const;
  const rejected = { change_request: { id: 'a', state: 'rejected' } };

  test.each<[string, JsonObject, boolean, object?]>([
    ['turns it on', {}, true],
    ['turns it on, once approved', { change_request: { id: 'a', state: 'pending' } }, true],
    ['turns it on, and was not approved', rejected, false],
    [
      'turns it on each week, and was not approved this time',
      { ...rejected, is_recurring: true, recurrence_interval: 'weekly' },
      true,
    ],
    ['turns it off', { payload: { operation: 'update_status', value: false } }, false],
    ['adds a condition', { payload: { operation: 'add_release_condition', value: {} } }, false],
    ['replaces its variants', { payload: { operation: 'update_variants', value: {} } }, false],
    ['does what this release does not know', { payload: { operation: 'update_all', value: 1 } }, true],
    ['switches it to no value', { payload: { operation: 'update_status', value: null } }, true],
    ['turns it on, which the service refuses for an archived flag', {}, false, { archived: true }],
    ['is of another flag', { record_id: '8' }, false],
  ])('a change that %s', (_, members, isFound, more = {}) => {
    const found = schedulesAgainstOff([{ ...OFF, ...more }], [schedule(members)]);
    expect(found.map(({ key, id }) => ({ key, id }))).toEqual(isFound ? [{ key: 'search', id: 12 }] : []);
  });
});

describe('what scheduled changes make of a flag', () => {
  const [CONDITION, ADDED] = [{ properties: [], rollout_percentage: 10 }, { rollout_percentage: 50 }] as const;
  const variantsOf = (...shares: number[]): JsonObject[] =>
    shares.map((share, index) => ({ key: `v${index}`, rollout_percentage: share }));
  const FLAG: JsonObject = {
    id: 7,
    key: 'search',
    active: false,
    filters: { groups: [CONDITION], multivariate: { variants: variantsOf(30, 70) }, payloads: { v0: '1' } },
  };

  /** What is predicted of each, for the flag as the comparable form has it. */
  function predicted(flag: JsonObject, ...payloads: (JsonObject | null)[]): ReturnType<typeof predictChanges> {
    const names = takeFlagSnapshot({ flags: [flag as unknown as Flag], roleAccess: {} });
    const pending = payloads.map((payload, index) => schedule({ id: index, payload }));
    return predictChanges(names.comparable(flag as unknown as Flag), pending, names);
  }

  const status = (value: unknown) => ({ operation: 'update_status', value }) as JsonObject;
  const conditions = (value: unknown) => ({ operation: 'add_release_condition', value }) as JsonObject;
  const variants = (value: unknown) => ({ operation: 'update_variants', value }) as JsonObject;

  test.each<[what: string, payload: JsonObject | null, kind: string, parts?: string[] | undefined, more?: JsonObject]>([
    ['turns it on', status(true), 'made', ['active']],
    ['turns it off, which it is', status(false), 'made', []],
    ['switches it to text', status('true'), 'unknown'],
    ['turns an archived flag on', status(true), 'refused', undefined, { archived: true }],
    ['turns an archived flag off', status(false), 'made', [], { archived: true }],
    ['adds a condition', conditions({ groups: [ADDED] }), 'made', ['conditions']],
    ['adds no list', conditions({ groups: ADDED }), 'unknown'],
    [
      'adds a condition to filters of a later format',
      conditions({ groups: [ADDED] }),
      'unknown',
      undefined,
      { filters: { version: 2, rules: [] } },
    ],
    ['replaces the variants', variants({ variants: variantsOf(50, 50), payloads: { v0: '1' } }), 'made', ['variants']],
    ['replaces the variants and names no payload', variants({ variants: variantsOf(30, 70) }), 'made', ['variants']],
    [
      'has the same variants and payloads',
      variants({ variants: variantsOf(30, 70), payloads: { v0: '1' } }),
      'made',
      [],
    ],
    ['has variants that do not add up to 100', variants({ variants: variantsOf(30, 60) }), 'refused'],
    ['has a payload of no variant', variants({ variants: variantsOf(30, 70), payloads: { v2: '1' } }), 'refused'],
    ['has no variants', variants({ payloads: {} }), 'unknown'],
    [
      'replaces the variants of a flag that has none',
      variants({ variants: variantsOf(100) }),
      'unknown',
      undefined,
      { filters: { groups: [CONDITION] } },
    ],
    ['does what this release does not know', { operation: 'archive', value: true }, 'unknown'],
    ['says nothing', null, 'unknown'],
  ])('one that %s', (_what, payload, kind, parts, more = {}) => {
    const [one] = predicted({ ...FLAG, ...more }, payload);
    expect(one?.outcome).toMatchObject(parts === undefined ? { kind } : { kind, parts });
  });

  test('each is made of what those before it leave: conditions add up, and a refused one leaves the flag', () => {
    const all = predicted(
      FLAG,
      conditions({ groups: [ADDED] }),
      variants({ variants: variantsOf(1) }),
      status(true),
      conditions({ groups: [CONDITION] }),
    );
    expect(all.map(({ outcome }) => outcome.kind)).toEqual(['made', 'refused', 'made', 'made']);
    const seen = all.map(({ before }) => [before['active'], (before['filters'] as JsonObject)['groups']]);
    expect(seen.map(([active, groups]) => [active, (groups as unknown[]).length])).toEqual([
      [false, 1],
      [false, 2],
      [false, 2],
      [true, 2],
    ]);
    expect(all.at(-1)?.outcome).toMatchObject({ after: { active: true, filters: { groups: [{}, {}, {}] } } });
  });

  test('one whose approval was rejected changes nothing, and the next one is made of the flag as it is', () => {
    const names = takeFlagSnapshot({ flags: [FLAG as unknown as Flag], roleAccess: {} });
    const [rejected, next] = predictChanges(
      names.comparable(FLAG as unknown as Flag),
      [schedule({ change_request: { id: 'a', state: 'rejected' } }), schedule({ payload: status(false) })],
      names,
    );
    expect(rejected?.outcome).toEqual({ kind: 'not_approved' });
    expect([next?.before['active'], next?.outcome]).toMatchObject([false, { kind: 'made', parts: [] }]);
  });
});
