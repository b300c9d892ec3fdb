import { describe, expect, test } from 'vitest';
import { FLAG_LABELS } from '../../../src/posthog/flag/labels.ts';

describe('the label of the field', () => {
  test.each([
    ['/name', 'description'],
    ['/active', 'active'],
    ['/filters', 'filters'],
    ['/filters/groups', 'conditions'],
    ['/filters/groups/1/rollout_percentage', 'condition 2 · rollout_percentage'],
    ['/filters/groups/0/properties/2', 'condition 1 · property 3'],
    ['/filters/groups/0/properties/2/value/0', 'condition 1 · property 3 · value.0'],
    ['/filters/groups/0/properties/12/value', 'condition 1 · property 13 · value'],
    ['/filters/groups/0/properties', 'condition 1 · properties'],
    ['/filters/groups/0/properties/1a/value', 'condition 1 · properties.1a.value'],
    ['/filters/groups/0/other/1/value', 'condition 1 · other.1.value'],
    ['/filters/groups/a1', 'conditions · a1'],
    ['/filters/groups/1a', 'conditions · 1a'],
    ['/filters/groups/10', 'condition 11'],
    ['/filters/groups/0/properties/2/value/0/b', 'condition 1 · property 3 · value.0.b'],
    ['/filters/multivariate/variants/0/key', 'variant 1 · key'],
    ['/filters/payloads/a~1b', 'payload a/b'],
    ['/filters/payloads/a/color', 'payload a · color'],
    ['/filters/aggregation_group_type_index', 'filters.aggregation_group_type_index'],
    ['/tags', 'tags'],
    ['', 'flag'],
  ])('%s is %s', (pointer, label) => {
    expect(FLAG_LABELS.field(pointer)).toBe(label);
  });
});

test('only a rollout percentage has the unit percent', () => {
  expect(FLAG_LABELS.unit('/filters/groups/0/rollout_percentage')).toBe('%');
  expect(FLAG_LABELS.unit('/filters/aggregation_group_type_index')).toBe('');
});

test.each([
  ['/evaluation_runtime', 'all'],
  ['/bucketing_identifier', 'distinct_id'],
  ['/is_remote_configuration', false],
  ['/archived', false],
  ['/deleted', false],
  ['/name', undefined],
  ['/tags', undefined],
  ['/filters/groups/0/variant', undefined],
])('no value at %s reads as %s', (pointer, usual) => {
  expect(FLAG_LABELS.absent(pointer)).toBe(usual);
});
