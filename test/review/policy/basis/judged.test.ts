import { expect, it } from 'vitest';
import type { Place } from '../../../../src/base/place.ts';
import { sourceOf } from '../../../../src/review/policy/basis/policy-kind.ts';
import type { Change } from '../../../../src/posthog/plan.ts';

const place = (line: number): Place => ({ file: 'a.yaml', line, column: 1 });
const changes = [
  { resource: 'role_access' },
  {
    fields: [
      { path: '/filters/groups/1/rollout_percentage' },
      { path: '/filters/groups/10/rollout_percentage', source: place(10) },
      { path: '/filters/groups/1/properties', source: place(1) },
      { path: '/filters/multivariate', source: place(2) },
      { path: '/tags', source: place(3) },
    ],
  },
] as unknown as readonly Change[];

it.each<[string, string, number | undefined]>([
  ['the value itself', '/tags', 3],
  ['the first value inside that a manifest declares', '/filters/groups/1', 1],
  ['the value around it', '/filters/multivariate/variants/0', 2],
  ['inside before around', '/filters/groups/1/properties/0', 1],
  ['no value whose name begins alike', '/tag', undefined],
  ['no other element', '/filters/groups/2', undefined],
])('names the line of %s', (_, pointer, line) => {
  expect(sourceOf({ changes }, pointer)).toEqual(line === undefined ? {} : { place: place(line) });
});
