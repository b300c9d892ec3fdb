/** Runs, failures and runs without changes as text. */

import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { RecordedRun } from '../../../src/report/run-record.ts';
import { PLAN, VIEW } from '../samples.ts';
import { failureText, nothingText, runText } from '../texts.ts';

const RUN: RecordedRun = {
  name: '20260131T120000123Z-8a3f',
  startedAt: '2026-01-31T12:00:00.123Z',
  running: false,
  project: PLAN.project,
  changes: [],
};

test.each<[string, RecordedRun['actor'], string]>([
  ['on a host', { name: 'ana', host: 'laptop' }, 'by ana@laptop'],
  ['in CI', { name: 'ana', ci: 'GitHub Actions' }, 'by ana in GitHub Actions'],
  ['anywhere', { name: 'ana' }, 'by ana'],
])('a run %s says who executed it', (_, actor, words) => {
  expect(runText({ kind: 'run', run: { ...RUN, actor } as RecordedRun }, VIEW)).toContain(`${words}\n`);
});

test('a run shows its address and the run that it undoes', () => {
  const actor = { name: 'ana', ci: 'GitHub Actions', url: 'https://github.example/runs/7' };
  const text = runText({ kind: 'run', run: { ...RUN, actor, undoes: '20260130T000000000Z-aaaa' } }, VIEW);
  expect(text).toContain('undo of 20260130T000000000Z-aaaa\n');
  expect(text).toContain('https://github.example/runs/7\n');
  expect(runText({ kind: 'run', run: RUN }, VIEW)).not.toContain('undo of');
});

test('a run that changed nothing is named', () => {
  const report = { kind: 'nothing', project: PLAN.project } as const;
  expect(nothingText({ ...report, reason: { code: 'run_changed_nothing', run: 'R' } }, VIEW)).toContain(
    'Run R changed nothing in ',
  );
  expect(nothingText({ ...report, reason: { code: 'nothing_to_resume' } }, VIEW)).toContain('Nothing to resume in ');
});

test('the stack of a bug is shown with --verbose alone, and of nothing else', () => {
  const cause = new Error('broken\u001b');
  const bug = new FlagwrightError('internal', 'Unexpected.', { cause });
  const textOf = (error: FlagwrightError, verbose: boolean): string =>
    failureText({ kind: 'failure', error }, { ...VIEW, verbose });
  expect(textOf(bug, true)).toContain('Error: broken\\u001b\n    at ');
  expect(textOf(bug, false)).toBe('error  Unexpected.\n');
  expect(textOf(new FlagwrightError('internal', 'Unexpected.', { cause: 'text' }), true)).toBe('error  Unexpected.\n');
  expect(textOf(new FlagwrightError('file', 'Unexpected.', { cause }), true)).toBe('error  Unexpected.\n');
});
