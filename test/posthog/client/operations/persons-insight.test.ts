import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor } from '../support/client.ts';
import { serveInTurn } from '../support/server.ts';

const PERSONS = '/api/projects/1/persons/';
const SAMPLE = { id: 7, properties: {} };
const ACTIVITY = { results: [{ id: 'x', activity: 'updated' }], next: null, previous: null, total_count: 1 };
const TIMELINE = { points: [], crossed_over: false, effective_date_from: null, effective_date_to: null };
const COHORT = { id: 42, name: 'Beta' };

interface Case {
  readonly call: (client: ServiceClient) => Promise<unknown>;
  readonly url: string;
  /** The answer of the real service, and the client's result. */
  readonly real: readonly [unknown, unknown];
  /** The result for the sample body of the document. */
  readonly sample: unknown;
}

const CASES: readonly (readonly [string, Case])[] = [
  [
    'personActivity',
    {
      call: (c) => c.personActivity(7, { limit: 5, page: 2 }),
      url: '7/activity/?limit=5&page=2',
      real: [ACTIVITY, ACTIVITY],
      sample: { results: [SAMPLE] },
    },
  ],
  [
    'projectPersonActivity',
    {
      call: (c) => c.projectPersonActivity(),
      url: 'activity/',
      real: [ACTIVITY, ACTIVITY],
      sample: { results: [SAMPLE] },
    },
  ],
  [
    'personPropertiesTimeline',
    {
      call: (c) => c.personPropertiesTimeline(7),
      url: '7/properties_timeline/',
      real: [TIMELINE, TIMELINE],
      sample: SAMPLE,
    },
  ],
  [
    'personCohorts',
    {
      call: (c) => c.personCohorts(7),
      url: 'cohorts/?person_id=7',
      real: [{ results: [COHORT] }, [COHORT]],
      sample: [SAMPLE],
    },
  ],
  [
    'personProperties',
    {
      call: (c) => c.personProperties(),
      url: 'properties/',
      real: [[{ name: 'email', count: 3 }], [{ name: 'email', count: 3 }]],
      sample: [SAMPLE],
    },
  ],
  [
    'personValues',
    {
      call: (c) => c.personValues({ key: '$os', value: 'Mac OS' }),
      url: 'values/?key=%24os&value=Mac+OS',
      real: [[{ name: 'Mac OS X', count: 3 }], [{ name: 'Mac OS X', count: 3 }]],
      sample: [SAMPLE],
    },
  ],
];

describe.each(CASES)('%s', (_name, { call, url, real, sample }) => {
  test.each([
    ['the real service', real[0], real[1]],
    ['the sample body', SAMPLE, sample],
  ])('%s', async (_source, body, result) => {
    const { host, seen } = await serveInTurn({ body });
    expect(await call(clientFor(host))).toEqual(result);
    expect(seen).toMatchObject([{ method: 'GET', url: PERSONS + url, body: '' }]);
  });
});
