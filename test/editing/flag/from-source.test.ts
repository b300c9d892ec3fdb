import { expect, it } from 'vitest';
import { isOfFlagPart } from '../../../src/editing/flag/facet.ts';

const PARTS = [
  'active',
  'description',
  'tags',
  'conditions',
  'variants',
  'payloads',
  'rollout',
  'role_access',
] as const;

it.each<[string, readonly string[]]>([
  ['/active', ['active']],
  ['/name', ['description']],
  ['/tags/0', ['tags']],
  ['/role_access/roles/growth', ['role_access']],
  ['/filters/groups/0/rollout_percentage', ['conditions', 'rollout']],
  ['/filters/groups/0/properties/0/value', ['conditions']],
  ['/filters/groups/0', ['conditions']],
  ['/filters/aggregation_group_type_index', ['conditions']],
  ['/filters/multivariate/variants/0/rollout_percentage', ['variants']],
  ['/filters/payloads/true', ['payloads']],
  ['/filters/super_groups', []],
  ['/filters', []],
  ['/groups/active', []],
  ['/key', []],
])('a difference at %s is one of the parts %j', (path, expected) => {
  expect(PARTS.filter((part) => isOfFlagPart(path, [part]))).toEqual(expected);
  expect(isOfFlagPart(path, PARTS)).toBe(expected.length > 0);
  expect(isOfFlagPart(path, [])).toBe(false);
});
