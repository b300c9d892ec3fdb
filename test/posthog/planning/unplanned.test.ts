import { expect, it } from 'vitest';
import { findLeftOut } from '../../../src/posthog/planning/unplanned.ts';

it('finds flags and cohorts that differ in what no plan can write', () => {
  expect(
    findLeftOut([
      { code: 'create_opaque', key: 'rules', format: '2' },
      { code: 'filters_opaque', key: 'other', format: '2', omitted: ['filters'], uncertain: [] },
      { code: 'filters_opaque', key: 'named', format: '2', omitted: [], uncertain: ['name'] },
      { code: 'cohort_static', key: 'cohort:beta', id: 42 },
      { code: 'cannot_edit', key: 'closed', id: 7 },
    ]),
  ).toEqual([
    { resource: 'flag', key: 'rules' },
    { resource: 'flag', key: 'other' },
    { resource: 'cohort', key: 'cohort:beta' },
  ]);
});
