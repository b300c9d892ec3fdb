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

export const FLAG_FILTERS: readonly Behaviour[] = [...PAYLOADS];
