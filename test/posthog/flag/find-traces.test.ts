/** How much a plan reads to find flags that had a key, and what it makes of each answer. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Traced } from '../../../src/posthog/family.ts';
import { findTraces } from '../../../src/posthog/flag/find-traces.ts';
import { liveFlag } from '../../helpers/states.ts';
import { clientFor, failureOf } from '../client/support/client.ts';
import { serve, type Reply } from '../client/support/server.ts';

const FLAGS = '/api/projects/1/feature_flags/';
const PAGE = 100;

interface Held {
  /** Newest first. */
  readonly log?: readonly JsonObject[];
  readonly flags?: readonly JsonObject[];
  readonly listed?: Parameters<typeof findTraces>[2]['listed'];
  readonly recorded?: Readonly<Record<string, number>>;
  readonly failing?: Readonly<Record<string, Reply>>;
  /** The log as another service answers it. */
  readonly asPage?: (page: JsonObject) => JsonObject;
}

const entry = (id: number, name: string): JsonObject => ({
  item_id: String(id),
  created_at: `2026-01-01T00:00:0${id}Z`,
  detail: { name, changes: [] },
});
const others = (count: number): JsonObject[] => Array.from({ length: count }, () => entry(1, 'other'));

async function find(keys: readonly string[], held: Held) {
  const { log = [], flags = [], listed = [], recorded = {}, failing = {}, asPage = (page) => page } = held;
  const { host, seen } = await serve(({ url }): Reply => {
    const rest = url.slice(FLAGS.length);
    const refused = failing[rest.split('?')[0] ?? ''];
    if (refused !== undefined) return refused;
    if (rest.startsWith('activity/')) {
      const page = Number(new URLSearchParams(rest.split('?')[1]).get('page'));
      const results = log.slice((page - 1) * PAGE, page * PAGE);
      const next = page * PAGE < log.length ? `http://elsewhere/?page=${page + 1}` : null;
      return { body: asPage({ results, total_count: log.length, next }) };
    }
    const flag = flags.find(({ id }) => id === Number(rest.split('/')[0]));
    return flag === undefined ? { status: 404, body: { detail: 'Not found.' } } : { body: flag };
  });
  const findRecorded = async (): Promise<ReadonlyMap<string, number>> => new Map(Object.entries(recorded));
  const found = await findTraces(clientFor(host), keys, { listed, findRecorded });
  const asked = seen.map(({ url }) => url.slice(FLAGS.length).replace('?limit=100&page=', ' ').replaceAll('/', ''));
  return { ...found, asked: asked.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })) };
}

const gone = (id: number, key: string): JsonObject => ({ ...liveFlag(id, key), deleted: true });
const pages = (last: number): string[] => Array.from({ length: last }, (_, index) => `activity ${index + 1}`);
const tracesOf = ({ traces }: Traced<unknown>): unknown =>
  traces.map((trace) => (trace.kind === 'former' ? [trace.key, trace.id, trace.evidence] : [trace.key, trace.why]));

test('without a missing key, nothing is requested', async () => {
  expect(await find([], { recorded: { a: 7 } })).toEqual({ traces: [], found: [], asked: [] });
});

test.each<readonly [string, readonly string[], Held, unknown, readonly string[]]>([
  [
    'a recorded flag costs one request',
    ['a'],
    { recorded: { a: 7 }, flags: [gone(7, 'a')] },
    [['a', 7, 'recorded']],
    ['7'],
  ],
  [
    'a recorded flag that is listed under another key costs none',
    ['a'],
    { recorded: { a: 7 }, listed: [liveFlag(7, 'b')] },
    [['a', 7, 'recorded']],
    [],
  ],
  [
    'a recorded flag that was destroyed is looked for in the log',
    ['a'],
    { recorded: { a: 7 }, log: [entry(9, 'a'), entry(7, 'a')], flags: [gone(9, 'a')] },
    [['a', 9, 'logged']],
    ['7', '9', 'activity 1'],
  ],
  [
    'the log is read once for all keys, and each flag once',
    ['a', 'b', 'c'],
    { log: [entry(7, 'a'), entry(8, 'b')], flags: [gone(7, 'a'), gone(8, 'b')] },
    [
      ['a', 7, 'logged'],
      ['b', 8, 'logged'],
    ],
    ['7', '8', 'activity 1'],
  ],
  [
    'the log is read no further than the key',
    ['a'],
    { log: [...others(150), entry(7, 'a'), ...others(900)], flags: [gone(7, 'a')] },
    [['a', 7, 'logged']],
    ['7', ...pages(3)],
  ],
  ['a key that a whole log does not name is free', ['a'], { log: others(250) }, [], pages(3)],
  ['a log has no more than ten pages', ['a'], { log: others(1001) }, [['a', 'too_long']], pages(10)],
  ['a log of ten pages is read to its end', ['a'], { log: others(1000) }, [], pages(10)],
  [
    'at most three flags are tried for a key',
    ['a'],
    { log: [2, 3, 4, 5].map((id) => entry(id, 'a')), flags: [gone(5, 'a')] },
    [],
    ['2', '3', '4', 'activity 1'],
  ],
  [
    'a log without a count is read to its last page',
    ['a'],
    { log: others(150), asPage: ({ total_count: _count, ...page }) => page },
    [],
    pages(3),
  ],
  [
    'a log that may not be read leaves the question open',
    ['a', 'b'],
    {
      recorded: { b: 7 },
      flags: [gone(7, 'b')],
      failing: { 'activity/': { status: 403, body: { code: 'permission_denied', detail: 'scope' } } },
    },
    [
      ['b', 7, 'recorded'],
      ['a', 'forbidden'],
    ],
    ['7', 'activity 1'],
  ],
  [
    'a service without a log leaves it open too',
    ['a'],
    { failing: { 'activity/': { status: 404, body: {} } } },
    [['a', 'failed']],
    ['activity 1'],
  ],
])('%s', async (_name, keys, held, traces, asked) => {
  const found = await find(keys, held);
  expect(tracesOf(found)).toEqual(traces);
  expect(found.asked).toEqual(asked);
});

test('an interrupted run ends at once', async () => {
  const { host } = await serve(() => ({ body: {} }));
  const client = clientFor(host, { signal: AbortSignal.abort() });
  expect((await failureOf(findTraces(client, ['a'], { listed: [] }))).failure.kind).toBe('aborted');
});
