/** How many pages a listing takes, and when it ends. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { activityEntries, analysedPeople, pageSize } from '../../../src/cli/resources/command.ts';
import type { ActivityPage, ActivityQuery } from '../../../src/posthog/client/operations/flag-insight.ts';
import type { PersonAnalysis } from '../../../src/posthog/client/operations/persons.ts';

test.each([
  [1, 1],
  [999, 999],
  [1000, 1000],
  [1001, 1000],
  [Infinity, 1000],
])('a listing of at most %d entries asks for %d', (limit, size) => {
  expect(pageSize(limit)).toBe(size);
});

describe('activity', () => {
  const list = async (limit: number, answers: readonly object[]) => {
    const queries: ActivityQuery[] = [];
    const entries = await activityEntries(limit, async (query) => {
      queries.push(query);
      return Promise.resolve((answers[queries.length - 1] ?? { results: [] }) as unknown as ActivityPage);
    }).all();
    return { entries, queries };
  };

  test('is read page by page, as long as there is a next one', async () => {
    const answers = [
      { results: ['a', 'b'], next: 'https://x.example/?page=2' },
      { results: ['c'], next: null },
    ];
    expect(await list(Infinity, answers)).toEqual({
      entries: ['a', 'b', 'c'],
      queries: [
        { limit: 100, page: 1 },
        { limit: 100, page: 2 },
      ],
    });
  });

  test.each([[{ results: [], next: 'more' }], [{ results: ['a'], next: '' }], [{ results: ['a'] }]])(
    'ends after %j',
    async (answer) => {
      expect((await list(7, [answer])).queries).toEqual([{ limit: 7, page: 1 }]);
    },
  );
});

describe('the people of an analysis', () => {
  const ADA = { id: 7 };
  const list = async (parameters: JsonObject, answers: readonly object[]) => {
    const asked: JsonObject[] = [];
    const people = await analysedPeople(parameters, async (current) => {
      asked.push(current);
      const answer = answers[asked.length - 1] ?? { people: [], next: null };
      return Promise.resolve({ answer: {}, ...answer } as unknown as PersonAnalysis);
    }).all();
    return { people, asked };
  };

  test('are read from each next page, whose parameters replace those of this one', async () => {
    const next = { limit: 2, offset: 12 };
    expect(await list({ events: 'x', offset: 10 }, [{ people: [ADA], next }])).toEqual({
      people: [ADA],
      asked: [
        { events: 'x', offset: 10 },
        { events: 'x', limit: 2, offset: 12 },
      ],
    });
  });

  test.each<[string, JsonObject, object]>([
    ['that goes back', { offset: 10 }, { people: [ADA], next: { offset: 10 } }],
    ['that begins anew', {}, { people: [ADA], next: { offset: 0 } }],
    ['without an offset', {}, { people: [ADA], next: { limit: 3 } }],
    ['after an empty one', {}, { people: [], next: { offset: 1 } }],
    ['that is missing', {}, { people: [ADA], next: null }],
  ])('end before a page %s', async (_, parameters, answer) => {
    expect((await list(parameters, [answer])).asked).toEqual([parameters]);
  });

  test('are the rows of an answer that has some', async () => {
    const rows = [{ person: ADA, appearances: [1, 0] }];
    expect((await list({}, [{ people: [ADA], next: null, answer: { result: rows } }])).people).toEqual(rows);
    expect((await list({}, [{ people: [ADA], next: null, answer: { result: 3 } }])).people).toEqual([ADA]);
  });
});
