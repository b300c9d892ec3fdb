import { expect, test } from 'vitest';
import {
  aliasesText,
  exportedText,
  exportNoteTexts,
  exportProblemText,
  notExportedText,
  mergeTexts,
  notMergedText,
  uncheckedTexts,
  unmanagedTexts,
  unreadText,
} from '../../../src/report/words/exported.ts';

test('has one note for each kind of fact, with the number of flags', () => {
  expect(
    exportNoteTexts([
      { kind: 'cohort-without-alias', key: 'a', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'a', members: ['holdout'] },
      { kind: 'cohort-without-alias', key: 'b', cohort: 42, name: 'Beta' },
      { kind: 'filters-unmanaged', key: 'b', members: ['feature_enrollment', 'holdout'] },
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
      { kind: 'early-access-undeclared', key: 'f', name: 'Beta' },
      { kind: 'early-access-undeclared', key: 'g', name: 'Gamma' },
    ]),
  ).toEqual([
    'Cohorts without a name in flagwright.yaml are written as ids: Beta (id 42, 2 flags), id 43 (1 flag). Name them under cohorts there to use them in several projects.',
    'Not exported: holdout of 2 flags (a, b), feature_enrollment of 1 flag (b). Other products of PostHog set these, and flagwright leaves them alone.',
    'Roles without a name in flagwright.yaml are written as ids: Eng (id r-1, 1 flag). Name them under roles there to use them in several projects.',
    'Conditions on flags that the project does not list keep their ids: c (id 9). Restore those flags in PostHog, or remove the conditions.',
    'Encrypted payloads of 1 flag (c) are placeholders, which change nothing. To change a payload, replace its placeholder by the new value.',
    'Filters of format version 2 are in the manifests unchanged, for 2 flags (d, e). drift reports their changes, and no plan changes them: change them in PostHog, and export again.',
    'Not exported: who has access to 2 flags (f, g). The user of the API key is not allowed to read it; use the key of an administrator.',
    'Not exported: the access of individual members to 1 flag (f). Change it in PostHog.',
    'Cohorts not declared: List (id 44, 2 flags), since manifests declare definitions, not lists of people. Change them in PostHog.',
    'Cohorts not declared: id 45 (1 flag), since only what the project lists can be declared. Restore them in PostHog, or remove the conditions.',
    'Early access features not declared: Beta (flag f), Gamma (flag g), since no manifest reproduces them. Change them in PostHog, and export again.',
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
    'Filters that break a rule (variants-sum) are under fields, unchanged and unchecked, for 2 flags (a, c\\u001b).',
    'Filters that break a rule (operator-value-unfit, variants-sum) are under fields, unchanged and unchecked, for 1 flag (b).',
  ]);
});

test('names the first of many', () => {
  const keys = Array.from({ length: 7 }, (_, index) => `f${index}`);
  expect(exportNoteTexts(keys.map((key) => ({ kind: 'filters-unmanaged', key, members: ['holdout'] })))).toEqual([
    expect.stringContaining('holdout of 7 flags (f0, f1, f2, f3, f4, 2 more).'),
  ]);
});

test.each([
  [{ files: 12 }, 'Exported 300 flags to 12 files; 1 left out.'],
  [{ files: 1, dryRun: true }, 'Would export 300 flags to 1 file; 1 left out.'],
  [
    { files: 2, merged: { overlaid: [], limited: [], notMerged: [{ key: 'a', reason: 'static' as const }] } },
    'Changed 2 files; 2 left out.',
  ],
  [
    { files: 2, merged: { overlaid: [], limited: [], notMerged: [] }, dryRun: true },
    'Would change 2 files; 1 left out.',
  ],
])('ends with how much was exported: %j', (done, text) => {
  const notExported = [{ key: 'b', id: 1, reasons: ['key-shared' as const] }];
  expect(exportedText({ flags: 300, notExported }, done)).toBe(text);
});

test('says why a flag is in no file', () => {
  expect(
    [
      { key: 'a\u001bb', id: 3, reasons: ['flag-key-invalid'] as const },
      { key: 'a', id: 4, reasons: ['key-shared'] as const },
      { key: 'b', id: 5, reasons: ['reads-differently', 'yaml-too-deep'] as const },
    ].map(notExportedText),
  ).toEqual([
    'a\\u001bb (flag id 3) was not exported and stays unmanaged: a flag key contains invalid characters (flag-key-invalid).',
    'a (flag id 4) was not exported and stays unmanaged: another flag has the same key (key-shared).',
    'b (flag id 5) was not exported and stays unmanaged: no manifest reproduces the live flag (reads-differently); values are nested too deeply (yaml-too-deep).',
  ]);
});

test('says for each reason which changes drift does not report', () => {
  expect(
    unmanagedTexts([
      { member: 'role_access', flags: 3, reason: 'not-read' },
      { member: 'tags', flags: 1, reason: 'minimal' },
      { member: 'fields.evaluation_runtime', flags: 2, reason: 'minimal' },
      { member: 'description', flags: 1, reason: 'minimal' },
      { member: 'created_at', flags: 3, reason: 'never-exported' },
    ]),
  ).toEqual([
    'Not managed: tags, description (1 flag), fields.evaluation_runtime (2 flags). These have defaults; --full declares them, so that drift reports edits.',
    'Not managed: role_access (3 flags). To manage it, export with --role-access, and --force over these files.',
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
    'In flagwright.yaml, ids of staging get names: cohorts beta: 42.',
  );
  expect(aliasesText({ ...aliases, roles: { support: 'r-1' }, added: false })).toBe(
    'flagwright.yaml could not be edited without changing something else. To use names instead of ids, add these to project staging, and run the command again: cohorts beta: 42; roles support: r-1.',
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
    'the API key cannot read cohorts (scope cohort:read), so manifests declare none, and new names of cohorts are those in flags.',
  ],
  ['cohorts', 'not_found', 'the service has no list of cohorts.'],
  [
    'early_access',
    'forbidden',
    'the API key cannot read early access features (scope early_access_feature:read), so manifests declare none.',
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
