/** The list of cohorts. The interface document lacks it; both eras of PostHog have it. */

import { ok, refusal, type Behaviour } from '../behaviour.ts';

const PAYING = {
  id: 2,
  name: 'Paying',
  is_static: false,
  deleted: false,
  filters: { properties: { type: 'AND', values: [{ key: 'plan', value: 'pro' }] } },
};

export const COHORTS: readonly Behaviour[] = [
  {
    name: 'cohorts are listed newest first, in pages',
    steps: [
      {
        ask: 'GET /cohorts/',
        expect: ok({
          count: 4,
          next: null,
          previous: null,
          results: [{ id: 4, name: 'Buyers on pro' }, { id: 3 }, PAYING, { id: 1, name: 'Listed', is_static: true }],
        }),
      },
      { ask: 'GET /cohorts/?limit=1&offset=2', expect: ok({ count: 4, results: [PAYING] }) },
    ],
  },
  {
    name: 'one cohort is read by its id',
    steps: [
      { ask: 'GET /cohorts/2/', expect: ok(PAYING) },
      { ask: 'GET /cohorts/99/', expect: refusal(404, 'not_found') },
      { ask: 'GET /cohorts/x/', expect: refusal(404, 'not_found') },
    ],
  },
];
