/** What a plan cannot write, so that it is not taken for applied. */

import { describe, expect, it, test } from 'vitest';
import type { LeftChange } from '../../../src/core/engine/matched.ts';
import { findUnwritable, findUnrecorded } from '../../../src/posthog/planning/drift-groups.ts';
import type { PlanWarning } from '../../../src/posthog/plan.ts';

const WARNINGS: readonly PlanWarning[] = [
  { code: 'create_opaque', key: 'rules', format: '2' },
  { code: 'filters_opaque', key: 'other', format: '2', omitted: ['filters'], uncertain: [] },
  { code: 'filters_opaque', key: 'named', format: '2', omitted: [], uncertain: ['name'] },
  { code: 'cohort_static', key: 'cohort:beta', id: 42 },
  { code: 'cannot_edit', key: 'closed', id: 7 },
  { code: 'field_unsupported', key: 'old', field: 'evaluation_runtime' },
  { code: 'field_unsupported', key: 'other', field: 'evaluation_runtime' },
];

it('finds flags and cohorts that differ in ways that no plan can change, each once', () => {
  expect(findUnwritable([...WARNINGS, ...WARNINGS])).toEqual([
    { resource: 'flag', key: 'rules' },
    { resource: 'flag', key: 'other' },
    { resource: 'cohort', key: 'cohort:beta' },
  ]);
});

it('takes nothing that no plan can write for applied, also a field that the service lacks', () => {
  expect(findUnrecorded({ left: [], warnings: WARNINGS })).toEqual([
    { key: 'rules' },
    { key: 'other', fields: ['filters'] },
    { key: 'cohort:beta' },
    { key: 'old', fields: ['evaluation_runtime'] },
    { key: 'other', fields: ['evaluation_runtime'] },
  ]);
});

describe('of a difference that is left,', () => {
  const leftOf = (resource: string, action: string, ...fields: LeftChange['fields'][number][]): LeftChange =>
    ({ resource, ref: `${resource}:a`, key: 'a', id: 1, action, fields }) as LeftChange;
  const pending = (path: string) => ({ path, divergence: 'pending' }) as const;

  test.each<[string, LeftChange, object[]]>([
    [
      'each field that git changed is not applied',
      leftOf('flag', 'update', pending('/name'), pending('/tags')),
      [{ key: 'a', fields: ['name', 'tags'] }],
    ],
    [
      'a part of a field stands for the field',
      leftOf('flag', 'update', pending('/filters/groups/0')),
      [{ key: 'a', fields: ['filters'] }],
    ],
    ['drift alone waits for nothing', leftOf('flag', 'update', { path: '/name', divergence: 'drifted' }), []],
    [
      'drift beside it does not count',
      leftOf('flag', 'update', { path: '/name', divergence: 'drifted' }, pending('/tags')),
      [{ key: 'a', fields: ['tags'] }],
    ],
    [
      'a conflict is not applied',
      leftOf('flag', 'update', { path: '/name', divergence: 'conflict' }),
      [{ key: 'a', fields: ['name'] }],
    ],
    [
      'a flag that is not created is not applied as a whole',
      leftOf('flag', 'create', pending('/name')),
      [{ key: 'a' }],
    ],
    ['nor one that is not deleted', leftOf('flag', 'delete', pending('/deleted')), [{ key: 'a' }]],
    ['nor one that is not renamed', leftOf('flag', 'update', pending('/name'), pending('/key')), [{ key: 'a' }]],
    ['nor one that is not restored', leftOf('flag', 'restore', pending('/deleted')), [{ key: 'a' }]],
    ['nor one without fields', leftOf('flag', 'update', pending('')), [{ key: 'a' }]],
    ['a cohort is left as a whole', leftOf('cohort', 'update', pending('/name')), [{ key: 'cohort:a' }]],
    [
      'an early access feature has its fields',
      leftOf('early_access', 'update', pending('/stage')),
      [{ key: 'early_access:a', fields: ['stage'] }],
    ],
    [
      'access is one field of its flag',
      leftOf('role_access', 'grant', pending('/role_access/roles/r1')),
      [{ key: 'a', fields: ['role_access'] }],
    ],
  ])('%s', (_what, left, expected) => {
    expect(findUnrecorded({ left: [left], warnings: [] })).toEqual(expected);
  });
});
