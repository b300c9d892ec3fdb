import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor, failureOf } from '../support/client.ts';
import { serveInTurn } from '../support/server.ts';

const FLAGS = '/api/projects/1/feature_flags/';
const SAMPLE = { id: 7, key: 'a', filters: {} };
const ACTIVITY = {
  results: [{ id: 'x', activity: 'updated', item_id: '7' }],
  next: null,
  previous: null,
  total_count: 1,
};
const REASONS = { a: { value: 'blue', evaluation: { reason: 'condition_match', condition_index: 1 } } };
const LOCAL = { flags: [SAMPLE], group_type_mapping: { '0': 'company' } };
const MINE = [{ feature_flag: SAMPLE, value: true }];
const EVERYBODY = { affected: 12, total: 340 };

interface Case {
  readonly call: (client: ServiceClient) => Promise<unknown>;
  readonly method?: string;
  readonly url: string;
  readonly body?: string;
  readonly answer: unknown;
  readonly result?: unknown;
}

const CASES: readonly (readonly [string, Case])[] = [
  ['flagActivity', { call: (c) => c.flagActivity(7), url: '7/activity/', answer: ACTIVITY }],
  [
    'flagActivity, one page',
    { call: (c) => c.flagActivity(7, { limit: 5, page: 2 }), url: '7/activity/?limit=5&page=2', answer: ACTIVITY },
  ],
  [
    'flagActivity, sample body',
    { call: (c) => c.flagActivity(7), url: '7/activity/', answer: SAMPLE, result: { results: [SAMPLE] } },
  ],
  ['projectFlagActivity', { call: (c) => c.projectFlagActivity(), url: 'activity/', answer: ACTIVITY }],
  [
    'evaluationReasons',
    {
      call: (c) => c.evaluationReasons({ distinctId: 'u 1' }),
      url: 'evaluation_reasons/?distinct_id=u+1',
      answer: REASONS,
    },
  ],
  [
    'evaluationReasons of a group, sample body',
    {
      call: (c) => c.evaluationReasons({ distinctId: 'u', groups: { company: 'acme' } }),
      url: 'evaluation_reasons/?distinct_id=u&groups=%7B%22company%22%3A%22acme%22%7D',
      answer: SAMPLE,
    },
  ],
  ['localEvaluation', { call: (c) => c.localEvaluation(), url: 'local_evaluation/', answer: LOCAL }],
  [
    'dependentFlags',
    {
      call: (c) => c.dependentFlags(7),
      url: '7/dependent_flags/',
      answer: [{ id: 8, key: 'b', name: 'b' }],
    },
  ],
  [
    'flagStatus',
    { call: (c) => c.flagStatus(7), url: '7/status/', answer: { status: 'stale', reason: 'Not called.', rollout: {} } },
  ],
  ['myFlags', { call: (c) => c.myFlags(), url: 'my_flags/', answer: MINE }],
  [
    'myFlags of a group, sample body',
    {
      call: (c) => c.myFlags({ groups: { company: 'acme' } }),
      url: 'my_flags/?groups=%7B%22company%22%3A%22acme%22%7D',
      answer: SAMPLE,
      result: [SAMPLE],
    },
  ],
  [
    'userBlastRadius',
    {
      call: (c) => c.userBlastRadius({ condition: { properties: [] } }),
      method: 'POST',
      url: 'user_blast_radius/',
      body: '{"condition":{"properties":[]},"group_type_index":null}',
      answer: EVERYBODY,
    },
  ],
  [
    'userBlastRadius of groups, as in 2023',
    {
      call: (c) => c.userBlastRadius({ condition: {}, groupTypeIndex: 0 }),
      method: 'POST',
      url: 'user_blast_radius/',
      body: '{"condition":{},"group_type_index":0}',
      answer: { users_affected: 12, total_users: 340 },
      result: EVERYBODY,
    },
  ],
];

test.each(CASES)('%s', async (_name, { call, method = 'GET', url, body = '', answer, result = answer }) => {
  const { host, seen } = await serveInTurn({ body: answer });
  expect(await call(clientFor(host))).toEqual(result);
  expect(seen).toMatchObject([{ method, url: `${FLAGS}${url}`, body }]);
});

describe('answers of another shape', () => {
  test.each<[string, (client: ServiceClient) => Promise<unknown>, unknown]>([
    ['evaluationReasons', (c) => c.evaluationReasons({ distinctId: 'u' }), []],
    ['localEvaluation', (c) => c.localEvaluation(), 'text'],
    ['myFlags', (c) => c.myFlags(), [1]],
    ['dependentFlags', (c) => c.dependentFlags(1), [{ id: 8 }]],
    ['flagStatus', (c) => c.flagStatus(1), { status: 'stale' }],
    ['flagActivity', (c) => c.flagActivity(1), null],
    ['userBlastRadius', (c) => c.userBlastRadius({ condition: {} }), SAMPLE],
  ])('%s', async (operation, call, body) => {
    const { host } = await serveInTurn({ body: JSON.stringify(body) });
    expect(await failureOf(call(clientFor(host)))).toMatchObject({
      operation,
      failure: { kind: 'invalid_answer', why: 'shape' },
      mayHaveHappened: false,
    });
  });
});

test('userBlastRadius writes nothing and is repeated', async () => {
  const { host, seen } = await serveInTurn({ status: 503 }, { body: EVERYBODY });
  expect(await clientFor(host).userBlastRadius({ condition: {} })).toEqual(EVERYBODY);
  expect(seen).toHaveLength(2);
});
