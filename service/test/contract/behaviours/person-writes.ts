/** Writes to persons. Each behaviour creates its own person by an event, and deletes it. */

import { ok, refusal, type Behaviour, type Expectation, type Step } from '../behaviour.ts';

const GONE = { documented: { status: 204, text: '' }, posthog: { status: 202, text: '' } };

/** A person with two distinct ids, kept as `id`. */
function made(name: string): Step[] {
  const properties = { alias: `${name}-2`, $set: { plan: 'pro', email: `${name}@example.org` } };
  return [
    {
      ask: 'POST //capture/',
      body: { token: 'phc_1', event: '$create_alias', distinct_id: name, properties },
      expect: ok(),
    },
    { ask: `GET /persons/?distinct_id=${name}`, expect: ok(), keep: { id: '/results/0/id', uuid: '/results/0/uuid' } },
  ];
}

/** The person (documented), or PostHog's answer. */
function written(person: Expectation['body'], accepted: Expectation): Step['expect'] {
  return { documented: ok(person), posthog: accepted };
}

const ACCEPTED: Expectation = { status: 202, text: '' };
const SUCCESS: Expectation = { status: 201, body: { success: true } };
const removed: Step = { ask: 'DELETE /persons/{id}/?delete_events', expect: GONE };

/** PostHog's hand-written refusals have code and detail swapped. */
function missing(name: string): Step['expect'] {
  return {
    documented: refusal(400, 'required', name),
    posthog: {
      status: 400,
      body: { type: 'validation_error', code: 'This field is required.', detail: 'required', attr: name },
    },
  };
}

