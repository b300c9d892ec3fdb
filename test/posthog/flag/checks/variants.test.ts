import { expect, it } from 'vitest';
import { problemsOfFilters } from '../../../core/manifest/check.ts';

const thirds =
  '[{ key: a, rollout_percentage: 33.33 }, { key: b, rollout_percentage: 33.33 }, { key: c, rollout_percentage: 33.34 }]';
const halves = '[{ key: control, rollout_percentage: 50 }, { key: test, rollout_percentage: 50 }]';
const flag = (variants: string, condition = '{}'): string =>
  `{ groups: [${condition}], multivariate: { variants: ${variants} } }`;

it.each([
  [flag(thirds), []],
  [flag(halves, '{ variant: test }'), []],
  [flag(halves, '{ variant: null }'), []],
  ['{ groups: [{}], multivariate: null }', []],
  [flag('[{ key: a, rollout_percentage: 99 }]'), ['error variants-sum /multivariate/variants']],
  [
    flag('[{ key: a, rollout_percentage: 50 }, { key: a, rollout_percentage: 50 }]'),
    ['error variant-duplicate /multivariate/variants/1/key'],
  ],
  [flag('[{ key: "a b", rollout_percentage: 100 }]'), ['warning value-pattern /multivariate/variants/0/key']],
  [flag(halves, '{ variant: tset }'), ['error variant-unknown /groups/0/variant']],
  ['{ groups: [{ variant: a }] }', ['error variant-unknown /groups/0/variant']],
  [flag('[]'), ['error length-out-of-range /multivariate/variants']],
  [
    flag('[{ key: a, rollout_percentage: 101 }]'),
    ['error value-out-of-range /multivariate/variants/0/rollout_percentage'],
  ],
  [flag('[{ key: a }]'), ['error property-missing /multivariate/variants/0']],
])('%s', (filters, expected) => {
  expect(problemsOfFilters(filters)).toEqual(expected);
});
