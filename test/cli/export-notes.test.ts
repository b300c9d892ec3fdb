import { expect, test } from 'vitest';
import { exportNoteTexts } from '../../src/cli/export-notes.ts';

test('tells an id without a name once, with the number of its flags', () => {
  expect(
    exportNoteTexts([
      { kind: 'cohort-without-alias', key: 'a', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'a', members: ['holdout'] },
      { kind: 'cohort-without-alias', key: 'b', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'b', members: ['holdout'] },
      { kind: 'role-without-name', key: 'b', role: 'r-1', name: 'Eng' },
      { kind: 'key-invalid', key: 'a\u001bb', id: 3 },
      { kind: 'dependency-dangling', key: 'c', id: 9 },
      { kind: 'payload-not-json', key: 'c', payload: 'test' },
      { kind: 'payloads-encrypted', key: 'c', payloads: ['a', 'b'] },
    ]),
  ).toEqual([
    'cohort 42 (Beta) has no alias under cohorts in flaghoist.yaml; its id stands in the manifests (2 flags).',
    'parts of filters that other products own stay unmanaged: holdout (2 flags).',
    'role Eng has no entry under roles in flaghoist.yaml; its id r-1 stands in the manifests (1 flag).',
    'a\\u001bb: a manifest cannot hold this key (flag id 3); the flag is in no file and stays unmanaged.',
    'c: it depends on the flag with id 9, which the project does not list; the id stands in the manifest.',
    'c: the payload of test is no JSON text; validate will ask to mend it.',
    'c: its payloads are encrypted (a, b); a mark that leaves them as they are stands in the manifest.',
  ]);
});
