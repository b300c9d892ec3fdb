import { describe, expect, it } from 'vitest';
import { canonicalText, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { toForm, withCommonAggregation, type FormName } from '../../../../src/posthog/flag/model/normal-forms.ts';

const INDEX = 'aggregation_group_type_index';
const groups = (...indices: readonly (number | null | undefined)[]): JsonObject => ({
  groups: indices.map((index) => (index === undefined ? {} : { [INDEX]: index })),
});

describe('the normal forms', () => {
  it.each<[FormName, JsonValue, JsonValue]>([
    ['trimmed', ' a b ', 'a b'],
    ['trimmed', 7, 7],
    ['tags', [' B', 'a', 'b '], ['a', 'b']],
    ['tags', ['A', 1], ['A', 1]],
    ['tags', 'A', 'A'],
    ['set', ['b', 'a', 'b'], ['a', 'b']],
    ['set', ['B', ' a'], [' a', 'B']],
    ['set', ['b', null, 'a'], ['b', null, 'a']],
    ['instant', '2024-01-01 10:00', '2024-01-01T10:00:00Z'],
    ['instant', 'yesterday', 'yesterday'],
    ['instant', 5, 5],
    ['operator', 'min', 'gte'],
    ['operator', 'max', 'lte'],
    ['operator', 'gt', 'gt'],
    ['payload', '[1]', [1]],
    ['payload', ' "a" ', '"a"'],
    ['payload', 'a', 'a'],
    ['payload', 'null', null],
    ['payload', '90071992547409921', 90071992547409921n],
    ['payload', '"90071992547409921"', '"90071992547409921"'],
    ['payload', { a: '[1]' }, { a: '[1]' }],
    ['aggregation', 'x', 'x'],
    ['aggregation', { groups: 'x' }, { groups: 'x' }],
    ['aggregation', { groups: [1] }, { groups: [1] }],
    ['aggregation', { groups: [1, { [INDEX]: null }] }, { groups: [1, { [INDEX]: null }] }],
    ['aggregation', { [INDEX]: 1, ...groups(undefined, 0, null) }, { [INDEX]: 1, ...groups(1, 0, null) }],
    ['aggregation', groups(undefined, 0, null), { [INDEX]: null, ...groups(undefined, 0, undefined) }],
  ])('%s of %o is %o', (form, value, expected) => {
    expect(toForm(form, value, {})).toEqual(expected);
    expect(toForm(form, toForm(form, value, {}), {})).toEqual(expected);
  });

  it.each([500, 501, 100_000])('a payload that nests %i levels deep is compared, beyond 500 as text', (levels) => {
    const text = '['.repeat(levels) + ']'.repeat(levels);
    const found = toForm('payload', text, {});
    expect(typeof found).toBe(levels > 500 ? 'string' : 'object');
    expect(canonicalText(found)).toBe(levels > 500 ? JSON.stringify(text) : text);
  });

  it.each<[JsonValue, JsonObject, JsonValue]>([
    [7, {}, '7'],
    [7, { type: 'person' }, '7'],
    [7, { type: 'flag' }, 7],
    ['7', { type: 'flag' }, '7'],
    [true, {}, true],
  ])('property-key of %j in %j is %j', (value, owner, expected) =>
    expect(toForm('property-key', value, owner)).toBe(expected),
  );

  it.each<[string, JsonObject, number | null | undefined]>([
    ['the one that all conditions share', groups(1, 1), 1],
    ['group type 0', groups(0), 0],
    ['absent if conditions differ', groups(1, 0), undefined],
    ['absent if one condition is for persons', groups(1, null), undefined],
    ['absent if one condition has none', groups(1, undefined), undefined],
    ['absent if all conditions are for persons', groups(null, undefined), undefined],
    ['absent if the list of conditions is empty', groups(), undefined],
    ['unchanged if the flag has its own', { ...groups(1, 1), [INDEX]: 0 }, 0],
    ['unchanged if it is null on the flag', { ...groups(1, 1), [INDEX]: null }, null],
    ['absent if conditions are not objects', { groups: [1] }, undefined],
    ['absent if there is no list of conditions', {}, undefined],
  ])('the common aggregation is %s', (_name, filters, expected) => {
    const meant = withCommonAggregation(filters);
    expect(meant[INDEX]).toBe(expected);
    expect(meant === filters).toBe(expected === filters[INDEX]);
  });
});
