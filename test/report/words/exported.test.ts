import { expect, test } from 'vitest';
import { exportNoteTexts, leftOutText, uncheckedTexts } from '../../../src/report/words/exported.ts';

test('has one note for an id without a name, with the number of its flags', () => {
  expect(
    exportNoteTexts([
      { kind: 'cohort-without-alias', key: 'a', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'a', members: ['holdout'] },
      { kind: 'cohort-without-alias', key: 'b', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'b', members: ['holdout'] },
      { kind: 'role-without-name', key: 'b', role: 'r-1', name: 'Eng' },
      { kind: 'dependency-dangling', key: 'c', id: 9 },
      { kind: 'payloads-encrypted', key: 'c', payloads: ['a', 'b'] },
      { kind: 'filters-opaque', key: 'd', format: '2' },
      { kind: 'filters-opaque', key: 'e', format: '2' },
    ]),
  ).toEqual([
    'cohort 42 (Beta) has no alias under cohorts in flagwright.yaml. The manifests contain its id (2 flags).',
    'parts of filters that other products own stay unmanaged: holdout (2 flags).',
    'role Eng has no entry under roles in flagwright.yaml. The manifests contain its id r-1 (1 flag).',
    'c: it depends on the flag with id 9, which the project does not list. The manifest contains the id.',
    'c: its payloads are encrypted (a, b). The manifest contains a placeholder that leaves them unchanged.',
    'filters of format version 2 are in the manifests as they are (2 flags). Drift reports their changes, and no plan changes them.',
  ]);
});

test('has one note for all flags with filters that break the same rules', () => {
  expect(
    uncheckedTexts([
      { key: 'a', reasons: ['variants-sum'] },
      { key: 'b', reasons: ['operator-value-unfit', 'variants-sum'] },
      { key: 'c\u001b', reasons: ['variants-sum'] },
    ]),
  ).toEqual([
    'filters that break a rule are under fields in the manifest, unchanged and unchecked (variants-sum): a, c\\u001b.',
    'filters that break a rule are under fields in the manifest, unchanged and unchecked (operator-value-unfit, variants-sum): b.',
  ]);
});

test('says why a flag is in no file', () => {
  expect(
    [
      { key: 'a\u001bb', id: 3, reasons: ['flag-key-invalid'] as const },
      { key: 'a', id: 4, reasons: ['key-shared'] as const },
      { key: 'b', id: 5, reasons: ['reads-differently', 'yaml-too-deep'] as const },
    ].map(leftOutText),
  ).toEqual([
    'a\\u001bb (flag id 3) is in no file and stays unmanaged: a flag key contains invalid characters (flag-key-invalid).',
    'a (flag id 4) is in no file and stays unmanaged: another flag has the same key (key-shared).',
    'b (flag id 5) is in no file and stays unmanaged: no manifest would load to the live flag (reads-differently); values are nested too deeply (yaml-too-deep).',
  ]);
});
