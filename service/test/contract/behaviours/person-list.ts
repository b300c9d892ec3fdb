/** The list of persons: filters, pages, formats. */

import { ok, people, refusal, type Behaviour } from '../behaviour.ts';
import { ADA_UUID } from '../seed.ts';

/** Filters in the query, and the persons that match. */
const FILTERS: readonly (readonly [query: string, ...distinctIds: string[]])[] = [
  ['distinct_id=grace', 'grace'],
  ['distinct_id=nobody'],
  ['distinct_id=', 'zoe', 'linus', 'grace', 'ada'],
  ['email=grace@example.org', 'grace'],
  ['email=GRACE@example.org'],
  ['email=grace'],
  ['search=ADA@', 'ada'],
  ['search=example.org', 'grace', 'ada'],
  ['search=zoe', 'zoe'],
  ['search=zo'],
  [properties({ key: 'plan', value: 'pro', operator: 'exact' }), 'linus', 'ada'],
  [properties({ key: 'plan', value: 'pro' }), 'linus', 'ada'],
  [properties({ key: 'plan', value: ['pro', 'free'] }), 'linus', 'grace', 'ada'],
  [properties({ key: 'plan', value: 'pro', operator: 'is_not' }), 'zoe', 'grace'],
  [properties({ key: 'email', operator: 'is_set', value: 'is_set' }), 'grace', 'ada'],
  [properties({ key: 'email', operator: 'is_not_set', value: 'is_not_set' }), 'zoe', 'linus'],
  [properties({ key: 'email', operator: 'icontains', value: 'EXAMPLE' }), 'grace', 'ada'],
  [properties({ key: 'email', operator: 'not_icontains', value: 'ada' }), 'zoe', 'linus', 'grace'],
  [properties({ key: 'email', operator: 'regex', value: '^(a|A)da' }), 'ada'],
  [properties({ key: 'quote', operator: 'icontains', value: '"no"' }), 'linus'],
  [properties({ key: 'distinct_id', operator: 'exact', value: 'zoe' }), 'zoe'],
  [properties({ key: 'id', type: 'cohort', value: 1 }), 'grace'],
  [properties({ key: 'id', type: 'cohort', value: 2 }), 'linus', 'ada'],
  [properties({ key: 'plan', value: 'pro' }, { key: 'email', operator: 'is_set', value: 'x' }), 'ada'],
  [`${properties({ key: 'plan', value: 'pro' })}&search=ada`, 'ada'],
  [`${properties({ key: 'plan', value: 'pro' })}&limit=1&offset=1`, 'ada'],
];

function properties(...filters: readonly object[]): string {
  return `properties=${encodeURIComponent(JSON.stringify(filters))}`;
}

function listed([query, ...distinctIds]: (typeof FILTERS)[number]): Behaviour {
  const body = people(...distinctIds);
  const results = (body['results'] as readonly object[]).map((person) =>
    // Ada has two distinct ids.
    JSON.stringify(person) === '{"distinct_ids":["ada"]}' ? { distinct_ids: ['ada', 'ada-phone'] } : person,
  );
  const name = `the list with ${decodeURIComponent(query)}`;
  return { name, steps: [{ ask: `GET /persons/?${query}`, expect: ok({ results } as never) }] };
}

const HEADER = 'id,name,distinct_ids,properties,created_at,uuid\r\n';

