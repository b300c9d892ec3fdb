/** The entries of changes with their outcomes: those that were not applied for the same reason are one. */

import { describe, expect, test } from 'vitest';
import type { ChangeResult, Outcome } from '../../../src/loop/apply/result.ts';
import { groupSections } from '../../../src/report/formats/text/page.ts';
import { BLOCKS } from '../../../src/report/model/change.ts';
import { outcomeEntries } from '../../../src/report/model/runs.ts';
import { CHANGES, VIEW } from '../samples.ts';

const change = CHANGES[1]!;
const FORBIDDEN: Outcome = { outcome: 'failed', error: { code: 'forbidden', status: 403, message: 'No.' } };
const named = (key: string, result: Outcome): ChangeResult => ({ change: { ...change, key }, result });
const many = (n: number, result: Outcome): ChangeResult[] =>
  Array.from({ length: n }, (_, index) => named(`f${index}`, result));
const shown = (changes: readonly ChangeResult[]): string[] =>
  groupSections({ title: '', ...BLOCKS, entries: outcomeEntries(changes, { verbose: false }) }, VIEW).flat();

describe('changes that were not applied', () => {
  test('are folded where outcome and reason are the same, and all of them are named', () => {
    const lines = shown(many(50, FORBIDDEN));
    expect(lines.slice(0, 5)).toEqual([
      '  ✗ 50 changes  failed',
      '      403 forbidden for 50 changes: No.',
      '      The API key needs the scope feature_flag:write, and its user the right to edit this flag.',
      '        ~ update  f0',
      '        ~ update  f1',
    ]);
    expect(lines).toHaveLength(53);
    expect(lines.at(-1)).toBe('        ~ update  f49');
  });

  test('are folded when they were skipped, too', () => {
    expect(shown(many(2, { outcome: 'skipped', reason: { code: 'key_refused', ref: 'flag:x' } }))).toEqual([
      '  ○ 2 changes  skipped',
      '      not sent: the service refused the API key for x',
      '      Give the API key the permission, or use another one, and run `flagwright apply --resume`.',
      '        ~ update  f0',
      '        ~ update  f1',
    ]);
  });

  test('keep blocks of their own where the reason differs', () => {
    const other: Outcome = { outcome: 'failed', error: { code: 'forbidden', status: 403, message: 'Another.' } };
    expect(shown([named('a', FORBIDDEN), named('b', other)]).filter((line) => line.includes('✗'))).toEqual([
      '  ✗ ~ update  a  failed',
      '  ✗ ~ update  b  failed',
    ]);
  });
});

test('applied changes are never folded', () => {
  expect(shown(many(12, { outcome: 'applied' }))).toHaveLength(12);
});
