/** What each kind says of a promoted resource: the names without which it cannot be written. */

import { expect, test } from 'vitest';
import type { PromotionSource } from '../../../src/editing/promotion.ts';
import { facetOf } from '../../../src/editing/actions/facets.ts';

const PROJECT = { name: 'production', roles: {}, cohorts: { beta: 7 } };
const COHORTS = [7, 8, 'crew'].map((value) => ({ key: 'id', type: 'cohort', value }));

test.each<[what: string, name: string, source: PromotionSource, needed: readonly string[]]>([
  [
    'a flag: flags by key, and the cohorts that have a name',
    'checkout',
    { fields: { filters: { groups: [{ properties: [...COHORTS, { key: 'search', type: 'flag', value: true }] }] } } },
    ['search', 'cohort:beta', 'cohort:crew'],
  ],
  [
    'a cohort: the cohorts of its definition that have a name',
    'cohort:vips',
    { fields: { filters: { properties: { type: 'AND', values: COHORTS } } } },
    ['cohort:beta', 'cohort:crew'],
  ],
  ['an early access feature: its flag', 'early_access:share', { fields: {}, flag: 'sharing' }, ['sharing']],
  ['no definition: nothing', 'cohort:vips', { fields: { name: 'VIPs' } }, []],
])('a promotion needs, for %s', (_what, name, source, needed) => {
  expect(facetOf(name).needs(source, PROJECT)).toEqual(needed);
});
