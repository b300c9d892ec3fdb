import { expect, test } from 'vitest';
import {
  aliasesText,
  exportNoteTexts,
  exportProblemText,
  notExportedText,
  mergeTexts,
  notMergedText,
  uncheckedTexts,
  unmanagedTexts,
  unreadText,
} from '../../../src/report/words/exported.ts';

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
      { kind: 'access-refused', key: 'f' },
      { kind: 'access-refused', key: 'g' },
      { kind: 'access-of-members', key: 'f', members: 2 },
      { kind: 'cohort-without-alias', key: 'g', cohort: 43 },
      { kind: 'cohort-undeclared', key: 'g', cohort: 44, name: 'List', reason: 'static' },
      { kind: 'cohort-undeclared', key: 'h', cohort: 44, name: 'List', reason: 'static' },
      { kind: 'cohort-undeclared', key: 'h', cohort: 45, reason: 'unlisted' },
    ]),
  ).toEqual([
    'cohort 42 (Beta) has no alias under cohorts in flagwright.yaml. The manifests contain its id (2 flags). Give it a name there to use it in several projects.',
    'parts of filters that other products own stay unmanaged: holdout (2 flags). Change them in those products.',
    'role Eng has no entry under roles in flagwright.yaml. The manifests contain its id r-1 (1 flag). Give it a name there to use it in several projects.',
    'c: it depends on the flag with id 9, which the project does not list. The manifest contains the id. Restore that flag in the service, or remove the condition.',
    'c: its payloads are encrypted (a, b). The manifest contains a placeholder that leaves them unchanged. To change one, replace its placeholder by the new value.',
    'filters of format version 2 are in the manifests as they are (2 flags). Drift reports their changes, and no plan changes them. Change them in the service, and export again.',
    'the service does not let the owner of the API key read who has access (2 flags). The manifests leave it out. To declare it, export with a key of an administrator.',
    'members have levels of access of their own (1 flag). The manifests leave them out, and they stay as they are. Change them in the service.',
    'cohort 43 has no alias under cohorts in flagwright.yaml. The manifests contain its id (1 flag). Give it a name there to use it in several projects.',
    'cohort 44 (List), which 2 flags use, is not declared: it is a list of persons, and manifests declare definitions only. Change it in the service.',
    'cohort 45, which 1 flag uses, is not declared: the project does not list it. Restore it there, or remove the conditions.',
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
    ].map(notExportedText),
  ).toEqual([
    'a\\u001bb (flag id 3) is in no file and stays unmanaged: a flag key contains invalid characters (flag-key-invalid).',
    'a (flag id 4) is in no file and stays unmanaged: another flag has the same key (key-shared).',
    'b (flag id 5) is in no file and stays unmanaged: no manifest reproduces the live flag (reads-differently); values are nested too deeply (yaml-too-deep).',
  ]);
});

test('says for each reason which changes drift does not report', () => {
  expect(
    unmanagedTexts([
      { member: 'role_access', flags: 3, reason: 'not-read' },
      { member: 'tags', flags: 1, reason: 'minimal' },
      { member: 'evaluation_runtime', flags: 2, reason: 'minimal' },
    ]),
  ).toEqual([
    'drift does not report changes of tags (1 flag), evaluation_runtime (2 flags): the manifests omit these values, which nobody chose. Without --minimal they declare them.',
    'drift does not report changes of role_access (3 flags): role access was not exported. Use --role-access.',
  ]);
});

test.each([
  [{ overlaid: [], limited: [], notMerged: [] }, []],
  [
    { overlaid: ['a'], limited: ['b', 'c'], notMerged: [] },
    [
      '1 flag differs in staging: overlays under projects.staging.',
      'staging lacks 2 declared flags, now limited with only_in to the other projects: b, c.',
    ],
  ],
  [
    { overlaid: ['a', 'b'], limited: [], notMerged: [] },
    ['2 flags differ in staging: overlays under projects.staging.'],
  ],
  [
    { overlaid: ['cohort:beta'], limited: ['cohort:early', 'b'], notMerged: [] },
    [
      '1 cohort differs in staging: overlays under projects.staging.',
      'staging lacks 1 declared flag and 1 declared cohort, now limited with only_in to the other projects: cohort:early, b.',
    ],
  ],
])('says what a merge changed: %j', (outcome, texts) => {
  expect(mergeTexts(outcome, 'staging')).toEqual(texts);
});

