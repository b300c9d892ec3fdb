import { expect, test } from 'vitest';
import type { NoBaseReason, NotRecordedReason } from '../../../src/core/engine/base.ts';
import {
  baseText,
  noBaseNote,
  noBaseText,
  notRecordedRemedy,
  notRecordedText,
} from '../../../src/report/words/base.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

test('a base is named by its commit', () => {
  expect(baseText({ kind: 'commit', commit: COMMIT, from: 'ref' })).toBe('the last apply (0123456789ab)');
  expect(baseText({ kind: 'commit', commit: COMMIT, from: 'option' })).toBe('commit 0123456789ab');
});

test.each<readonly [NoBaseReason, string]>([
  [{ code: 'no_repository' }, 'the configuration is not in a git checkout'],
  [{ code: 'git_missing' }, 'git is not installed, or not on the PATH'],
  [{ code: 'git_refused', detail: 'fatal: \u001b[31mno' }, 'git cannot read the repository (fatal: \\u001b[31mno)'],
  [
    { code: 'remote_unreachable', remote: 'origin', detail: 'fatal: no' },
    'git cannot read the remote origin (fatal: no)',
  ],
  [{ code: 'not_recorded' }, 'no apply of this project is recorded in this clone yet'],
  [
    { code: 'journal_unreadable', detail: 'It is damaged.' },
    'the journal does not show which commit was applied last (It is damaged.)',
  ],
  [{ code: 'not_a_commit', name: 'refs/x' }, 'refs/x is not a commit'],
  [
    { code: 'commit_missing', commit: COMMIT, shallow: true, remote: 'origin' },
    `this shallow clone does not have commit 0123456789ab; to get it: git fetch --depth=1 origin ${COMMIT}`,
  ],
  [
    { code: 'commit_missing', commit: COMMIT, shallow: false, remote: 'up' },
    `this repository does not have commit 0123456789ab; to get it: git fetch up ${COMMIT}`,
  ],
  [{ code: 'commit_missing', commit: COMMIT, shallow: false }, 'this repository does not have commit 0123456789ab'],
  [
    { code: 'commit_damaged', commit: COMMIT },
    'parts of commit 0123456789ab are missing or damaged in this repository',
  ],
  [
    {
      code: 'manifests_invalid',
      commit: COMMIT,
      errors: 3,
      message: '"aktive" is not known here.',
      place: { file: 'flags/a\nb.yaml', line: 2, column: 1 },
    },
    'the manifests of commit 0123456789ab cannot be loaded (flags/a\\nb.yaml:2: "aktive" is not known here; 2 more errors)',
  ],
  [
    { code: 'manifests_invalid', commit: COMMIT, errors: 1, message: 'No file matches.' },
    'the manifests of commit 0123456789ab cannot be loaded (No file matches)',
  ],
  [
    { code: 'manifests_filtered', commit: COMMIT, file: 'a.yaml', filter: 'git-crypt' },
    'git stores a.yaml through the filter git-crypt, which flagwright does not run',
  ],
  [
    { code: 'manifests_in_submodule', commit: COMMIT, folder: 'flags/inner' },
    'the manifests in flags/inner are in a submodule',
  ],
])('%j', (reason, text) => {
  expect(noBaseText(reason)).toBe(text);
});

test.each<readonly [NotRecordedReason, string]>([
  [{ code: 'manifest_differs', file: 'a\u202e.yaml', how: 'modified' }, 'a\\u202e.yaml has uncommitted changes'],
  [{ code: 'commit_unknown', commit: COMMIT }, 'this repository does not have commit 0123456789ab'],
  [{ code: 'newer_applied', commit: COMMIT }, 'commit 0123456789ab was applied after the plan was made'],
  [{ code: 'git_failed', detail: 'fatal: no' }, 'fatal: no'],
])('%j', (reason, text) => {
  expect(notRecordedText(reason)).toBe(text);
});

test.each<readonly [NoBaseReason, RegExp]>([
  [{ code: 'not_recorded' }, /; the next apply of committed manifests records one$/],
  [{ code: 'not_fetched', remote: 'origin', ref: 'refs/x' }, /to get it: git fetch origin \+refs\/x:refs\/x$/],
  [{ code: 'not_a_commit', name: 'x' }, /; to compare with a commit: --base COMMIT$/],
])('a note that there is no base because of %j says how to get one', (reason, words) => {
  expect(noBaseNote(reason)).toMatch(words);
});

test.each<readonly [NotRecordedReason, RegExp]>([
  [{ code: 'manifest_differs', file: 'a.yaml', how: 'new' }, /^Commit it, then run apply again/],
  [{ code: 'manifest_differs', file: 'a.yaml', how: 'gone' }, /^Restore it, or commit/],
  [{ code: 'plan_without_commit' }, /^Commit the manifests, then run apply without a saved plan: /],
])('a note that nothing was recorded because of %j says what to do', (reason, words) => {
  expect(notRecordedRemedy(reason)).toMatch(words);
});
