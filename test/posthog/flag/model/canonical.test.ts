import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { canonicalFlag, completeForm, withoutInjected } from '../../../../src/posthog/flag/model/canonical.ts';
import { flagFields } from '../../../helpers/arbitraries.ts';
import { holds } from '../../../helpers/runs.ts';

const filters = (value: JsonObject): JsonObject => ({ filters: value });
const condition = (value: JsonObject): JsonObject => filters({ groups: [value] });
const property = (value: JsonObject): JsonObject => condition({ properties: [value] });

const SAME: readonly [name: string, a: JsonObject, b: JsonObject][] = [
  ['white space around a description', { name: ' One page ' }, { name: 'One page' }],
  ['no description and an empty one', { name: '' }, {}],
  ['tags in another order and case', { tags: ['Web', 'api '] }, { tags: ['api', 'web'] }],
  [
    'a timestamp with and without fractions',
    { created_at: '2026-01-01T00:00:00Z' },
    { created_at: '2026-01-01T01:00:00.000+01:00' },
  ],
  ['a null part and an absent one', filters({ groups: [], multivariate: null }), filters({ groups: [] })],
  ['no payloads and empty payloads', filters({ payloads: {} }), filters({})],
  [
    'a payload as value and as text',
    filters({ payloads: { true: { a: [1] } } }),
    filters({ payloads: { true: '{"a": [1]}' } }),
  ],
  [
    'a null payload as value and as text',
    filters({ payloads: { true: null } }),
    filters({ payloads: { true: 'null' } }),
  ],
  ['a rollout of null and of 100', condition({ rollout_percentage: null }), condition({ rollout_percentage: 100 })],
  ['no properties and an empty list', condition({ properties: [] }), condition({})],
  ['no forced variant and null', condition({ variant: null }), condition({})],
  ["the web interface's sort key", condition({ sort_key: 'x' }), condition({})],
  ['operator aliases', property({ key: 'a', operator: 'min' }), property({ key: 'a', operator: 'gte' })],
  ['a number as property key', property({ key: 7 }), property({ key: '7' })],
  [
    'a cohort with and without its name',
    property({ type: 'cohort', cohort_name: 'Beta' }),
    property({ type: 'cohort' }),
  ],
  [
    'an aggregation with and without copies in conditions',
    filters({ aggregation_group_type_index: 1, groups: [{}, {}] }),
    filters({
      groups: [{ aggregation_group_type_index: 1 }, { aggregation_group_type_index: 1 }],
      aggregation_group_type_index: 1,
    }),
  ],
  [
    'an explicit and an implicit aggregation by person',
    filters({ aggregation_group_type_index: null, groups: [{ aggregation_group_type_index: null }] }),
    filters({ groups: [{}] }),
  ],
];

const DIFFERENT: readonly [name: string, a: JsonObject, b: JsonObject][] = [
  [
    'a person property with and without a member named cohort_name',
    property({ type: 'person', cohort_name: 'Beta' }),
    property({ type: 'person' }),
  ],
  ['a condition with and without a description', condition({ description: 'staff' }), condition({})],
  ['one condition and two', filters({ groups: [{}] }), filters({ groups: [{}, {}] })],
  [
    'conditions in another order',
    filters({ groups: [{ variant: 'a' }, {}] }),
    filters({ groups: [{}, { variant: 'a' }] }),
  ],
  ['a rollout of 0 and none', condition({ rollout_percentage: 0 }), condition({})],
  ['a null payload and none', filters({ payloads: { true: null } }), filters({})],
  [
    'a payload of quoted and of unquoted text',
    filters({ payloads: { true: '"on"' } }),
    filters({ payloads: { true: 'on' } }),
  ],
  [
    'large integers that are equal as doubles',
    filters({ payloads: { true: '90071992547409921' } }),
    filters({ payloads: { true: '90071992547409922' } }),
  ],
  [
    'decimals that are equal as doubles',
    filters({ payloads: { true: '12345678901234.5678' } }),
    filters({ payloads: { true: '12345678901234.5679' } }),
  ],
  [
    'a number too large for a double and null',
    filters({ payloads: { true: '1e400' } }),
    filters({ payloads: { true: 'null' } }),
  ],
  [
    'a flag-level aggregation and none',
    filters({ aggregation_group_type_index: 1, groups: [{ aggregation_group_type_index: 0 }] }),
    filters({ groups: [{ aggregation_group_type_index: 0 }] }),
  ],
  [
    'a flag-level aggregation that all conditions share, and none',
    filters({ aggregation_group_type_index: 0, groups: [{ aggregation_group_type_index: 0 }] }),
    filters({ groups: [{ aggregation_group_type_index: 0 }] }),
  ],
  ['a dependency by id and by key', property({ type: 'flag', key: 7 }), property({ type: 'flag', key: '7' })],
  ['continuity on and off', { ensure_experience_continuity: true }, { ensure_experience_continuity: false }],
  [
    'a condition for persons beside one for groups',
    filters({ groups: [{}, { aggregation_group_type_index: 0 }] }),
    filters({ groups: [{ aggregation_group_type_index: 0 }, { aggregation_group_type_index: 0 }] }),
  ],
];