test('says why a merge leaves a flag, and what to add by hand', () => {
  expect([
    notMergedText({ key: 'a', reason: 'renamed' }),
    notMergedText({
      key: 'b',
      reason: 'not-editable',
      file: 'flags/b.yaml',
      suggestion: 'projects:\n  staging: {}\u001b',
    }),
  ]).toEqual([
    'a was left as it is: the project has it under another key or name, and a plan renames it; apply that, or take the live one over with accept (renamed).',
    'b (flags/b.yaml) was left as it is: the edit would change something else too, such as a value that shares an anchor (not-editable). Write by hand:\n    projects:\n      staging: {}\\u001b',
  ]);
});

test('names the aliases that were added, and those to add', () => {
  const aliases = { project: 'staging', cohorts: { beta: 42 }, roles: {} };
  expect(aliasesText({ ...aliases, added: true })).toBe(
    'names for ids of project staging, in flagwright.yaml: cohorts beta: 42.',
  );
  expect(aliasesText({ ...aliases, roles: { support: 'r-1' }, added: false })).toBe(
    'flagwright.yaml could not be edited without changing something else. To use names instead of ids, add to project staging and run the command again: cohorts beta: 42; roles support: r-1.',
  );
});

test('names the first twenty of many aliases that were added, and all of those to add', () => {
  const cohorts = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`c${index}`, index]));
  const aliases = { project: 'staging', cohorts, roles: {} };
  expect(aliasesText({ ...aliases, added: true })).toMatch(/: cohorts c0: 0, .*, c19: 19, 3 more\.$/);
  expect(aliasesText({ ...aliases, added: false })).toMatch(/ c22: 22\.$/);
});

test.each([
  [
    'cohorts',
    'forbidden',
    'the API key may not read cohorts (scope cohort:read), so manifests declare none, and new names of cohorts are those in flags.',
  ],
  ['cohorts', 'not_found', 'the service has no list of cohorts.'],
  [
    'early_access',
    'forbidden',
    'the API key may not read early access features (scope early_access_feature:read), so manifests declare none.',
  ],
  ['early_access', 'not_found', 'the service has no list of early access features.'],
] as const)('says why nothing of a further family is declared: %s, %s', (section, failure, text) => {
  expect(unreadText(section, failure)).toBe(text);
});

test.each([
  [
    { code: 'not_read', files: ['x/a.yaml'] } as const,
    'no plan reads x/a.yaml: the manifests patterns in flagwright.yaml do not match.',
  ],
  [
    { code: 'not_read', files: ['x/a.yaml', 'x/b.yaml', 'x/c.yaml'] } as const,
    'no plan reads x/a.yaml and 2 other files: the manifests patterns in flagwright.yaml do not match.',
  ],
  [
    { code: 'declared_twice', file: 'a.yaml', flags: 1, cohorts: 0 } as const,
    'a.yaml also declares 1 exported flag, and a plan accepts one declaration. Remove them there or from the exported files; export --unmanaged writes only what no manifest declares.',
  ],
  [
    { code: 'declared_twice', file: 'a.yaml', flags: 2, cohorts: 1 } as const,
    'a.yaml also declares 2 exported flags and 1 exported cohort, and a plan accepts one declaration. Remove them there or from the exported files; export --unmanaged writes only what no manifest declares.',
  ],
  [
    { code: 'aliases_missing', project: 'staging' } as const,
    'project staging lacks aliases for cohorts or roles that the exported files use, so validate reports errors. Add them in flagwright.yaml, or restrict the flags with only_in.',
  ],
])('says what keeps a plan from accepting the files: %j', (problem, text) => {
  expect(exportProblemText(problem)).toBe(text);
});
