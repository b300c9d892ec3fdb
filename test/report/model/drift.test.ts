/** The entries, facts and remarks of a drift report. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { EMPTY_PLAN, PLAN, VIEW } from '../samples.ts';
import { driftText, planText } from '../texts.ts';

const text = (plan: Plan, view = VIEW): string => driftText({ kind: 'drift', plan }, view);

describe('drift as text', () => {
  test.each([
    ['what is missing', '  - missing help-centre is declared but does not exist in the project  flags/help.yaml:3:3\n'],
    ['declared before live', 'condition 2 · rollout_percentage  25% → 10%  flags/checkout.yaml:9:13\n'],
    ['a soft-deleted flag', '  - deleted search is declared but soft-deleted'],
    ['missing access', '  - role    new-checkout: role engineering is declared but cannot edit it'],
    [
      'undeclared access',
      '  + role    search: role 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c12 can edit it but is not declared',
    ],
    ['a flag that should be gone', '  + live    old-banner is declared as deleted but exists'],
    ['unmanaged flags', 'Unmanaged (in no manifest):\n  ? legacy-flag\n  ? other\n'],
    [
      'the sum',
      'Drift: 1 missing, 1 different, 1 soft-deleted, 2 not deleted, 1 without declared role, 1 with undeclared role, 2 in ways that no plan can change · 40 in sync · 3 unmanaged\n',
    ],
  ])('shows %s', (_, expected) => {
    expect(text(PLAN)).toContain(expected);
  });

  test('lists twenty unmanaged flags and counts the rest', () => {
    const unmanaged = Array.from({ length: 25 }, (_, index) => `flag-${index}`);
    expect(text({ ...EMPTY_PLAN, unmanaged })).toContain('  ? flag-19\n  … 5 more; --verbose lists all');
    expect(text({ ...EMPTY_PLAN, unmanaged }, { ...VIEW, verbose: true })).toContain('  ? flag-24\n');
  });
});

test('a usual value that services leave out is shown, whichever side has it', () => {
  const textsOf = (runtime: string, live: JsonObject): string[] => {
    const desired = desiredState(declared('a', { evaluation_runtime: runtime }));
    const plan = planFor(desired, liveState([liveFlag(1, 'a', live)]));
    return [driftText({ kind: 'drift', plan }, VIEW), planText({ kind: 'plan', plan }, VIEW)];
  };
  const [drift, plan] = textsOf('all', { evaluation_runtime: 'server' });
  expect(drift).toMatch(/evaluation_runtime +all → server/);
  expect(plan).toMatch(/evaluation_runtime +server → all/);
  const [other] = textsOf('server', { evaluation_runtime: null });
  expect(other).toMatch(/evaluation_runtime +server → all/);
});
