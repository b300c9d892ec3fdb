/** Analyses of persons: the persons found, and the envelope. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Expectation, type Step } from '../behaviour.ts';

const GONE = refusal(404, 'not_found');

/** Persons ordered by id, highest first. */
function found(...names: readonly ('ada' | 'grace' | 'linus' | 'zoe')[]): Expectation {
  const people = names.map((name) => ({ distinct_ids: name === 'ada' ? ['ada', 'ada-phone'] : [name] }));
  return ok({ results: [{ people, count: people.length }] });
}

function query(parameters: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

function asked(kind: string, parameters: Readonly<Record<string, unknown>>, expect: Step['expect']): Step {
  return { ask: `GET /persons/${kind}/?${query(parameters)}`, expect };
}

function posted(kind: string, body: JsonObject, expect: Step['expect']): Step {
  return { ask: `POST /persons/${kind}/`, body, expect };
}

const steps = [
  { id: 'signed up', order: 0 },
  { id: 'paid', order: 2 },
  { id: 'viewed', order: 1 },
];
const onPricing = { id: 'viewed', properties: [{ key: 'page', value: '/pricing' }] };
const pro = [{ key: 'plan', type: 'person', value: 'pro' }];
const only2023 = (documented: Expectation): Step['expect'] => ({ documented, posthog: GONE });

export const ANALYSIS: readonly Behaviour[] = [
  {
    name: 'trends: persons who did an event in the range',
    steps: [
      asked('trends', {}, found('linus', 'grace', 'ada')),
      asked('trends', { entity_id: 'paid' }, found('ada')),
      asked('trends', { events: [{ id: 'signed up' }] }, found('grace', 'ada')),
      asked('trends', { events: [{ id: 'signed up' }], date_from: 'all' }, found('zoe', 'grace', 'ada')),
      asked('trends', { entity_id: 'signed up', date_from: '-5d' }, found('grace')),
      asked('trends', { date_from: '2026-03-05', date_to: '2026-03-05' }, found('ada')),
      asked('trends', { events: [onPricing] }, found('grace', 'ada')),
      asked('trends', { entity_id: 'viewed', properties: pro }, found('linus', 'ada')),
      asked('trends', { limit: '1', offset: '1' }, found('grace')),
      asked('trends', {}, ok({ missing_persons: 0, is_cached: false, last_refresh: '2026-03-10T12:00:00Z' })),
    ],
  },
  {
    name: 'an analysis with invalid parameters',
    steps: [
      asked('trends', { date_from: 'yesterday' }, refusal(400, 'invalid_input', 'date_from')),
      asked('trends', { events: '[{' }, refusal(400, 'invalid_input', 'events')),
      asked('trends', { properties: '{' }, refusal(400, 'invalid_input', 'properties')),
      asked('stickiness', { interval: 'eon' }, refusal(400, 'invalid_choice', 'interval')),
      asked('stickiness', { stickiness_days: 'two' }, refusal(400, 'invalid_input', 'stickiness_days')),
      asked('funnel', { events: steps, funnel_step: '4' }, refusal(400, 'invalid_input', 'funnel_step')),
    ],
  },
  {
    name: 'an analysis with values of the wrong type',
    steps: [
      ...[5, [5], ['x'], true].map((properties) =>
        posted('funnel', { properties }, refusal(400, 'invalid_input', 'properties')),
      ),
      ...[5, [5], [[]], [{ id: 5 }], [{ id: {} }], [{ id: 'paid', order: 'first' }], [{ id: 'paid', order: [] }]].map(
        (events) => posted('funnel', { events }, refusal(400, 'invalid_input', 'events')),
      ),
      posted('funnel', { events: [{ id: 'paid', properties: 5 }] }, refusal(400, 'invalid_input', 'properties')),
      posted('funnel', { entity_id: 5 }, refusal(400, 'invalid_input', 'entity_id')),
      posted('funnel', { funnel_step: [1] }, refusal(400, 'invalid_input', 'funnel_step')),
      posted('funnel', { date_from: 5 }, refusal(400, 'invalid_input', 'date_from')),
      asked('trends', { properties: '5' }, refusal(400, 'invalid_input', 'properties')),
    ],
  },
  {
    name: 'a documented-only analysis with values of the wrong type',
    only: 'documented',
    steps: [
      posted('path', { path_start_key: 5 }, refusal(400, 'invalid_input', 'path_start_key')),
      ...['funnel_correlation_person_converted', 'funnel_correlation_person_entity'].map((name) =>
        posted('funnel/correlation', { [name]: 5 }, refusal(400, 'invalid_input', name)),
      ),
      asked('retention', { selected_interval: '99' }, refusal(400, 'invalid_input', 'selected_interval')),
      asked('retention', { selected_interval: '-1' }, refusal(400, 'invalid_input', 'selected_interval')),
    ],
  },
  {
    name: 'limit and offset in the query of a link precede those in the body',
    steps: [
      posted('funnel', { limit: 1 }, found('linus')),
      posted('funnel', { limit: '1', offset: 1 }, found('grace')),
      { ask: 'POST /persons/funnel/?offset=1', body: { limit: 1, offset: 0 }, expect: found('grace') },
    ],
  },
  {
    name: 'stickiness: persons active on an exact number of days',
    steps: [
      asked('stickiness', { entity_id: 'viewed', stickiness_days: '2' }, found('grace')),
      asked('stickiness', { entity_id: 'viewed', stickiness_days: '1' }, found('linus', 'ada')),
      asked(
        'stickiness',
        { entity_id: 'viewed', stickiness_days: '1', interval: 'week' },
        found('linus', 'grace', 'ada'),
      ),
      asked('stickiness', {}, found('linus', 'grace', 'ada')),
    ],
  },
  {
    name: 'funnel: persons by the step that they reached',
    steps: [
      asked('funnel', { events: steps, funnel_step: '1' }, found('grace', 'ada')),
      asked('funnel', { events: steps, funnel_step: '2' }, found('grace', 'ada')),
      asked('funnel', { events: steps, funnel_step: '3' }, found('ada')),
      asked('funnel', { events: steps, funnel_step: '-3' }, found('grace')),
      asked('funnel', { events: steps, funnel_step: '3', funnel_window_days: '1' }, found()),
      posted('funnel', { events: steps, funnel_step: 3 }, found('ada')),
      posted('funnel', { events: steps, funnel_step: 1, properties: { plan: 'free' } }, found('grace')),
      posted('funnel', {}, found('linus', 'grace', 'ada')),
    ],
  },
  {
    name: 'funnel correlation: persons who also did an event',
    steps: [
      asked(
        'funnel/correlation',
        { events: steps.slice(0, 1), funnel_correlation_person_entity: { id: 'paid' } },
        only2023(found('ada')),
      ),
      asked(
        'funnel/correlation',
        {
          events: steps,
          funnel_correlation_person_entity: { id: 'viewed' },
          funnel_correlation_person_converted: 'false',
        },
        only2023(found('grace')),
      ),
      posted('funnel/correlation', { events: steps }, only2023(found('ada'))),
    ],
  },
  {
    name: 'path: persons who did one event right after another',
    steps: [
      asked('path', { path_start_key: '1_signed up', path_end_key: '2_viewed' }, only2023(found('grace', 'ada'))),
      asked('path', { path_start_key: 'viewed', path_end_key: 'paid' }, only2023(found('ada'))),
      asked('path', { path_end_key: 'viewed' }, only2023(found('linus', 'grace', 'ada'))),
      posted('path', { path_start_key: 'signed up', path_end_key: 'paid' }, only2023(found())),
    ],
  },
  {
    name: 'lifecycle: new, returning, resurrecting, dormant',
    steps: [
      ...(
        [
          ['new', ['grace']],
          ['returning', []],
          ['resurrecting', ['linus']],
          ['dormant', ['ada']],
        ] as const
      ).map(([type, names]) =>
        asked('lifecycle', { entity_id: 'viewed', target_date: '2026-03-07', lifecycle_type: type }, found(...names)),
      ),
      asked('lifecycle', { lifecycle_type: 'new' }, { status: 400, body: { message: 'Missing required parameters' } }),
      asked(
        'lifecycle',
        { target_date: '2026-03-07' },
        { status: 400, body: { message: 'Missing required parameters' } },
      ),
    ],
  },
  {
    name: 'retention: persons who came back',
    steps: [
      asked(
        'retention',
        { target_entity: { id: 'signed up' }, returning_entity: { id: 'viewed' }, total_intervals: '6' },
        only2023(
          ok({ result: [{ person: { id: 1 }, appearances: [1, 1, 0, 0, 0, 0] }], missing_persons: 0, next: null }),
        ),
      ),
      asked(
        'retention',
        { target_entity: { id: 'signed up' }, total_intervals: '6', selected_interval: '1' },
        only2023(ok({ result: [{ person: { id: 2 }, appearances: [1, 1, 1, 0, 0] }] })),
      ),
    ],
  },
  {
    name: "the timeline of a person's properties",
    steps: [
      {
        ask: 'GET /persons/1/properties_timeline/',
        expect: ok({
          points: [
            { timestamp: '2026-03-05T08:00:00Z', properties: { plan: 'free' }, relevant_event_count: 2 },
            { timestamp: '2026-03-07T08:00:00Z', properties: { plan: 'pro' }, relevant_event_count: 1 },
          ],
          crossed_over: true,
          effective_date_from: '2026-03-03T12:00:00Z',
          effective_date_to: '2026-03-10T12:00:00Z',
        }),
      },
      { ask: 'GET /persons/4/properties_timeline/', expect: ok({ points: [], crossed_over: false }) },
      { ask: 'GET /persons/999/properties_timeline/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'persons as CSV',
    steps: [
      { ask: 'GET /persons/trends/?format=csv&entity_id=nothing', expect: { status: 200, text: '\r\n' } },
      {
        ask: 'GET /persons/values/?format=csv&key=plan',
        expect: { status: 200, text: 'name,count\r\npro,2\r\nfree,1\r\n' },
      },
    ],
  },
];
