/** The exit code of a run over several projects: every pair of what may come of two of them. */

import { describe, expect, test } from 'vitest';
import { FlagwrightError, type ErrorCode } from '../../../src/base/errors.ts';
import type { ApplyResult, Outcome } from '../../../src/loop/apply/result.ts';
import { exitCodeOfError, exitCodeOfReads, exitCodeOfResult, type ExitCode } from '../../../src/cli/line/exit.ts';
import { exitOf } from '../../../src/cli/project/over-projects.ts';
import type { ProjectOutcome } from '../../../src/report/report.ts';
import { CHANGES, PLAN, RESULT } from '../../report/samples.ts';

const NO = { code: 'x', message: 'x' };
const applied: Outcome = { outcome: 'applied' };
const failed: Outcome = { outcome: 'failed', error: NO };
const interrupted: Outcome = { outcome: 'skipped', reason: { code: 'interrupted' } };
const stale: Outcome = { outcome: 'skipped', reason: { code: 'stale', moved: [] } };

function resultOf(...outcomes: Outcome[]): ProjectOutcome {
  const count = (kind: Outcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === kind).length;
  const result: ApplyResult = {
    ...RESULT,
    changes: outcomes.map((one) => ({ change: CHANGES[0]!, result: one })),
    outcomes: {
      ...{ applied: count('applied'), failed: count('failed'), skipped: count('skipped') },
      ...{ pending: count('pending'), unknown: count('unknown') },
    },
  };
  const report = { kind: 'result', result, durationMs: 1 } as const;
  return { kind: 'ran', project: 'x', exit: exitCodeOfResult(result), report };
}

function failureOf(code: ErrorCode): ProjectOutcome {
  const report = { kind: 'failure', error: new FlagwrightError(code, 'x') } as const;
  return { kind: 'ran', project: 'x', exit: exitCodeOfError(code), report };
}

const WRITES: Readonly<Record<string, ProjectOutcome>> = {
  'in sync': resultOf(),
  'no due step': {
    ...{ kind: 'ran', project: 'x', exit: 0 },
    report: { kind: 'nothing', project: RESULT.project, reason: 'no_due_steps' } as never,
  },
  applied: resultOf(applied),
  partly: resultOf(applied, failed),
  'partly, then stopped': resultOf(applied, interrupted),
  'partly stale': resultOf(applied, stale),
  unknown: resultOf({ outcome: 'unknown', error: NO }),
  pending: resultOf({ outcome: 'pending', error: NO }),
  parts: resultOf({ ...failed, parts: { written: ['filters'], waiting: [], unsent: ['active'] } }),
  'nothing applied': resultOf(failed),
  stopped: resultOf(interrupted),
  stale: resultOf(stale),
  failed: failureOf('network'),
  refused: failureOf('refused'),
  'stale before': failureOf('plan_stale'),
  'stopped before': failureOf('interrupted'),
  held: { kind: 'held', project: 'x', by: 'y' },
};

const NAMES = Object.keys(WRITES);

/** A row for each outcome, with the code beside that of each column, in the order of `NAMES`. */
const CODES: readonly string[] = [
  '0   0   0 3 3 3 3 3 3 1   130 5   1   4   5   130 3', // in sync
  '0   0   0 3 3 3 3 3 3 1   130 5   1   4   5   130 3', // no due step
  '0   0   0 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // applied
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // partly
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // partly, then stopped
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // partly stale
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // unknown
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // pending
  '3   3   3 3 3 3 3 3 3 3   3   3   3   3   3   3   3', // parts
  '1   1   3 3 3 3 3 3 3 1   130 1   1   1   1   130 1', // nothing applied
  '130 130 3 3 3 3 3 3 3 130 130 130 130 130 130 130 130', // stopped
  '5   5   3 3 3 3 3 3 3 1   130 5   1   4   5   130 5', // stale
  '1   1   3 3 3 3 3 3 3 1   130 1   1   1   1   130 1', // failed
  '4   4   3 3 3 3 3 3 3 1   130 4   1   4   4   130 4', // refused
  '5   5   3 3 3 3 3 3 3 1   130 5   1   4   5   130 5', // stale before
  '130 130 3 3 3 3 3 3 3 130 130 130 130 130 130 130 130', // stopped before
  '3   3   3 3 3 3 3 3 3 1   130 5   1   4   5   130 3', // held
];

describe('an apply', () => {
  const pairs = CODES.flatMap((row, first) =>
    row.split(/ +/).map((code, second) => [NAMES[first]!, NAMES[second]!, Number(code)] as const),
  );

  test('has a code for every pair', () => {
    expect(pairs).toHaveLength(NAMES.length ** 2);
  });

  test.each(pairs)('of one project %s and one %s ends with %i', (first, second, code) => {
    expect(exitOf([WRITES[first]!, WRITES[second]!])).toBe(code);
  });
});

describe('a run that reads', () => {
  const ORDER: readonly ExitCode[] = [0, 2, 3, 5, 4, 1, 130];
  const report = { kind: 'plan', plan: PLAN } as const;

  test.each(ORDER.flatMap((one, at) => ORDER.map((other, also) => [one, other, ORDER[Math.max(at, also)]!] as const)))(
    'of one project that ends with %i and one with %i ends with %i',
    (one, other, code) => {
      const [first, second] = [one, other].map((exit): ProjectOutcome => ({
        kind: 'ran',
        project: 'x',
        exit,
        report,
      })) as [ProjectOutcome, ProjectOutcome];
      expect([exitOf([first, second]), exitCodeOfReads([one, other])]).toEqual([code, code]);
    },
  );
});
