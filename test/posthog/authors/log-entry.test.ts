/** Entries of the activity log: what is read of them, and who made the change with which tool. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { distanceTo, wasWrittenAt } from '../../../src/posthog/authors/attribution.ts';
import { CLIENT_NAME } from '../../../src/posthog/client/request-spec.ts';
import { actorIn, parseLog, type LogEntry } from '../../../src/posthog/authors/log-entry.ts';

const entry = (more: JsonObject = {}): JsonObject => ({
  id: 'a',
  user: { email: 'ada@example.com', first_name: 'Ada' },
  activity: 'updated',
  detail: { changes: [{ field: 'name', before: 'x', after: 'y' }], trigger: null },
  created_at: '2026-12-01T09:00:00Z',
  client: null,
  ...more,
});

function parse(more: JsonObject): LogEntry | undefined {
  return parseLog([entry(more)])[0];
}

describe('a log', () => {
  test('has each entry once, the newest first, and those of one time as they came', () => {
    const at = (id: string | null, time: string): JsonObject =>
      entry({ id, created_at: time, client: `${id} ${time}` });
    const [early, late] = ['2026-12-01T09:00:00+02:00', '2026-12-01T08:00:00Z'];
    const log = parseLog([
      at('b', early),
      at('a', late),
      at('c', late),
      at('a', early),
      at(null, early),
      at(null, early),
    ]);
    expect(log.map(({ client }) => client)).toEqual([
      `a ${late}`,
      `c ${late}`,
      `b ${early}`,
      `null ${early}`,
      `null ${early}`,
    ]);
  });

  test.each<[string, JsonObject]>([
    ['a time', { created_at: 5 }],
    ['a time that exists', { created_at: 'yesterday' }],
    ['an activity', { activity: null }],
  ])('has no entry without %s', (_what, more) => expect(parse(more)).toBeUndefined());
});

describe('an entry', () => {
  test('has the changed fields, and null where a side is missing; what is no change is left out', () => {
    const changes = [
      { field: 'name', after: 'y' },
      { field: 5, after: 1 },
      'x',
      { field: 'version', before: 1, after: 2 },
    ];
    const read = parse({ detail: { changes } });
    expect(Object.fromEntries(read?.changes ?? [])).toEqual({
      name: { before: null, after: 'y' },
      version: { before: 1, after: 2 },
    });
    expect(read?.version).toBe(2);
    expect(parse({ detail: { changes: [{ field: 'version', after: '2' }] } })).not.toHaveProperty('version');
    expect([...(parse({ detail: { changes: 'x' } })?.changes ?? [])]).toEqual([]);
    expect([...(parse({ detail: null })?.changes ?? [])]).toEqual([]);
  });

  test('of a deletion says so although several flags were deleted at once', () => {
    const deleted = (activity: string, changes: JsonObject[] = []) =>
      parse({ activity, detail: { changes } })?.changes.get('deleted');
    expect(deleted('deleted')).toEqual({ before: false, after: true });
    expect(deleted('restored')).toEqual({ before: true, after: false });
    expect(deleted('updated')).toBeUndefined();
    expect(deleted('deleted', [{ field: 'deleted', before: 0, after: 1 }])).toEqual({ before: 0, after: 1 });
  });

  test.each<[string, JsonObject, string | undefined, boolean]>([
    ['the e-mail address', {}, 'ada@example.com', false],
    ['else the name', { user: { email: ' ', first_name: 'Ada' } }, 'Ada', false],
    ['nobody where the user has no name', { user: { email: null } }, undefined, false],
    ['nobody where there is no user', { user: null }, undefined, false],
    ['nobody for the system', { user: { email: 'x@example.com', is_system: true } }, undefined, true],
    ['the user beside the system', { is_system: true }, 'ada@example.com', true],
  ])('names %s', (_what, more, by, isSystem) => {
    const read = parse(more);
    expect([read?.by, read?.isSystem]).toEqual([by, isSystem]);
  });
});

describe('the tool of an entry', () => {
  const filters = (before: unknown, after: unknown): JsonObject =>
    ({ detail: { changes: [{ field: 'filters', before, after }] } }) as JsonObject;
  const job = (name: unknown): JsonObject => ({ detail: { changes: [], trigger: { job_type: name } } }) as JsonObject;

  test.each<[string, JsonObject, string]>([
    ['the web interface or a key that does not name itself', {}, 'web_or_key'],
    ['flagwright', { client: CLIENT_NAME }, 'apply'],
    ['another client', { client: 'terraform' }, 'api_client'],
    ['a client without a name', { client: '' }, 'web_or_key'],
    ['staff, whatever the client is', { was_impersonated: true, client: 'terraform' }, 'staff'],
    ['the system', { is_system: true }, 'system'],
    ['a scheduled change', job('scheduled_change'), 'schedule'],
    ['an experiment', job('experiment_launch'), 'experiment'],
    ['an early access feature', job('early_access_feature'), 'early_access'],
    ['another job, before everything else', { ...job('later'), was_impersonated: true }, 'system'],
    ['no job', job(5), 'web_or_key'],
    [
      'an early access feature that writes its part',
      filters({ groups: [] }, { groups: [], feature_enrollment: true }),
      'early_access',
    ],
    ['an experiment that writes its part', filters({ holdout: { id: 1 } }, { holdout: { id: 2 } }), 'experiment'],
    [
      'somebody who saves a flag, from which the service removes an outdated part',
      filters({ super_groups: [{}] }, {}),
      'web_or_key',
    ],
    ['a part that says nothing before and after', filters({}, { holdout: null }), 'web_or_key'],
    ['filters that came from nothing', filters(null, { holdout: { id: 2 } }), 'web_or_key'],
  ])('is %s', (_what, more, via) => {
    const read = parse(more);
    expect(read && actorIn(read).via).toBe(via);
  });

  test('has the name of another client, and the run that made it if it is known', () => {
    const [other, own] = [parse({ client: 'terraform' }), parse({ client: CLIENT_NAME })] as LogEntry[];
    expect(actorIn(other as LogEntry)).toEqual({ by: 'ada@example.com', via: 'api_client', client: 'terraform' });
    expect(actorIn({ ...(own as LogEntry), run: '7' })).toEqual({ by: 'ada@example.com', via: 'apply', run: '7' });
    expect(actorIn({ ...(parse({}) as LogEntry), run: '7' })).toMatchObject({ via: 'apply', run: '7' });
  });
});

test('a write has a time as long as the clocks differ by a minute at most', () => {
  const write = { from: '2026-12-01T09:00:00Z', until: '2026-12-01T09:00:10Z' };
  const at = (time: string): string => `2026-12-01T${time}Z`;
  expect(['08:59:00', '08:59:59', '09:00:05', '09:01:10'].map((time) => distanceTo(write, at(time)))).toEqual([
    60_000, 1000, 0, 60_000,
  ]);
  expect(['08:58:59.999', '08:59:00', '09:01:10', '09:01:10.001'].map((time) => wasWrittenAt(write, at(time)))).toEqual(
    [false, true, true, false],
  );
});
