/** Filters: payloads, cohorts, dependencies and the types of values. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Expectation, type Step } from '../behaviour.ts';

const MARK = '"********* (encrypted)"';
const groups = [{ rollout_percentage: 100 }];

function create(name: string, fields: JsonObject = {}): Step {
  const body = { key: `{prefix}-${name}`, filters: { groups }, ...fields };
  return { ask: 'POST /feature_flags/', body, expect: { status: 201 }, keep: { id: '/id' } };
}

function change(body: JsonObject, expect: Expectation): Step {
  return { ask: 'PATCH /feature_flags/{id}/', body, expect };
}

function createEncrypted(name: string): Step {
  const fields = { is_remote_configuration: true, has_encrypted_payloads: true };
  return create(name, { ...fields, filters: { groups, payloads: { true: '"secret"' } } });
}

/** Refused, since no payload is stored. */
const UNKNOWN_SECRET = change(
  { has_encrypted_payloads: true, filters: { groups } },
  refusal(400, 'invalid_input', null),
);

const PAYLOADS: readonly Behaviour[] = [
  ...(
    [
      ['nothing', {}],
      ['null', null],
      ['the mark', { true: MARK }],
    ] as [string, JsonValue][]
  ).map(([what, payloads]): Behaviour => ({
    name: `an encrypted payload is kept when the payloads sent are ${what}`,
    only: 'posthog',
    real: true,
    steps: [
      createEncrypted(`kept-${what.replace(' ', '-')}`),
      change({ filters: { groups, payloads } }, ok({ filters: { payloads: { true: '"secret"' } } })),
    ],
  })),
  {
    name: 'an encrypted payload is kept when the filters sent have no payloads',
    only: 'posthog',
    real: true,
    steps: [
      createEncrypted('kept-without'),
      change({ filters: { groups } }, ok({ filters: { payloads: { true: '"secret"' } } })),
    ],
  },
  {
    name: 'the end of encryption removes the payload',
    only: 'posthog',
    real: true,
    steps: [createEncrypted('ended'), change({ has_encrypted_payloads: false }, ok()), UNKNOWN_SECRET],
  },
  {
    name: 'the end of encryption removes the payload when the filters sent have none or the mark',
    only: 'posthog',
    real: true,
    steps: [
      createEncrypted('ended-without'),
      change({ has_encrypted_payloads: false, filters: { groups } }, ok()),
      UNKNOWN_SECRET,
      createEncrypted('ended-mark'),
      change({ has_encrypted_payloads: false, filters: { groups, payloads: { true: MARK } } }, ok()),
      UNKNOWN_SECRET,
    ],
  },
  {
    name: 'the end of encryption stores a new payload',
    only: 'posthog',
    real: true,
    steps: [
      createEncrypted('ended-new'),
      change(
        { has_encrypted_payloads: false, filters: { groups, payloads: { true: '"open"' } } },
        ok({ filters: { payloads: { true: '"open"' } } }),
      ),
    ],
  },
  {
    name: 'encryption does not begin with filters without a payload',
    only: 'posthog',
    real: true,
    steps: [
      create('begun', { is_remote_configuration: true }),
      change({ has_encrypted_payloads: true, filters: { groups } }, refusal(400, 'invalid_input', null)),
      change(
        { has_encrypted_payloads: true, filters: { groups, payloads: { true: MARK } } },
        refusal(400, 'invalid_input', null),
      ),
      change(
        { has_encrypted_payloads: true, filters: { groups, payloads: { true: '"s"' } } },
        ok({ has_encrypted_payloads: true, filters: { payloads: { true: '"s"' } } }),
      ),
    ],
  },
];

const COHORTS_AND_LISTS: readonly Behaviour[] = [
  ...([3, 4] as const).map((cohort): Behaviour => ({
    name: `a cohort that depends on events ${cohort === 3 ? 'itself' : 'through another cohort'} is refused`,
    only: 'posthog',
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: {
          key: '{prefix}-behavioral',
          filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: cohort, operator: 'in' }] }] },
        },
        expect: refusal(400, 'behavioral_cohort_found', 'filters'),
      },
    ],
  })),
  {
    name: 'list parameters ignore what they cannot read',
    only: 'posthog',
    steps: [
      ...['tags=web', 'excluded_tags={', 'excluded_properties=x', 'created_by_id=me'].map((query): Step => ({
        ask: `GET /feature_flags/?${query}`,
        expect: ok({ count: 6 }),
      })),
      { ask: 'GET /feature_flags/?eligible_for_experiment=false', expect: ok({ count: 6 }) },
    ],
  },
  {
    name: 'the list finds flags that are eligible for an experiment, and flags by the name of theirs',
    only: 'posthog',
    steps: [
      { ask: 'GET /feature_flags/?eligible_for_experiment=true', expect: ok({ count: 0 }) },
      { ask: 'GET /feature_flags/?search=running', expect: ok({ count: 1, results: [{ key: 'paying' }] }) },
    ],
  },
  {
    name: 'a search that is too long is refused as a whole',
    only: 'posthog',
    real: true,
    steps: [{ ask: `GET /feature_flags/?search=${'x'.repeat(201)}`, expect: refusal(400, 'invalid_input', null) }],
  },
];

const OTHER: readonly Behaviour[] = [
  {
    name: 'a payload that is a string but not JSON is refused',
    only: 'posthog',
    real: true,
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: { key: '{prefix}-no-json', filters: { groups, payloads: { true: 'plain' } } },
        expect: refusal(400, 'structural.payloads.invalid_payload_json', 'filters'),
      },
    ],
  },
  {
    name: 'a variant of a running experiment cannot be removed',
    only: 'posthog',
    steps: [
      {
        ask: 'PATCH /feature_flags/2/',
        body: { filters: { multivariate: null, payloads: {} } },
        expect: refusal(400, 'invalid_input', 'filters'),
      },
    ],
  },
  {
    name: 'a restored key gets a suffix when a deleted flag holds it',
    only: 'posthog',
    steps: [
      { ask: 'PATCH /feature_flags/3/', body: { deleted: true }, expect: ok({ key: 'off:deleted:3' }) },
      { ask: 'POST /feature_flags/', body: { key: 'off' }, expect: { status: 201 }, keep: { id: '/id' } },
      change({ deleted: true }, ok({ key: 'off' })),
      { ask: 'PATCH /feature_flags/3/', body: { deleted: false }, expect: ok({ key: 'off-2' }) },
      { ask: 'PATCH /feature_flags/3/', body: { key: 'off' }, expect: ok({ key: 'off' }) },
    ],
  },
];

export const FLAG_FILTERS: readonly Behaviour[] = [...PAYLOADS, ...COHORTS_AND_LISTS, ...OTHER];
