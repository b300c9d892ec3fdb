import { describe, expect, test } from 'vitest';
import type { ApplyResult, Outcome } from '../../../src/loop/apply/result.ts';
import { ERRORS, EXIT_CODES, exitCodeOfPlan, exitCodeOfResult } from '../../../src/cli/line/exit.ts';
import { CHANGES, RESULT } from '../../report/samples.ts';

describe('exit code of a result', () => {
  const applied: Outcome = { outcome: 'applied' };
  const failed: Outcome = { outcome: 'failed', error: { code: 'x', message: 'x' } };
  const pending: Outcome = { outcome: 'pending', error: { code: 'x', message: 'x' } };
  const unknown: Outcome = { outcome: 'unknown', error: { code: 'x', message: 'x' } };
  const cutOff: Outcome = { outcome: 'unknown', error: { code: 'interrupted', message: 'x' } };
  const skipped = (code: 'interrupted' | 'deadline'): Outcome => ({ outcome: 'skipped', reason: { code } });
  const stale: Outcome = { outcome: 'skipped', reason: { code: 'stale', moved: [] } };
  const waiting: Outcome = { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['flag:a'] } };

  test.each<[string, readonly Outcome[], number]>([
    ['nothing to do', [], 0],
    ['all applied', [applied, applied], 0],
    ['all failed', [failed, failed], 1],
    ['a failure and what needs it', [failed, waiting], 1],
    ['the deadline before anything', [skipped('deadline')], 1],
    ['one applied, one failed', [applied, failed], 3],
    ['one applied, the deadline for the other', [applied, skipped('deadline')], 3],
    ['waiting for approval', [pending], 3],
    ['a lost answer', [unknown, failed], 3],
    ['a part of one that failed', [{ ...failed, parts: { written: ['filters'], waiting: ['active'], unsent: [] } }], 3],
    [
      'none of the parts of one that failed',
      [{ ...failed, parts: { written: [], waiting: ['active'], unsent: ['filters'] } }],
      1,
    ],
    [
      'one that failed beside one in parts',
      [failed, { ...failed, parts: { written: ['active'], waiting: [], unsent: [] } }],
      3,
    ],
    ['stale alone', [stale], 5],
    ['stale beside applied, and what needs it', [applied, stale, waiting], 5],
    ['stale beside a failure, one applied', [applied, stale, failed], 3],
    ['stale beside a failure', [stale, failed], 1],
    ['interrupted', [applied, skipped('interrupted')], 130],
    ['interrupted while the last one was under way', [applied, cutOff], 130],
    ['interrupted beside a failure', [failed, skipped('interrupted')], 130],
  ])('%s', (_, outcomes, code) => {
    expect(exitCodeOfResult(resultOf(outcomes))).toBe(code);
  });

  test.each([
    [0, 0, 0, 0],
    [1, 0, 0, 2],
    [0, 1, 0, 4],
    [2, 0, 1, 4],
    [0, 0, 2, 4],
  ])('a plan with %i changes, %i hazards and %i refusals ends with %i', (changes, hazards, refusals, code) => {
    const of = (amount: number): never[] => Array.from({ length: amount }) as never[];
    expect(exitCodeOfPlan({ changes: of(changes), hazards: of(hazards) }, refusals)).toBe(code);
  });

  test('a plan that changes nothing but later steps has differences', () => {
    const later = [{ ref: 'flag:a', key: 'a', before: [], after: [] }];
    expect(exitCodeOfPlan({ changes: [], hazards: [], rollout_changes: later }, 0)).toBe(2);
  });

  test('every error code has an exit code of the table', () => {
    for (const { exit } of Object.values(ERRORS)) expect(EXIT_CODES).toHaveProperty([String(exit)]);
  });

  function resultOf(outcomes: readonly Outcome[]): ApplyResult {
    const count = (kind: Outcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === kind).length;
    return {
      ...RESULT,
      changes: outcomes.map((result) => ({ change: CHANGES[0]!, result })),
      outcomes: {
        applied: count('applied'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        unknown: count('unknown'),
      },
    };
  }
});
