/** How much is read of the activity of flags, over real HTTP, and what becomes of answers that say nothing. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Attribution } from '../../../src/posthog/authors/attribution.ts';
import { readAttributions, type AttributionQuestion } from '../../../src/posthog/reading/read-attributions.ts';
import { loggedFlag } from '../../../src/posthog/flag/explain.ts';
import { liveFlag } from '../../helpers/states.ts';
import { clientFor } from '../client/support/client.ts';
import { serve, type Reply } from '../client/support/server.ts';

const NAMES = { keyOf: () => undefined };
const PATHS = /^\/api\/projects\/1\/feature_flags\/(\d+)\/activity\/\?limit=(\d+)&page=(\d+)$/;

const asked = (id: number): AttributionQuestion => ({
  logged: loggedFlag({ ...liveFlag(id, `f${id}`), active: false }, NAMES),
  sought: [{ path: '/active', place: ['active'] }],
});

/** A log of so many renames, with the edit of `active` at a place counted from the newest, if there is one. */
function logOf(length: number, place = -1): JsonObject[] {
  return Array.from({ length }, (_, index) => {
    const change =
      index === place
        ? { field: 'active', before: true, after: false }
        : { field: 'name', before: `${index}`, after: `${index + 1}` };
    const minutes = length - index;
    return {
      id: `e${minutes}`,
      user: { first_name: 'Ada', email: 'ada@example.org' },
      activity: 'updated',
      created_at: new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString(),
      detail: { name: 'a', changes: [change] },
    };
  });
}

interface Service {
  readonly log: readonly JsonObject[];
  /** The size of every page, whatever is asked. */
  readonly size?: number;
  readonly asPage?: (page: JsonObject) => JsonObject;
  readonly reply?: (id: number) => Reply | undefined;
  /** The activity of the project; absent: it cannot be read. */
  readonly project?: (page: number) => Reply;
}

const PROJECT = /feature_flags\/activity\/\?limit=100&page=(\d+)$/;

async function read(ids: readonly number[], { log, size, asPage = (page) => page, reply, project }: Service) {
  const { host, seen } = await serve(({ url }): Reply => {
    const [, number] = PROJECT.exec(url) ?? [];
    if (number !== undefined) return project?.(Number(number)) ?? { status: 404, body: '' };
    const [, id = '', limit = '', page = ''] = PATHS.exec(url) ?? [];
    const own = reply?.(Number(id));
    if (own !== undefined) return own;
    const length = size ?? Number(limit);
    const start = (Number(page) - 1) * length;
    const next = start + length < log.length ? 'http://elsewhere/' : null;
    return { body: asPage({ results: log.slice(start, start + length), total_count: log.length, next }) };
  });
  const answers = await readAttributions(clientFor(host), ids.map(asked), []);
  const pages = seen.map(({ url }) => {
    const [, number] = PROJECT.exec(url) ?? [];
    const [, , limit, page] = PATHS.exec(url) ?? [];
    return number === undefined ? `${limit}/${page}` : `project ${number}`;
  });
  return { found: answers.map((answer) => answer.get('/active')), pages };
}

const brief = (found: readonly (Attribution | undefined)[]): unknown =>
  found.map((one) => (one?.kind === 'known' ? one.by : one?.reason));

test('one request explains a recent edit', async () => {
  const { found, pages } = await read([7], { log: logOf(500, 3) });
  expect([found, pages]).toEqual([
    [{ kind: 'known', by: 'ada@example.org', at: '2026-01-01T08:17:00.000Z', via: 'web_or_key' }],
    ['25/1'],
  ]);
});

