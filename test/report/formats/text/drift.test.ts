import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/posthog/plan.ts';
import { driftText } from '../../../../src/report/formats/text/drift.ts';
import { EMPTY_PLAN, PLAN, VIEW } from '../../samples.ts';

const text = (plan: Plan, view = VIEW): string => driftText({ kind: 'drift', plan }, view);

describe('drift as text', () => {
  test.each([
    ['what is missing', '  - missing help-centre is declared and not live  flags/help.yaml:3:3\n'],
    ['declared before live', 'condition 2 · rollout_percentage  25% → 10%  flags/checkout.yaml:9:13\n'],
    ['a soft-deleted flag', '  - deleted search is declared and soft-deleted'],
    ['missing access', '  - role    new-checkout lacks access for engineering'],
    [
      'access that nobody declared',
      '  + role    search has access for 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12 that is not declared',
    ],
    ['a flag that should be gone', '  + live    old-banner is declared deleted and live'],
    ['unmanaged flags', 'Unmanaged, in no manifest:\n  ? legacy-flag\n  ? other\n'],
    [
      'the sum',
      'Drift: 1 missing, 1 different, 1 soft-deleted, 2 live though declared deleted, 1 without declared access, 1 with access not declared · 40 as declared · 3 unmanaged\n',
    ],
  ])('shows %s', (_, expected) => {
    expect(text(PLAN)).toContain(expected);
  });

  test('lists twenty unmanaged flags and counts the rest', () => {
    const unmanaged = Array.from({ length: 25 }, (_, index) => `flag-${index}`);
    expect(text({ ...EMPTY_PLAN, unmanaged })).toContain('  ? flag-19\n  … 5 more');
    expect(text({ ...EMPTY_PLAN, unmanaged }, { ...VIEW, verbose: true })).toContain('  ? flag-24\n');
  });
});
