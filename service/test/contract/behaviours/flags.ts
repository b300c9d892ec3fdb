/** Flags: list, create, read, update, the refused delete, the activity. */

import { ok, refusal, type Behaviour } from '../behaviour.ts';

const created = { key: '{prefix}-new', filters: { groups: [{ rollout_percentage: 25 }] } };

export const FLAGS: readonly Behaviour[] = [
  {
    name: 'a flag is created, read, changed and soft-deleted',
    real: true,
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: created,
        expect: { status: 201, body: { key: '{prefix}-new', name: '', active: true, deleted: false } },
        keep: { id: '/id' },
      },
      { ask: 'GET /feature_flags/{id}/', expect: ok({ key: '{prefix}-new' }) },
      {
        ask: 'PATCH /feature_flags/{id}/',
        body: { name: 'Changed', active: false },
        expect: ok({ name: 'Changed', active: false }),
      },
      { ask: 'PATCH /feature_flags/{id}/', body: { deleted: true }, expect: ok({ deleted: true }) },
      { ask: 'GET /feature_flags/{id}/', expect: ok({ deleted: true }) },
    ],
  },
  {
    name: 'the JSON body null is refused',
    steps: [
      { ask: 'POST /feature_flags/', body: created, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', raw: 'null', expect: refusal(400, 'null') },
      { ask: 'POST /feature_flags/', raw: 'null', expect: refusal(400, 'null') },
      {
        ask: 'POST /feature_flags/{id}/role_access/',
        raw: 'null',
        expect: { documented: refusal(400, 'null'), posthog: refusal(404, 'not_found') },
      },
    ],
  },
  {
    name: 'PUT changes a flag like PATCH, but requires the key',
    only: 'posthog',
    real: true,
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: { key: '{prefix}-put', name: 'Kept' },
        expect: { status: 201 },
        keep: { id: '/id' },
      },
      {
        ask: 'PUT /feature_flags/{id}/',
        body: { key: '{prefix}-put', active: false },
        expect: ok({ name: 'Kept', active: false }),
      },
      { ask: 'PUT /feature_flags/{id}/', body: { active: true }, expect: refusal(400, 'required', 'key') },
    ],
  },
  {
    name: 'PUT is not documented',
    only: 'documented',
    steps: [{ ask: 'PUT /feature_flags/1/', body: {}, expect: refusal(405, 'method_not_allowed') }],
  },
  {
    name: 'a path without a trailing slash',
    real: true,
    steps: [
      { ask: 'POST /feature_flags', body: { key: '{prefix}-slash' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'GET /feature_flags/{id}', expect: ok({ key: '{prefix}-slash' }) },
      { ask: 'PATCH /feature_flags/{id}', body: { deleted: true }, expect: ok({ deleted: true }) },
    ],
  },
  {
    name: 'a key is unique among flags that are not deleted',
    real: true,
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-once' }, expect: { status: 201 } },
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-once' }, expect: refusal(400, 'unique', 'key') },
    ],
  },
  {
    name: 'DELETE is refused without a body, whatever the id',
    real: true,
    steps: [{ ask: 'DELETE /feature_flags/999999999/', expect: { status: 405, text: '' } }],
  },
  {
    name: 'the list has pages',
    real: true,
    steps: [{ ask: 'GET /feature_flags/?limit=1', expect: ok({ previous: null }) }],
  },
  {
    name: 'the list is newest first and links its pages',
    steps: [
      {
        ask: 'GET /feature_flags/?limit=2&offset=2',
        expect: ok({ count: 6, results: [{ key: 'for-cohort' }, { key: 'off' }] }),
      },
    ],
  },
  {
    name: 'filters without groups in a PATCH',
    steps: [
      { ask: 'POST /feature_flags/', body: created, expect: { status: 201 }, keep: { id: '/id' } },
      {
        ask: 'PATCH /feature_flags/{id}/',
        body: { filters: { payloads: { true: '1' } } },
        expect: {
          documented: ok({ filters: { groups: [{ rollout_percentage: 25 }] } }),
          posthog: ok({ filters: { groups: [{ rollout_percentage: 25 }], payloads: { true: '1' } } }),
        },
      },
    ],
  },
  {
    name: 'a condition on another flag',
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: {
          key: '{prefix}-dependent',
          filters: {
            groups: [{ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
          },
        },
        expect: { documented: refusal(400, 'invalid_input', 'filters'), posthog: { status: 201 } },
      },
    ],
  },
  {
    name: 'a lock conflict',
    only: 'posthog',
    real: true,
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-lock' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', body: { name: 'theirs' }, expect: ok() },
      {
        ask: 'PATCH /feature_flags/{id}/',
        body: { name: 'ours', version: 1, original_flag: { name: '' } },
        expect: { status: 409, body: { code: 'conflict' } },
      },
    ],
  },
  {
    name: 'the activity of a creation has no changes',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-born' }, expect: { status: 201 }, keep: { id: '/id' } },
      {
        ask: 'GET /feature_flags/{id}/activity/',
        expect: {
          documented: ok({ results: [{ activity: 'created', detail: { name: '{prefix}-born', changes: null } }] }),
          posthog: ok({ results: [{ activity: 'created', detail: { name: '{prefix}-born', changes: [] } }] }),
        },
      },
    ],
  },
  {
    name: 'the activity records every change',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-log' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', body: { active: false }, expect: ok() },
      {
        ask: 'GET /feature_flags/{id}/activity/?limit=1',
        expect: ok({ total_count: 2, results: [{ activity: 'updated', scope: 'FeatureFlag' }] }),
      },
      { ask: 'GET /feature_flags/activity/', expect: ok({ previous: null }) },
    ],
  },
  {
    name: 'the activity names deletion and restoration in PostHog only',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-gone' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', body: { deleted: true }, expect: ok() },
      { ask: 'PATCH /feature_flags/{id}/', body: { deleted: false }, expect: ok() },
      {
        ask: 'GET /feature_flags/{id}/activity/',
        expect: {
          documented: ok({ results: [{ activity: 'updated' }, { activity: 'updated' }, { activity: 'created' }] }),
          posthog: ok({ results: [{ activity: 'restored' }, { activity: 'deleted' }, { activity: 'created' }] }),
        },
      },
    ],
  },
  {
    name: 'the activity has the client that names itself, in PostHog only',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-named' }, expect: { status: 201 }, keep: { id: '/id' } },
      {
        ask: 'PATCH /feature_flags/{id}/',
        body: { active: false },
        headers: { 'x-posthog-client': 'a-client' },
        expect: ok(),
      },
      {
        ask: 'GET /feature_flags/{id}/activity/',
        expect: {
          documented: {
            status: 200,
            members: { '/results/0': ['user', 'activity', 'scope', 'item_id', 'detail', 'created_at'] },
          },
          posthog: ok({ results: [{ client: 'a-client' }, { client: null }] }),
        },
      },
    ],
  },
  {
    name: 'an empty description is no value in the activity of PostHog',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-empty' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', body: { name: 'Described' }, expect: ok() },
      {
        ask: 'GET /feature_flags/{id}/activity/?limit=1',
        expect: {
          documented: ok({
            results: [{ detail: { changes: [{ action: 'changed', before: '', after: 'Described' }] } }],
          }),
          posthog: ok({
            results: [{ detail: { changes: [{ action: 'created', before: null, after: 'Described' }, {}] } }],
          }),
        },
      },
    ],
  },
  {
    name: 'the activity has no changes of tags',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-tags' }, expect: { status: 201 }, keep: { id: '/id' } },
      { ask: 'PATCH /feature_flags/{id}/', body: { tags: ['a'], active: false }, expect: ok({ tags: ['a'] }) },
      {
        ask: 'GET /feature_flags/{id}/activity/?limit=1',
        expect: {
          documented: ok({ results: [{ detail: { changes: [{ field: 'active' }] } }] }),
          posthog: ok({ results: [{ detail: { changes: [{ field: 'active' }, { field: 'version' }] } }] }),
        },
      },
    ],
  },
];
