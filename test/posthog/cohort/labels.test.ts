/** The words for cohorts in reports. */

import { expect, test } from 'vitest';
import { COHORT_LABELS as LABELS } from '../../../src/posthog/cohort/change.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';

const create: CohortChange = {
  action: 'create',
  resource: 'cohort',
  ref: 'cohort:a:b',
  key: 'a:b',
  fields: [],
  body: {},
  needs: [],
};
const changed = (action: 'update' | 'restore' | 'delete'): CohortChange =>
  ({ ...create, action, id: 7, base: { cohort: {}, former: {} } }) as CohortChange;
const quote = (text: string): string => `«${text}»`;

test.each<[CohortChange, readonly string[], string]>([
  [create, [], ' (cohort) is declared but does not exist in the project'],
  [changed('update'), ['id 7'], ' (cohort)'],
  [changed('restore'), ['id 7'], ' (cohort) is declared but soft-deleted'],
  [changed('delete'), ['id 7'], ' (cohort) is declared as deleted but exists'],
])('a change is told by the id of its cohort, and drift by how the project differs: $action', (change, id, drift) => {
  expect(LABELS.identity(change, true)).toEqual(id);
  expect(LABELS.drift(change, quote)).toBe(drift);
  expect([LABELS.target(change, quote), LABELS.consequences(change, quote)]).toEqual([' (cohort)', []]);
});

test.each([
  ['', 'cohort'],
  ['/name', 'name'],
  ['/deleted', 'deleted'],
  ['/is_static', 'is_static'],
  ['/filters', 'filters'],
  ['/filters/properties', 'definition'],
  ['/filters/other/values/0', 'filters.other.values.0'],
  ['/other/properties/values/0', 'other.properties.values.0'],
  ['/filters/properties/type', 'definition · type'],
  ['/filters/properties/values/0', 'definition · 1'],
  ['/filters/properties/values/0/values/1/value', 'definition · 1.2 · value'],
  ['/filters/properties/values/9/values/11/event_filters/0/value', 'definition · 10.12 · event_filters.0.value'],
  ['/filters/properties/values', 'definition · values'],
  ['/filters/properties/values/0/values/x1', 'definition · 1 · values.x1'],
  ['/filters/properties/values/0/values/1x', 'definition · 1 · values.1x'],
])('the place %s is called %s, with groups and filters counted from 1', (pointer, label) => {
  expect(LABELS.field(pointer)).toBe(label);
});

test('a cohort that is not deleted says so, and other absent values have no words', () => {
  expect([LABELS.absent('/deleted'), LABELS.absent('/description')]).toEqual([false, undefined]);
});

test('a cohort has no unit, no last editor, and is known by the answered id', () => {
  expect([LABELS.unit('/name'), LABELS.lastEdit(create), LABELS.answeredId(create)]).toEqual(['', undefined, 'id']);
});

test('a cohort is named in sentences about several kinds', () => {
  expect([LABELS.noun, LABELS.plural, LABELS.qualifier, LABELS.need]).toEqual([
    'cohort',
    'cohorts',
    ' (cohort)',
    'the cohort ',
  ]);
});
