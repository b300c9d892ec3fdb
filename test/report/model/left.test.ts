/** The summary of what a plan leaves as it is live. */

import { expect, test } from 'vitest';
import type { Plan } from '../../../src/posthog/plan.ts';
import { EMPTY_PLAN, KINDS } from '../samples.ts';
import { leftSummary } from '../../../src/report/words/summaries.ts';

const left = (resource: string, key: string): NonNullable<Plan['left']>[number] => ({
  ref: `${resource}:${key}`,
  resource,
  key,
  action: 'update',
  fields: [],
});

test.each([
  [[left('flag', 'a'), left('role_access', 'a')], '1 flag is left as it is · 4 unchanged'],
  [[left('cohort', 'beta')], '1 cohort is left as it is · 4 flags unchanged'],
  [
    [left('flag', 'a'), left('flag', 'b'), left('cohort', 'a')],
    '2 flags and 1 cohort are left as they are · 4 flags unchanged',
  ],
])('counts flags and cohorts that are left apart: %#', (all, text) => {
  const { summary } = EMPTY_PLAN;
  const kinds = { ...KINDS, flag: { ...KINDS.flag, unchanged: 4 } };
  const plan = { summary: { ...summary, unchanged: 4, kinds }, left: all };
  expect(leftSummary('Nothing to apply', plan)).toBe(`Nothing to apply: ${text}`);
});