export const PERSON_LIST: readonly Behaviour[] = [
  ...FILTERS.map(listed),
  {
    name: 'gt compares numbers, and strings as its generation does',
    steps: [
      { ask: `GET /persons/?${properties({ key: 'seats', operator: 'gt', value: 10 })}`, expect: ok(people('grace')) },
      {
        ask: `GET /persons/?${properties({ key: 'seats', operator: 'gt', value: '10' })}`,
        expect: { documented: ok(people()), posthog: ok(people('grace')) },
      },
    ],
  },
  {
    name: 'exact compares case and type as its generation does',
    steps: [
      {
        ask: `GET /persons/?${properties({ key: 'plan', value: 'FREE' })}`,
        expect: { documented: ok(people()), posthog: ok(people('grace')) },
      },
      {
        ask: `GET /persons/?${properties({ key: 'seats', value: '20' })}`,
        expect: { documented: ok(people()), posthog: ok(people('grace')) },
      },
    ],
  },
  {
    name: 'the shape of a person',
    steps: [
      {
        ask: `GET /persons/${ADA_UUID}/`,
        expect: ok({
          id: 1,
          name: 'Ada@example.org',
          distinct_ids: ['ada', 'ada-phone'],
          properties: { plan: 'pro' },
          created_at: '2026-01-01T00:00:00Z',
          uuid: ADA_UUID,
        }),
      },
      { ask: 'GET /persons/1/', expect: ok({ uuid: ADA_UUID }) },
      { ask: 'GET /persons/3/', expect: ok({ name: 'linus' }) },
    ],
  },
  {
    name: 'a full page has a next page, which may be empty',
    steps: [
      { ask: 'GET /persons/?limit=2&offset=2', expect: ok({ results: [{}, {}] as never }), keep: { next: '/next' } },
      { ask: 'GET /persons/?limit=2&offset=4', expect: ok({ results: [], next: null }) },
      { ask: 'GET /persons/?limit=3', expect: ok({ previous: null }) },
      { ask: 'GET /persons/?limit=3&offset=2', expect: ok({ next: null, previous: null }) },
    ],
  },
  {
    name: 'limit 0, negative, huge, not a number',
    steps: ['0', '-1', '99999999999999999999', 'many'].map((limit) => ({
      ask: `GET /persons/?limit=${limit}`,
      expect: ok({ results: [{}, {}, {}, {}] as never }),
    })),
  },
  {
    name: 'offset negative, huge, not a number',
    steps: [
      { ask: 'GET /persons/?offset=-1', expect: ok({ results: [{}, {}, {}, {}] as never }) },
      { ask: 'GET /persons/?offset=text', expect: ok({ results: [{}, {}, {}, {}] as never }) },
      { ask: 'GET /persons/?offset=99999999999999999999', expect: ok({ results: [] }) },
    ],
  },
  {
    name: 'include_total adds the total',
    only: 'posthog',
    steps: [
      { ask: 'GET /persons/?include_total&limit=1', expect: ok({ count: 4 }) },
      { ask: `GET /persons/?include_total&${properties({ key: 'plan', value: 'pro' })}`, expect: ok({ count: 2 }) },
    ],
  },
  {
    name: 'CSV has all matching persons, regardless of the page',
    steps: [
      {
        ask: 'GET /persons/?format=csv&limit=1&distinct_id=zoe',
        expect: { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } },
      },
      {
        ask: `GET /persons/3/?format=csv`,
        expect: { status: 200 },
      },
      { ask: 'GET /persons/?format=csv&distinct_id=nobody', expect: { status: 200, text: HEADER } },
      { ask: 'GET /persons/?format=xml', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'properties and values of persons',
    steps: [
      {
        ask: 'GET /persons/properties/',
        expect: {
          documented: ok([
            { name: 'plan', count: 3 },
            { name: 'email', count: 2 },
            { name: 'seats', count: 2 },
            { name: 'quote', count: 1 },
            { name: 'tags', count: 1 },
          ]),
          posthog: refusal(404, 'not_found'),
        },
      },
      {
        ask: 'GET /persons/values/?key=plan',
        expect: ok([
          { name: 'pro', count: 2 },
          { name: 'free', count: 1 },
        ]),
      },
      { ask: 'GET /persons/values/?key=plan&value=R', expect: ok([{ name: 'pro' }, { name: 'free' }]) },
      { ask: 'GET /persons/values/?key=tags', expect: ok([{ name: '["x", "y"]', count: 1 }]) },
      { ask: 'GET /persons/values/?key=seats', expect: ok([{ name: '20' }, { name: '5' }]) },
      { ask: 'GET /persons/values/', expect: ok([]) },
    ],
  },
  {
    name: 'the cohorts of a person',
    steps: [
      {
        ask: 'GET /persons/cohorts/?person_id=1',
        expect: ok({ results: [{ id: 2, name: 'Paying', is_static: false }] }),
      },
      {
        ask: 'GET /persons/cohorts/?person_id=2',
        expect: ok({ results: [{ id: 1, name: 'Listed', is_static: true }] }),
      },
      {
        ask: 'GET /persons/cohorts/',
        expect: { documented: refusal(400, 'required', 'person_id'), posthog: refusal(500, 'error') },
      },
    ],
  },
];