export const PERSON_WRITES: readonly Behaviour[] = [
  {
    name: 'a person is created by POST in the documented profile',
    only: 'documented',
    steps: [
      {
        ask: 'POST /persons/',
        body: { properties: { email: 'new@example.org' }, id: 77, distinct_ids: ['mine'] },
        expect: { status: 201, body: { name: 'new@example.org', properties: { email: 'new@example.org' } } },
        keep: { id: '/id', uuid: '/uuid' },
      },
      { ask: 'GET /persons/?distinct_id={uuid}', expect: ok({ results: [{ name: 'new@example.org' }] }) },
      { ask: 'GET /persons/?distinct_id=mine', expect: ok({ results: [] }) },
      removed,
      { ask: 'GET /persons/{id}/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'events create persons, POST does not',
    only: 'posthog',
    real: true,
    steps: [{ ask: 'POST /persons/', body: { properties: {} }, expect: refusal(405, 'method_not_allowed') }],
  },
  {
    name: 'properties are added',
    steps: [
      ...made('patched'),
      {
        ask: 'PATCH /persons/{id}/',
        body: { properties: { plan: 'free', seats: 3 } },
        expect: written({ properties: { plan: 'free', seats: 3, email: 'patched@example.org' } }, ACCEPTED),
      },
      {
        ask: 'GET /persons/{uuid}/',
        expect: ok({ properties: { plan: 'free', seats: 3, email: 'patched@example.org' } }),
      },
      {
        ask: 'PUT /persons/{id}/',
        body: { properties: { seats: 4 } },
        expect: { documented: refusal(405, 'method_not_allowed'), posthog: ACCEPTED },
      },
      { ask: 'PATCH /persons/{id}/', body: { properties: [] }, expect: refusal(400, 'not_a_dict', 'properties') },
      {
        ask: 'PATCH /persons/{id}/',
        body: {},
        expect: {
          documented: ok({ properties: { plan: 'free' } }),
          posthog: { status: 400, body: { code: 'This field is required.', detail: 'required', attr: 'properties' } },
        },
      },
      removed,
    ],
  },
  {
    name: 'one property is set',
    steps: [
      ...made('property'),
      {
        ask: 'POST /persons/{id}/update_property/',
        body: { key: 'seats', value: 9 },
        expect: written({ properties: { seats: 9 } }, ACCEPTED),
      },
      {
        ask: 'POST /persons/{id}/update_property/?key=plan&value=team',
        expect: {
          documented: ok({ properties: { plan: 'team', seats: 9 } }),
          posthog: { status: 400, body: { code: 'This field is required.', detail: 'required', attr: 'key' } },
        },
      },
      { ask: 'POST /persons/{id}/update_property/', body: { key: 'seats', value: null }, expect: missing('value') },
      { ask: 'POST /persons/{id}/update_property/', body: { value: 1 }, expect: missing('key') },
      {
        ask: 'POST /persons/{id}/update_property/',
        body: { key: 5, value: 1 },
        expect: refusal(400, 'invalid_input', 'key'),
      },
      removed,
    ],
  },
  {
    name: 'one property is removed',
    steps: [
      ...made('unset'),
      {
        ask: 'POST /persons/{id}/delete_property/',
        body: { $unset: 'plan' },
        expect: written({ properties: { email: 'unset@example.org' } }, SUCCESS),
      },
      { ask: 'GET /persons/{id}/', expect: ok({ properties: { email: 'unset@example.org' } }) },
      { ask: 'POST /persons/{id}/delete_property/', body: { $unset: 'plan' }, expect: written(undefined, SUCCESS) },
      { ask: 'POST /persons/{id}/delete_property/', body: {}, expect: missing('$unset') },
      {
        ask: 'POST /persons/{id}/delete_property/?$unset=email',
        expect: { documented: ok({ distinct_ids: ['unset', 'unset-2'] }), posthog: { status: 400 } },
      },
      removed,
    ],
  },
  {
    name: 'a split keeps the properties with the main distinct id',
    steps: [
      ...made('split'),
      {
        ask: 'POST /persons/{id}/split/',
        body: { main_distinct_id: 'split-2' },
        expect: written({ distinct_ids: ['split-2'], properties: { plan: 'pro' } }, SUCCESS),
      },
      { ask: 'GET /persons/{id}/', expect: ok({ distinct_ids: ['split-2'] }) },
      removed,
      {
        ask: 'GET /persons/?distinct_id=split',
        expect: ok({ results: [{ distinct_ids: ['split'] }] }),
        keep: { id: '/results/0/id' },
      },
      removed,
    ],
  },
  {
    name: 'a split without a main distinct id removes the properties',
    steps: [
      ...made('apart'),
      { ask: 'POST /persons/{id}/split/', expect: written({ distinct_ids: ['apart'] }, SUCCESS) },
      { ask: 'GET /persons/?distinct_id=apart', expect: ok({ results: [{ name: 'apart' }] }) },
      {
        ask: 'GET /persons/{id}/activity/',
        expect: ok({
          results: [
            {
              activity: 'split_person',
              detail: { changes: [{ action: 'split' }, { field: 'properties', before: { plan: 'pro' }, after: {} }] },
            },
          ],
        }),
      },
      removed,
      { ask: 'GET /persons/?distinct_id=apart-2', expect: ok(), keep: { id: '/results/0/id' } },
      {
        ask: 'GET /persons/{id}/activity/',
        expect: ok({
          results: [{ activity: 'created', detail: { changes: [{ after: ['apart-2'] }, { field: 'properties' }] } }],
        }),
      },
      removed,
    ],
  },
  {
    name: 'a split never leaves a person without distinct ids',
    steps: [
      {
        ask: 'POST /persons/1/split/',
        body: { main_distinct_id: 'grace' },
        expect: refusal(400, 'invalid_input', 'main_distinct_id'),
      },
      { ask: 'GET /persons/1/', expect: ok({ distinct_ids: ['ada', 'ada-phone'] }) },
    ],
  },
  {
    name: 'delete_events is read by value or by presence',
    steps: [
      ...made('kept'),
      { ask: 'DELETE /persons/{id}/?delete_events=false', expect: GONE },
      // The distinct id is used again: it has its earlier events if they were kept.
      ...made('kept'),
      {
        ask: 'GET /persons/{id}/properties_timeline/',
        expect: {
          documented: ok({ points: [{ relevant_event_count: 2 }] }),
          posthog: ok({ points: [{ relevant_event_count: 1 }] }),
        },
      },
      removed,
      { ask: 'DELETE /persons/{id}/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'delete_events that is not a boolean',
    only: 'documented',
    steps: [{ ask: 'DELETE /persons/1/?delete_events=maybe', expect: refusal(400, 'invalid_input', 'delete_events') }],
  },
  {
    name: 'every change is in the activity',
    steps: [
      ...made('logged'),
      { ask: 'PATCH /persons/{id}/', body: { properties: { plan: 'x' } }, expect: written(undefined, ACCEPTED) },
      { ask: 'POST /persons/{id}/delete_property/', body: { $unset: 'plan' }, expect: written(undefined, SUCCESS) },
      { ask: 'POST /persons/{id}/split/', body: { main_distinct_id: 'logged' }, expect: written(undefined, SUCCESS) },
      {
        ask: 'GET /persons/{id}/activity/',
        expect: ok({
          total_count: 3,
          results: [
            { activity: 'split_person', detail: { changes: [{ action: 'split' }] } },
            { activity: 'delete_property', detail: { changes: [{ field: 'properties', before: { plan: 'x' } }] } },
            {
              activity: 'updated',
              scope: 'Person',
              detail: { changes: [{ action: 'changed', before: { plan: 'pro' }, after: { plan: 'x' } }] },
            },
          ],
        }),
      },
      removed,
      {
        ask: 'GET /persons/activity/?limit=1',
        expect: ok({
          results: [
            {
              activity: 'deleted',
              scope: 'Person',
              detail: {
                changes: [
                  { field: 'distinct_ids', before: ['logged'] },
                  { field: 'properties', before: { email: 'logged@example.org' }, after: null },
                ],
              },
            },
          ],
        }),
      },
      { ask: 'GET /persons/?distinct_id=logged-2', expect: ok(), keep: { id: '/results/0/id' } },
      removed,
    ],
  },
];
