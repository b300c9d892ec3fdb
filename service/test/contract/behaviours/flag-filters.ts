/** Filters: payloads, cohorts, dependencies and the types of values. */

import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
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
    ...(cohort === 4 ? { only: 'posthog' } : {}),
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

/** Filters with a condition on the flag that was kept under this name. */
function onFlag(name: string): JsonObject {
  const property = { key: `{${name}}`, type: 'flag', operator: 'flag_evaluates_to', value: true };
  return { groups: [{ properties: [property], rollout_percentage: 100 }] };
}

function createAs(name: string, fields: JsonObject = {}): Step {
  const body = { key: `{prefix}-${name}`, filters: { groups }, ...fields };
  return { ask: 'POST /feature_flags/', body, expect: { status: 201 }, keep: { [name]: '/id' } };
}

function changeOf(name: string, body: JsonObject, expect: Expectation): Step {
  return { ask: `PATCH /feature_flags/{${name}}/`, body, expect };
}

const REFUSED_FILTERS = refusal(400, 'invalid_input', 'filters');

/** After the server's tests of dependencies on disabled flags (`test_feature_flag_dependency_disabling.py`). */
const DEPENDENCIES: readonly Behaviour[] = [true, false].map((active): Behaviour => ({
  name: `a condition on a disabled flag is refused in a flag that is ${active ? 'enabled' : 'disabled'}`,
  only: 'posthog',
  real: true,
  steps: [
    createAs('off', { active: false }),
    {
      ask: 'POST /feature_flags/',
      body: { key: '{prefix}-dependent', active, filters: onFlag('off') },
      expect: REFUSED_FILTERS,
    },
    createAs('dependent', { active }),
    changeOf('dependent', { filters: onFlag('off') }, REFUSED_FILTERS),
    changeOf('off', { active: true }, ok()),
    changeOf('dependent', { filters: onFlag('off') }, ok()),
    // So that both can be removed.
    changeOf('dependent', { filters: { groups } }, ok()),
  ],
}));

const DISABLED_DEPENDENCIES: readonly Behaviour[] = [
  {
    name: 'filters that keep a condition on a disabled flag are refused, and other updates are not',
    only: 'posthog',
    real: true,
    steps: [
      createAs('base'),
      createAs('dependent', { active: false, filters: onFlag('base') }),
      changeOf('base', { active: false }, ok()),
      changeOf('dependent', { name: 'new' }, ok()),
      changeOf('dependent', { filters: {} }, ok()),
      changeOf('dependent', { filters: { payloads: { true: '1' } } }, REFUSED_FILTERS),
      createAs('last'),
      changeOf('last', { filters: onFlag('dependent') }, REFUSED_FILTERS),
    ],
  },
  {
    name: 'a flag is not enabled by the request that removes its condition on a disabled flag',
    only: 'posthog',
    real: true,
    steps: [
      createAs('base'),
      createAs('dependent', { active: false, filters: onFlag('base') }),
      changeOf('base', { active: false }, ok()),
      changeOf('dependent', { active: true }, refusal(400, 'invalid_input', null)),
      changeOf('dependent', { active: true, filters: { groups } }, refusal(400, 'invalid_input', null)),
      changeOf('dependent', { filters: { groups } }, ok()),
      changeOf('dependent', { active: true }, ok()),
    ],
  },
];

function createWith(name: string, filters: JsonObject, expect: Step['expect']): Behaviour {
  return {
    name,
    real: true,
    steps: [{ ask: 'POST /feature_flags/', body: { key: '{prefix}-refused', filters }, expect }],
  };
}

function structural(place: string): Expectation {
  return refusal(400, `structural.${place}`, 'filters');
}

/** After the server's tests of the filter schema (`test_filters_schema.py`), and its rules of 2023. */
const SHAPES: readonly Behaviour[] = [
  createWith(
    'a property without a type is refused (property_type_missing)',
    { groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] },
    { documented: REFUSED_FILTERS, posthog: structural('groups[].properties[].type.required') },
  ),
  createWith(
    'a property of events is refused (property_type_unknown)',
    { groups: [{ properties: [{ key: 'plan', type: 'event', value: 'pro' }] }] },
    { documented: REFUSED_FILTERS, posthog: structural('groups[].properties[].type.invalid_choice') },
  ),
  {
    ...createWith(
      'a percentage that is a string is refused (group_rollout_string)',
      { groups: [{ rollout_percentage: '50' }] },
      structural('groups[].rollout_percentage.invalid'),
    ),
    only: 'posthog',
  },
  createWith(
    'a forced variant that is a number is refused (group_variant_numeric)',
    { groups: [{ rollout_percentage: 50, variant: 123 }] },
    { documented: REFUSED_FILTERS, posthog: structural('groups[].variant.invalid') },
  ),
  createWith(
    'an index that is a string is refused (group_aggregation_string)',
    { groups: [{ rollout_percentage: 50, aggregation_group_type_index: '0' }] },
    { documented: { status: 201 }, posthog: structural('groups[].aggregation_group_type_index.invalid') },
  ),
  createWith(
    'null payloads were refused in 2023 (null_payloads)',
    { groups, payloads: null },
    { documented: REFUSED_FILTERS, posthog: { status: 201 } },
  ),
  createWith(
    'an unknown cohort is refused',
    { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 987_654_321 }] }] },
    refusal(400, 'cohort_does_not_exist', 'filters'),
  ),
];

export const FLAG_FILTERS: readonly Behaviour[] = [
  ...PAYLOADS,
  ...COHORTS_AND_LISTS,
  ...DEPENDENCIES,
  ...DISABLED_DEPENDENCIES,
  ...SHAPES,
  ...OTHER,
];
