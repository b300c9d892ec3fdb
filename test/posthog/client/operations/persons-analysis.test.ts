import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor, failureOf } from '../support/client.ts';
import { serveInTurn } from '../support/server.ts';

const PERSONS = '/api/projects/1/persons/';
const UUID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const ADA = { id: UUID, distinct_ids: ['a'], properties: {} };
const BOB = { id: 8, distinct_ids: ['b'] };
const LINK = 'http://elsewhere.invalid/x/?limit=2&offset=4&entity_id=a';

type Analysis = Extract<
  keyof ServiceClient,
  `person${'Funnel' | 'FunnelCorrelation' | 'Path' | 'Lifecycle' | 'Retention' | 'Stickiness' | 'Trends'}`
>;
const BY_GET: readonly (readonly [Analysis, string])[] = [
  ['personFunnel', 'funnel/'],
  ['personFunnelCorrelation', 'funnel/correlation/'],
  ['personPath', 'path/'],
  ['personLifecycle', 'lifecycle/'],
  ['personRetention', 'retention/'],
  ['personStickiness', 'stickiness/'],
  ['personTrends', 'trends/'],
];
const BY_POST = [
  ['postPersonFunnel', 'funnel/'],
  ['postPersonFunnelCorrelation', 'funnel/correlation/'],
  ['postPersonPath', 'path/'],
] as const;

describe.each(BY_GET)('%s', (operation, path) => {
  test('sends parameters in the query, lists as JSON text', async () => {
    const { host, seen } = await serveInTurn({ body: { results: [] } });
    await clientFor(host)[operation]({ entity_id: '$pageview', events: [{ id: 'a' }], limit: 2, compare: true });
    const query = 'entity_id=%24pageview&events=%5B%7B%22id%22%3A%22a%22%7D%5D&limit=2&compare=true';
    expect(seen).toMatchObject([{ method: 'GET', url: `${PERSONS}${path}?${query}`, body: '' }]);
  });

  test('needs no parameters', async () => {
    const { host, seen } = await serveInTurn({ body: { results: [] } });
    expect(await clientFor(host)[operation]()).toMatchObject({ people: [], count: null, next: null });
    expect(seen[0]?.url).toBe(PERSONS + path);
  });
});

describe.each(BY_POST)('%s', (operation, path) => {
  test('sends parameters in the body and the page in the query', async () => {
    const { host, seen } = await serveInTurn({ body: { results: [] } });
    await clientFor(host)[operation]({ properties: { a: 1 }, events: [{ id: 'a' }], limit: 2, offset: 4 });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: `${PERSONS}${path}?limit=2&offset=4`,
        body: '{"properties":{"a":1},"events":[{"id":"a"}]}',
      },
    ]);
  });

  test('changes nothing, so it is repeated', async () => {
    const { host, seen } = await serveInTurn({ status: 502 }, { body: { results: [] } });
    await clientFor(host)[operation]();
    expect(seen).toHaveLength(2);
  });
});

describe('an answer', () => {
  test.each([
    [
      'people and count',
      { results: [{ people: [ADA, BOB], count: 2 }], next: LINK, is_cached: false },
      { people: [ADA, BOB], count: 2, next: { limit: 2, offset: 4 } },
    ],
    [
      'several steps',
      {
        results: [
          { people: [ADA], count: 5 },
          { people: [BOB], count: 3 },
        ],
      },
      { people: [ADA, BOB], count: 8, next: null },
    ],
    [
      'retention',
      { result: [{ person: ADA, appearances: [1, 0] }], next: null, missing_persons: 0 },
      { people: [ADA], count: null, next: null },
    ],
    ['bare persons', { results: [BOB] }, { people: [BOB], count: null, next: null }],
    ['the sample body of the document', BOB, { people: [BOB], count: null, next: null }],
  ])('%s', async (_name, answer, expected) => {
    const { host } = await serveInTurn({ body: answer });
    expect(await clientFor(host).personTrends()).toEqual({ ...expected, answer });
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['no person', { results: [{ people: [7] }] }],
    ['nothing', undefined],
  ])('%s cannot be understood', async (_name, body) => {
    const { host } = await serveInTurn({ body });
    expect(await failureOf(clientFor(host).personTrends())).toMatchObject({ failure: { kind: 'invalid_answer' } });
  });
});
