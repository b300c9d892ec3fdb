/** Approvals of steps that were given when they were reviewed. */

import { expect, test } from 'vitest';
import { liftReviewed } from '../../../src/cli/plan/judge-steps.ts';
import type { Finding, Judgement } from '../../../src/policy/finding.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { Progress } from '../../../src/rollout/rollout.ts';
import { planAt, recordAt, steps } from '../../posthog/rollouts/stepped.ts';

const FLAGS = `  a: { description: A, rollout_percentage: ${steps([1, 10], [3, 50])} }\n`;
const FINDING = { rule: 'max-widen', key: 'a', level: 'approve' } as Finding;
const LIFTED = { ...FINDING, lifted: { by: 'approval', approver: 'ada' } };

const reviewed = (rule = 'max-widen', flags = FLAGS): readonly Progress[] =>
  recordAt(flags, 0).map((one) => ({
    ...one,
    approved: [
      { rule: 'other', by: 'bob' },
      { rule, by: 'ada' },
    ],
  }));

function lift(finding: Finding, plan: Plan, approved: readonly Progress[] = reviewed()): readonly Finding[] {
  return liftReviewed({ findings: [finding], idle: [] } as unknown as Judgement, plan, approved).findings;
}

const DUE = planAt(1.5, { flags: FLAGS }).plan;

test('an approval of the same rule lifts the finding of the next step', () => {
  expect(lift(FINDING, DUE)).toEqual([LIFTED]);
});

test.each<[what: string, finding: Finding, plan: Plan, approved?: readonly Progress[]]>([
  ['of another rule', FINDING, DUE, reviewed('expires')],
  ['of another flag', FINDING, DUE, reviewed('max-widen', FLAGS.replace('a:', 'b:'))],
  ['that nobody gave', FINDING, DUE, recordAt(FLAGS, 0)],
  ['of a rule that nobody can approve', { ...FINDING, level: 'refuse' } as unknown as Finding, DUE],
  ['of a step that is still to come', { ...FINDING, step: '2026-12-04T08:00:00Z' } as Finding, DUE],
  ['of other changes of the flag', FINDING, planAt(1.5, { flags: FLAGS.replace('A', 'New'), former: FLAGS }).plan],
  [
    'of a jump over two steps',
    FINDING,
    planAt(4, { flags: FLAGS.replace('{ steps', '{ catch_up: latest, steps') }).plan,
  ],
])('an approval %s lifts nothing', (_what, finding, plan, approved) => {
  expect(lift(finding, plan, approved)).toEqual([finding]);
});

test('a finding that is lifted already keeps who lifted it', () => {
  const lifted = { ...FINDING, lifted: { by: 'approval', approver: 'cyd' } } as Finding;
  expect(lift(lifted, DUE)).toEqual([lifted]);
});