const text = (fields: JsonObject): string => canonicalText(canonicalFlag(fields));

describe('the canonical form', () => {
  it.each(SAME)('makes equal: %s', (_name, a, b) => expect(text(a)).toBe(text(b)));
  it.each(DIFFERENT)('keeps distinct: %s', (_name, a, b) => expect(text(a)).not.toBe(text(b)));

  it('is idempotent', () => {
    fc.assert(
      fc.property(flagFields(), (fields) => {
        const once = canonicalFlag(fields);
        expect(canonicalFlag(once)).toEqual(once);
      }),
    );
  });

  it('is idempotent for any JSON in place of filters, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = canonicalFlag({ filters: value as JsonValue, tags: value as JsonValue });
        expect(canonicalFlag(once)).toEqual(once);
      }),
    );
  });

  it('does not depend on the order of members', () => {
    const reversed = (value: JsonValue): JsonValue =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([k, v]) => [k, reversed(v as JsonValue)]),
            )
          : value;
    fc.assert(
      fc.property(flagFields(), (fields) => {
        expect(text(reversed(fields) as JsonObject)).toBe(text(fields));
      }),
    );
  });

  it('keeps a member named __proto__', () => {
    const read = (json: string): JsonObject => ({ filters: JSON.parse(json) as JsonObject });
    expect(text(read('{"payloads": {"__proto__": {"a": 1}}}'))).toBe('{"filters":{"payloads":{"__proto__":{"a":1}}}}');
    expect(text(read('{"__proto__": {"a": 1}}'))).toBe('{"filters":{"__proto__":{"a":1}}}');
  });

  it('has a complete variant with members that are never compared', () => {
    const compared = { key: 'id', type: 'cohort', operator: 'in' };
    const fields = property({ ...compared, cohort_name: 'Beta', label: 'L', negation: null });
    expect(completeForm(fields)).toEqual(
      filters({
        groups: [{ properties: [{ ...compared, cohort_name: 'Beta', label: 'L' }], rollout_percentage: 100 }],
      }),
    );
    expect(canonicalFlag(fields)).toEqual(filters({ groups: [{ properties: [compared], rollout_percentage: 100 }] }));
  });

  describe('without members that the service adds on reading', () => {
    const cohort = { key: 'id', type: 'cohort', value: 42 };
    const group = { key: '$group_key', type: 'group', value: ['a'] };

    it.each(['groups', 'super_groups', 'holdout_groups'])('has no names of cohorts and groups in %s', (list) => {
      const read = [
        { properties: [{ ...cohort, cohort_name: 'x' }] },
        { properties: [{ ...group, group_key_names: {} }] },
      ];
      expect(withoutInjected({ filters: { [list]: read } })).toEqual({
        filters: { [list]: [{ properties: [cohort] }, { properties: [group] }] },
      });
    });

    it.each<[string, JsonObject]>([
      ['of a payload', { filters: { payloads: { true: { cohort_name: 'x', group_key_names: {} } } } }],
      ['of a payload for a variant', { filters: { payloads: { cohort_name: 1, group_key_names: 2 } } }],
      ['of a variant', { filters: { multivariate: { variants: [{ key: 'a', cohort_name: 'x' }] } } }],
      ['of a condition', { filters: { groups: [{ cohort_name: 'x', group_key_names: {} }] } }],
      ['of a value', { filters: { groups: [{ properties: [{ ...cohort, value: { cohort_name: 'x' } }] }] } }],
      ['of another property', { filters: { groups: [{ properties: [{ key: 'email', cohort_name: 'x' }] }] } }],
      ['of a cohort', { filters: { groups: [{ properties: [{ ...cohort, group_key_names: {} }] }] } }],
      ['of the flag', { cohort_name: 'x', rollback_conditions: { group_key_names: {} } }],
    ])('keeps a member of the same name %s', (_, fields) => {
      expect(withoutInjected(fields)).toEqual(fields);
    });

    it('keeps any other JSON unchanged', () => {
      holds(100, [fc.jsonValue()], (value) => {
        const fields = { filters: value as JsonValue, name: value as JsonValue };
        expect(withoutInjected(fields)).toEqual(fields);
      });
    });
  });
});
