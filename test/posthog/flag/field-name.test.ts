/** Names for the places of JSON pointers, which people paste into `ownership:`. */

import { expect, it } from 'vitest';
import { pointersOf } from '../../../src/core/engine/field-path.ts';
import { nameOfPointer, parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';

const FLAG = {
  name: 'Checkout',
  active: true,
  filters: {
    groups: [{ properties: [{ key: 'plan', value: 'pro' }], rollout_percentage: 5 }, { rollout_percentage: 10 }],
    multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] },
    payloads: { a: '1', 'b.c': '2' },
  },
};

it.each([
  ['/active', 'active'],
  ['/name', 'description'],
  ['/tags', 'tags'],
  ['/filters', 'filters'],
  ['/filters/groups', 'conditions'],
  ['/filters/groups/1', 'conditions.2'],
  ['/filters/groups/0/rollout_percentage', 'conditions.1.rollout_percentage'],
  ['/filters/payloads/a', 'payloads.a'],
  // No name without quotation marks, or none that fits every flag.
  ['/filters/payloads/b.c', '/filters/payloads/b.c'],
  ['/filters/payloads/*', '/filters/payloads/*'],
  ['/filters/multivariate/variants/0/rollout_percentage', '/filters/multivariate/variants/0/rollout_percentage'],
  ['/filters/groups/0/properties/0/value', '/filters/groups/0/properties/0/value'],
  ['/filters/holdout', '/filters/holdout'],
  ['/archived', '/archived'],
  ['/role_access/default', '/role_access/default'],
])('%s is named %s, which names the same place', (pointer, name) => {
  expect(nameOfPointer(pointer)).toBe(name);
  const path = parseFieldPath(name);
  if ('problem' in path) throw new Error(JSON.stringify(path.problem));
  if (!pointer.includes('*')) expect(pointersOf(path, FLAG)).toEqual([pointer]);
});