test.each<readonly [string, Service, unknown, readonly string[]]>([
  ['an older edit', { log: logOf(500, 130) }, 'ada@example.org', ['25/1', '25/2', '50/2', '100/2']],
  ['the oldest that is read', { log: logOf(5_000, 999) }, 'ada@example.org', pagesTo(10)],
  ['an edit beyond', { log: logOf(5_000, 1_000) }, 'too_long', pagesTo(10)],
  ['an edit that is older than the log', { log: logOf(30) }, 'too_old', ['25/1', '25/2']],
  ['an empty log', { log: [] }, 'too_old', ['25/1']],
  [
    'a log that does not count',
    { log: logOf(30), asPage: ({ results, next }) => ({ results: results ?? [], next: next ?? null }) },
    'too_old',
    ['25/1', '25/2'],
  ],
  [
    'a log that ends early',
    { log: logOf(30).slice(0, 25), asPage: (page) => ({ ...page, total_count: 99 }) },
    'too_old',
    ['25/1', '25/2'],
  ],
  ['pages of another size', { log: logOf(25, 22), size: 10 }, 'ada@example.org', ['25/1', '25/2', '25/3']],
  ['entries out of order', { log: logOf(20, 3).toReversed() }, 'ada@example.org', ['25/1']],
  [
    'the flag itself, as in the document',
    { log: [], asPage: () => ({ ...liveFlag(7, 'f7') }) },
    'unreadable',
    ['25/1'],
  ],
  [
    'no JSON',
    { log: [], reply: () => ({ body: '<html>', contentType: 'text/html' }) as Reply },
    'unreadable',
    ['25/1'],
  ],
  ['a flag that is gone', { log: [], reply: () => ({ status: 404, body: '' }) }, 'unreadable', ['25/1']],
])('%s', async (_name, service, expected, pages) => {
  const answered = await read([7], service);
  expect([brief(answered.found), answered.pages]).toEqual([[expected], pages]);
});

test('a key that may not read the log is told so once, and every flag has the reason', async () => {
  const refused = { status: 403, body: { type: 'authentication_error', code: 'permission_denied', detail: 'no' } };
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const { found, pages } = await read(ids, { log: [], reply: () => refused, project: () => refused });
  expect(new Set(brief(found) as string[])).toEqual(new Set(['forbidden']));
  expect(pages).toEqual(['project 1']);
});

test('a flag whose log cannot be read does not affect another', async () => {
  const { found } = await read([1, 2], {
    log: logOf(3, 1),
    reply: (id) => (id === 1 ? { status: 404, body: '' } : undefined),
  });
  expect(brief(found)).toEqual(['unreadable', 'ada@example.org']);
});

/** A page with the edits of these flags. */
const projectPage = (ids: readonly number[], total: number): Reply => ({
  body: {
    results: ids.map((id) => ({ ...logOf(1, 0)[0], id: `p${id}`, item_id: String(id) })),
    total_count: total,
    next: null,
  },
});

test('the activity of the project explains many flags, as long as each page explains one', async () => {
  const pages = [[1, 2, 3], [4, 900], [901, 902], [5]];
  const answered = await read([1, 2, 3, 4, 5, 6], {
    log: logOf(3, 1),
    project: (page) => projectPage(pages[page - 1] ?? [], 5_000),
  });
  expect(brief(answered.found)).toEqual(Array.from({ length: 6 }, () => 'ada@example.org'));
  // The third page explains none, so the last two flags are asked themselves.
  expect(answered.pages).toEqual(['project 1', 'project 2', 'project 3', '25/1', '25/1']);
});

test('the activity of the project alone never shows that nobody made a value', async () => {
  const { found, pages } = await read([1, 2], { log: logOf(3, 1), project: () => projectPage([], 0) });
  expect(brief(found)).toEqual(['ada@example.org', 'ada@example.org']);
  expect(pages).toEqual(['project 1', '25/1', '25/1']);
});

test('one flag is asked itself, which takes one request', async () => {
  expect((await read([1], { log: logOf(3, 1), project: () => projectPage([1], 1) })).pages).toEqual(['25/1']);
});

function pagesTo(last: number): string[] {
  return ['25/1', '25/2', '50/2', ...Array.from({ length: last - 1 }, (_, index) => `100/${index + 2}`)];
}
