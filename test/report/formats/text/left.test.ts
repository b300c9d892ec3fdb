/** The summary of what a plan leaves as it is live. */

import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/posthog/plan.ts';
import { leftSummary } from '../../../../src/report/formats/text/plan.ts';

const left = (resource: string, key: string): NonNullable<Plan['left']>[number] => ({
  ref: `${resource}:${key}`,
  resource,
  key,
  action: 'update',
  fields: [],
});

test.each([
  [[left('flag', 'a'), left('role_access', 'a')], '1 flag is left as it is live'],
  [[left('cohort', 'beta')], '1 cohort is left as it is live'],
  [[left('flag', 'a'), left('flag', 'b'), left('cohort', 'a')], '2 flags and 1 cohort are left as they are live'],
])('counts flags and cohorts that are left apart: %#', (all, text) => {
  const summary = { unchanged: 4, unmanaged: 0 } as Plan['summary'];
  expect(leftSummary('Nothing to apply', { summary, left: all })).toBe(`Nothing to apply: ${text} · 4 unchanged`);
});
