/** The words for cohorts in reports. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { Labels } from '../../engine/labels.ts';
import type { CohortChange } from './change.ts';

export const COHORT_LABELS: Labels<CohortChange> = {
  noun: 'cohort',
  plural: 'cohorts',
  qualifier: ' (cohort)',
  field: labelField,
  unit: () => '',
  absent: (pointer) => (pointer === '/deleted' ? false : undefined),
  identity: (change) => (change.action === 'create' ? [] : [`id ${change.id}`]),
  target: () => ' (cohort)',
  drift: ({ action }) => DRIFT[action],
  consequences: () => [],
  // The service does not say who edited a cohort last.
  lastEdit: () => undefined,
  need: 'the cohort ',
  keyOfRef: (ref) => ref.slice(ref.indexOf(':') + 1),
  answeredId: () => 'id',
};

const DRIFT: Readonly<Record<CohortChange['action'], string>> = {
  create: ' (cohort) is declared but does not exist in the project',
  update: ' (cohort)',
  restore: ' (cohort) is declared but soft-deleted',
  delete: ' (cohort) is declared as deleted but exists',
};

/** `/filters/properties/values/0/values/1/value` is `definition · 1.2 · value`: groups and filters are counted from 1. */
function labelField(pointer: string): string {
  if (pointer === '') return 'cohort';
  const [field = '', properties, ...rest] = fromPointer(pointer);
  if (field !== 'filters' || properties !== 'properties') return fromPointer(pointer).join('.');
  const steps: number[] = [];
  let left = rest;
  while (left[0] === 'values' && /^\d+$/.test(left[1] ?? '')) {
    steps.push(Number(left[1]) + 1);
    left = left.slice(2);
  }
  return [
    'definition',
    ...(steps.length === 0 ? [] : [steps.join('.')]),
    ...(left.length === 0 ? [] : [left.join('.')]),
  ].join(' · ');
}
