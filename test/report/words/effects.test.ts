import { describe, expect, it } from 'vitest';
import type { JsonArray, JsonObject } from '../../../src/base/json.ts';
import type { Effect, NumberedCondition } from '../../../src/review/effects/effect.ts';
import { effectText } from '../../../src/report/words/effects.ts';

const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const SOME = { ...US, value: ['US', 'DE'] };
const condition = { number: 2, condition: { properties: [US], rollout_percentage: 25 } };
const shared = (share?: number, ...properties: JsonObject[]): NumberedCondition => ({
  number: 1,
  condition: {
    ...(properties.length === 0 ? {} : { properties }),
    ...(share === undefined ? {} : { rollout_percentage: share }),
  },
});
const everyone = { number: 1, condition: { rollout_percentage: 100 } };

describe('effectText', () => {
  it.each<[string, Effect]>([
    [
      'condition 2 (country is US): 10% → 35%',
      { what: 'rollout', classes: ['widen'], condition, before: 10, after: 35, points: 25 },
    ],
    [
      'condition 2 (country is US): also requires plan is set; no longer requires in cohort 42; country is US becomes country is one of US, DE',
      {
        what: 'audience',
        classes: ['widen', 'narrow'],
        condition,
        added: [{ key: 'plan', operator: 'is_set' }],
        removed: [{ key: 'id', type: 'cohort', operator: 'in', value: 42 }],
        changed: [{ before: US, after: SOME }],
      },
    ],
    [
      'condition 2 (country is US) is new, for 25% of its people',
      { what: 'condition_added', classes: ['widen'], condition },
    ],
    [
      'former condition 1 (everyone) is removed; it was for 100% of its people',
      { what: 'condition_removed', classes: ['narrow'], condition: everyone },
    ],
    [
      'condition 1 (everyone) was condition 2; the order matters here',
      { what: 'condition_moved', classes: ['re-split'], condition: everyone, from: 2, matters: true },
    ],
    [
      'condition 1 (everyone) has other conditions before it now; the order does not matter here',
      { what: 'condition_moved', classes: ['metadata'], condition: everyone, from: 1, matters: false },
    ],
    [
      'condition 1 (everyone) was condition 2; the order does not matter here',
      { what: 'condition_moved', classes: ['metadata'], condition: everyone, from: 2, matters: false },
    ],
    [
      'condition 1 (everyone) forces the variant test',
      { what: 'condition_variant', classes: ['re-split'], condition: everyone, before: null, after: 'test' },
    ],
    [
      'condition 1 (everyone) forces the variant test instead of control',
      { what: 'condition_variant', classes: ['re-split'], condition: everyone, before: 'control', after: 'test' },
    ],
    [
      'condition 1 (everyone) no longer forces the variant test',
      { what: 'condition_variant', classes: ['re-split'], condition: everyone, before: 'test', after: null },
    ],
    [
      'condition 1 (everyone): another description',
      { what: 'condition_description', classes: ['metadata'], condition: everyone },
    ],
    [
      'variants control 100% → control 50%, test 40%, none 10%: 50% of people get another variant',
      {
        what: 'variants',
        classes: ['re-split'],
        before: [{ key: 'control', percentage: 100 }],
        after: [{ key: 'control', percentage: 50 }, { key: 'test', percentage: 40 }, { percentage: 10 }],
        moved: 50,
      },
    ],
    ['the payload of test is changed', { what: 'payload', classes: ['payload'], payload: 'test', how: 'changed' }],
    ['the flag is disabled, and off for everybody', { what: 'switched', classes: ['kill'], on: false }],
    ['the flag is enabled', { what: 'switched', classes: ['enable'], on: true }],
    [
      'the key a becomes b, and everyone is reassigned',
      { what: 'renamed', classes: ['re-bucket'], from: 'a', to: 'b' },
    ],
    [
      'aggregation_group_type_index (none) → 0, and everyone is reassigned',
      { what: 'bucketing', classes: ['re-bucket'], field: 'aggregation_group_type_index', after: 0 },
    ],
    [
      'condition 1 (everyone): aggregation_group_type_index null → 0, and its people are reassigned',
      {
        what: 'bucketing',
        classes: ['re-bucket'],
        field: 'aggregation_group_type_index',
        before: null,
        after: 0,
        condition: everyone,
      },
    ],
    [
      'condition 1 (everyone): its properties are written differently, for the same people',
      { what: 'condition_rewritten', classes: ['metadata'], condition: everyone },
    ],
    [
      'condition 1 (every group of type 0) is new, for 100% of its people; this release cannot judge it',
      {
        what: 'condition_added',
        classes: ['opaque'],
        condition: { number: 1, condition: { aggregation_group_type_index: 0, shiny: 1 } },
      },
    ],
    ...[
      ['group 1 plan is pro', { key: 'plan', type: 'group', group_type_index: 1, operator: 'exact', value: 'pro' }],
      ['in cohort 7', { key: 'id', type: 'cohort', operator: 'exact', value: 7 }],
      ['not in cohort 7', { key: 'id', type: 'cohort', operator: 'not_in', value: 7 }],
      ['country is []', { ...US, value: [] }],
      ['country is US (shiny: 1)', { ...US, shiny: 1 }],
      ['country is one of 1, 2, 3, 4, 5 and 1 other', { ...US, value: [1, 2, 3, 4, 5, 6] }],
    ].map(([text, property]): [string, Effect] => [
      `condition 1 (${text as string}) is new, for 100% of its people`,
      {
        what: 'condition_added',
        classes: ['widen'],
        condition: { number: 1, condition: { properties: [property as JsonObject] } },
      },
    ]),
    ...[
      ['the list of country gains DE, FR and loses US', ['US', 1, 2, 3, 4], [1, 2, 3, 4, 'DE', 'FR']],
      ['the list of country gains DE', [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 'DE']],
      ['the list of country loses DE', [1, 2, 3, 4, 5, 'DE'], [1, 2, 3, 4, 5]],
      ['the list of country loses CH', ['AT', 'CH', 'DE'], ['AT', 'DE']],
      ['country is US becomes country is one of US, DE', ['US'], ['US', 'DE']],
    ].map(([text, before, after]): [string, Effect] => [
      `condition 2 (country is US): ${text as string}`,
      {
        what: 'audience',
        classes: ['widen', 'narrow'],
        condition,
        added: [],
        removed: [],
        changed: [{ before: { ...US, value: before as JsonArray }, after: { ...US, value: after as JsonArray } }],
      },
    ]),
    [
      'evaluation_runtime server → all',
      { what: 'setting', classes: ['widen'], field: 'evaluation_runtime', before: 'server' },
    ],
    ['early_exit (none) → true', { what: 'setting', classes: ['narrow'], field: 'early_exit', after: true }],
    [
      'description changes, which does not affect evaluation',
      { what: 'metadata', classes: ['metadata'], field: 'name' },
    ],
    [
      '/filters/shiny 1 → 2, which this release cannot judge',
      { what: 'unknown', classes: ['opaque'], path: '/filters/shiny', before: 1, after: 2 },
    ],
    ...(
      [
        ['nobody gets it yet: it is disabled', { active: false, conditions: [condition] }],
        ['nobody gets it yet: it has no condition', { conditions: [] }],
        ['nobody gets it yet: its rollout is 0%', { conditions: [shared(0, US), shared(0)] }],
        ['on for everyone', { conditions: [shared(10, US), shared(100)] }],
        ['on for 10% of everyone', { conditions: [shared(10)] }],
        ['on for 100% of condition 1 (country is US)', { conditions: [shared(undefined, US)] }],
        [
          'on for 10% of condition 1 (country is US) and 0.5% of everyone',
          { conditions: [shared(10, US), shared(0, US), shared(0.5)] },
        ],
        [
          'on for 100% of condition 1 (country is US), 100% of condition 1 (country is US), 100% of condition 1 (country is US) and 2 more conditions',
          { conditions: Array.from({ length: 5 }, () => shared(100, US)) },
        ],
        [
          'on for 100% of every group of type 0',
          { conditions: [{ number: 1, condition: { aggregation_group_type_index: 0 } }] },
        ],
        ['on for 10% of everyone; early_exit decides too', { conditions: [shared(10)], others: ['early_exit'] }],
        [
          'on for 100% of everyone; evaluation_runtime and holdout decide too',
          { conditions: [shared(100)], others: ['evaluation_runtime', 'holdout'] },
        ],
        ['feature_enrollment decides who gets it', { conditions: [], others: ['feature_enrollment'] }],
        [
          'its payload is for everybody who reads remote configurations',
          { active: false, conditions: [], others: ['is_remote_configuration'] },
        ],
        ['this release cannot judge who gets it', { conditions: [], others: ['filters'] }],
      ] as const
    ).flatMap(([text, facts]) =>
      (['created', 'restored'] as const).map((what): [string, Effect] => [
        text,
        { what, classes: [what === 'created' ? 'create' : 'restore'], active: true, ...facts },
      ]),
    ),
    ['nobody gets a value from it', { what: 'deleted', classes: ['delete'] }],
    ['grant of platform', { what: 'access', classes: ['access'], action: 'grant', role: 'platform' }],
    ['adjust of everyone', { what: 'access', classes: ['access'], action: 'adjust' }],
    [
      'other people may be in the cohort: may change who gets a, b',
      { what: 'cohort', classes: ['widen'], action: 'update', flags: ['a', 'b'] },
    ],
    [
      'more people are in the cohort: may change who gets a',
      { what: 'cohort', classes: ['widen'], action: 'update', flags: ['a'], audience: 'wider' },
    ],
    [
      "the definition of the cohort is written differently, which changes nobody's value of a",
      { what: 'cohort', classes: ['metadata'], action: 'update', flags: ['a'], audience: 'same' },
    ],
    ['delete of a cohort that decides in a', { what: 'cohort', classes: ['delete'], action: 'delete', flags: ['a'] }],
    ['create of a cohort that no flag uses', { what: 'cohort', classes: ['metadata'], action: 'create', flags: [] }],
  ])('says %s', (text, effect) => {
    expect(effectText(effect)).toBe(text);
  });

  it('escapes what the service and manifests say', () => {
    const hostile = { number: 1, condition: { properties: [{ ...US, key: 'a\u001b[31m\n', value: '`x`\u0007' }] } };
    const text = effectText({ what: 'condition_added', classes: ['widen'], condition: hostile });
    for (const character of ['\u001b', '\n', '\u0007']) expect(text).not.toContain(character);
  });
});
