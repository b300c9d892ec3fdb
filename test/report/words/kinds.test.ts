import { expect, test } from 'vitest';
import { ALL_LABELS, labelsOfPath, labelsOfRef, RESOURCES } from '../../../src/report/words/kinds.ts';

test('what is attached to a flag has labels of its own, also where the ref is of the flag', () => {
  const { noun } = labelsOfRef('role_access:a:r1');
  expect(labelsOfPath('flag:a', '/role_access/roles/r1').noun).toBe(noun);
  expect(labelsOfPath('flag:a', '/role_access').noun).toBe(labelsOfRef('flag:a').noun);
  expect(labelsOfPath('cohort:a', '/name').noun).toBe(labelsOfRef('cohort:a').noun);
});

test('each kind has labels, and no two the same noun', () => {
  expect(ALL_LABELS).toHaveLength(RESOURCES.length);
  expect(new Set(ALL_LABELS.map(({ noun }) => noun)).size).toBe(RESOURCES.length);
});
