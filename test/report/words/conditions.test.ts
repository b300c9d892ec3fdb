/** Conditions in words. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { conditionText } from '../../../src/report/words/values.ts';

test.each<[JsonValue, string]>([
  [{}, 'everyone → 100%'],
  ['not a condition', '"not a condition"'],
  [{ properties: ['x', { key: 'a', value: 1, odd: null }] }, 'x and a is 1 → 100%'],
  [{ properties: [{ operator: 'is_set', value: 'is_set' }] }, 'null is set → 100%'],
  [{ properties: [{ key: 'a', operator: null, value: 'b' }] }, 'a is b → 100%'],
  [{ properties: [{ key: 'size', type: 'group', value: 5 }] }, 'group null size is 5 → 100%'],
  [{ properties: [{ key: 'size', type: 'group', group_type_index: 2, value: 5 }] }, 'group 2 size is 5 → 100%'],
  [{ properties: [{ key: 'b', type: 'flag', operator: 'flag_evaluates_to', value: true }] }, 'flag b is true → 100%'],
  [{ properties: 'x', rollout_percentage: 5 }, 'everyone → 5% (properties: x)'],
])('%j is %s', (condition, text) => {
  expect(conditionText(condition, {}, false)).toBe(text);
});

test('shows empty members on request only', () => {
  const condition: JsonObject = { properties: [], sort_key: 'k', later: [], variant: '' };
  expect(conditionText(condition, {}, false)).toBe('everyone → 100%');
  expect(conditionText(condition, {}, true)).toBe('everyone → 100% (sort_key: k, later: [])');
});

test('shows properties as the service has them on request', () => {
  const condition: JsonObject = { properties: [{ key: 'a', operator: 'gt', value: '5' }] };
  expect(conditionText(condition, {}, true)).toBe('{ key: a, operator: gt, value: "5" } → 100%');
});

test('names the groups that a condition is about', () => {
  const byGroup = { aggregation_group_type_index: 1 };
  expect(conditionText({ rollout_percentage: 10 }, byGroup, false)).toBe('every group of type 1 → 10%');
  expect(conditionText({ properties: [{ key: 'a', value: 1 }] }, byGroup, false)).toBe(
    'a is 1 (groups of type 1) → 100%',
  );
});
