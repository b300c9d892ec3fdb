/** What policies find of steps that are still to come, and approvals of steps that were given when they were reviewed. */

import { describe, expect, test } from 'vitest';
import { type JudgingContext, judgeSteps, liftReviewed } from '../../../src/cli/plan/judge-plan.ts';
import type { Exception } from '../../../src/core/engine/exceptions.ts';
import type { Finding, Judgement } from '../../../src/review/policy/finding.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { StepAhead } from '../../../src/posthog/planning/steps-ahead.ts';
import type { Approval, Progress } from '../../../src/core/rollout/rollout.ts';
import { declared, desiredState, liveFlag, liveState } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { day, planAt, recordAt, steps } from '../../posthog/rollouts/stepped.ts';

const FLAGS = `  a: { description: A, rollout_percentage: ${steps([1, 10], [3, 50])} }\n`;
const FACTS = { what: 'max-widen', points: 40, limit: 20, exact: true } as const;
const FINDING = { rule: 'max-widen', key: 'a', level: 'approve', facts: FACTS } as Finding;
const LIFTED = { ...FINDING, lifted: { by: 'approval', approver: 'ada' } };

const reviewed = (more: Partial<Approval> = {}, flags = FLAGS): readonly Progress[] =>
  recordAt(flags, 0).map((one) => ({
    ...one,
    approved: [
      { rule: 'other', by: 'bob', step: day(1), facts: FACTS },
      { rule: 'max-widen', by: 'ada', step: day(1), facts: FACTS, ...more },
    ],
  }));

function lift(finding: Finding, plan: Plan, approved: readonly Progress[] = reviewed()): readonly Finding[] {
  return liftReviewed({ findings: [finding] } as unknown as Judgement, plan, approved).findings;
}

const DUE = planAt(1.5, { flags: FLAGS }).plan;

test('an approval of the same finding lifts that of the next step', () => {
  expect(lift(FINDING, DUE)).toEqual([LIFTED]);
  expect(lift({ ...FINDING, facts: { ...FACTS, points: 30 } }, DUE)).toMatchObject([{ lifted: LIFTED.lifted }]);
  expect(lift({ ...FINDING, approvers: ['ada'] }, DUE)).toMatchObject([{ lifted: LIFTED.lifted }]);
});

test.each<[what: string, finding: Finding, plan: Plan, approved?: readonly Progress[]]>([
  ['of another rule', FINDING, DUE, reviewed({ rule: 'expires' })],
  ['of another flag', FINDING, DUE, reviewed({}, FLAGS.replace('a:', 'b:'))],
  ['of another step', FINDING, DUE, reviewed({ step: day(3) })],
  ['of a smaller share', { ...FINDING, facts: { ...FACTS, points: 50 } }, DUE],
  ['of another limit', { ...FINDING, facts: { ...FACTS, limit: 10 } }, DUE],
  ['of the flag alone', { ...FINDING, facts: { ...FACTS, flags: ['b'] } }, DUE],
  ['of somebody who is no approver now', { ...FINDING, approvers: ['bob'] }, DUE],
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

describe('the steps ahead of a plan', () => {
  const policy = (rule: string, more: object): object => ({
    ...{ rule, level: 'error', source: { file: 'flagwright.yaml', line: 1, column: 1 } },
    ...more,
  });
  const widen = policy('max-widen', { points: 20 });
  const frozen = { kind: 'dates', from: '2026-12-24', to: '2026-12-26', zone: 'UTC' };

  function judging(rules: readonly object[], exceptions: readonly Exception[] = []): JudgingContext {
    return {
      ...{ set: { rules }, source: { from: 'checkout', why: 'no_base' } },
      ...{ project: 'main', declared: new Map(), exceptions },
    } as unknown as JudgingContext;
  }

  const filtersOf = (percent: number): never =>
    ({ groups: [{ properties: [], rollout_percentage: percent }] }) as never;

  /** A flag that goes from one percentage to another. */
  function step(
    at: string,
    from: number,
    to: number,
    { key = 'a', since }: { key?: string; since?: string } = {},
  ): StepAhead {
    const live = liveState([liveFlag(1, key, { filters: filtersOf(from) })]);
    const plan = buildPlan(desiredState(declared(key, { filters: filtersOf(to) })), live);
    return { at, plan, live, ...(since === undefined ? {} : { jump_since: since }) };
  }

  const FIRST = '2026-12-02T08:00:00Z';
  const SECOND = '2026-12-24T08:00:00Z';
  const none = { source: { from: 'checkout', why: 'no_base' }, findings: [] } as unknown as Judgement;

  async function judged(
    rules: JudgingContext | undefined,
    steps: readonly StepAhead[],
    { judgement = none, approvedBy = [] }: { judgement?: Judgement; approvedBy?: readonly string[] } = {},
  ): Promise<Judgement> {
    const { session } = watchSession({ context: { now: () => Date.parse('2026-12-01T08:00:00Z') } });
    return judgeSteps(session, judgement, { judging: rules, steps, approvedBy, from: 'manifests' });
  }
  const told = ({ findings }: Judgement): unknown =>
    findings.map(({ rule, key, step: at, jump_since: since }) => [
      rule,
      key,
      at,
      ...(since === undefined ? [] : [since]),
    ]);

  test('are judged each at its time, after the plan itself', async () => {
    const rules = judging([widen, policy('freeze', { deny: [frozen], except: [] })]);
    const own = { ...none, findings: [FINDING] };
    expect(told(await judged(rules, [step(FIRST, 0, 30), step(SECOND, 30, 40)], { judgement: own }))).toEqual([
      ['max-widen', 'a', undefined],
      ['max-widen', 'a', FIRST],
      ['freeze', 'a', SECOND],
    ]);
    expect(await judged(undefined, [step(FIRST, 0, 30)], { judgement: own })).toEqual(own);
  });

  test('have a finding each, though they break the same rule in the same way', async () => {
    expect(told(await judged(judging([widen]), [step(FIRST, 0, 30), step(SECOND, 30, 60)]))).toEqual([
      ['max-widen', 'a', FIRST],
      ['max-widen', 'a', SECOND],
    ]);
  });

  test('are approved by those whom the run names', async () => {
    const rules = judging([{ ...widen, level: 'approve' }]);
    expect((await judged(rules, [step(FIRST, 0, 30)], { approvedBy: ['eve'] })).findings).toMatchObject([
      { step: FIRST, lifted: { by: 'approval', approver: 'eve' } },
    ]);
  });

  test.each<[string, readonly StepAhead[], readonly unknown[]]>([
    [
      'says what no step says',
      [step(FIRST, 0, 15), step(SECOND, 15, 30), step(SECOND, 0, 30, { since: FIRST })],
      [['max-widen', 'a', SECOND, FIRST]],
    ],
    [
      'says more than its last step',
      [step(SECOND, 0, 30), step(SECOND, 0, 60, { since: FIRST })],
      [
        ['max-widen', 'a', SECOND],
        ['max-widen', 'a', SECOND, FIRST],
      ],
    ],
    [
      'is not told if its last step says the same',
      [step(SECOND, 0, 30), step(SECOND, 0, 30, { since: FIRST })],
      [['max-widen', 'a', SECOND]],
    ],
    [
      'is told if an earlier step says the same',
      [step(FIRST, 0, 30), step(SECOND, 0, 30, { since: FIRST })],
      [
        ['max-widen', 'a', FIRST],
        ['max-widen', 'a', SECOND, FIRST],
      ],
    ],
    [
      'is not told if another jump was',
      [step(FIRST, 0, 60, { since: FIRST }), step(SECOND, 0, 30, { since: FIRST })],
      [['max-widen', 'a', FIRST, FIRST]],
    ],
    [
      'is told if another jump of another flag was',
      [step(FIRST, 0, 60, { since: FIRST }), step(SECOND, 0, 30, { key: 'b', since: FIRST })],
      [
        ['max-widen', 'a', FIRST, FIRST],
        ['max-widen', 'b', SECOND, FIRST],
      ],
    ],
  ])('a jump over several %s', async (_, steps_, findings) => {
    expect(told(await judged(judging([widen]), steps_))).toEqual(findings);
  });

  test('a jump is told of a rule of which another jump says nothing', async () => {
    const rules = judging([widen, policy('freeze', { deny: [frozen], except: [] })]);
    const jumps = [step(FIRST, 0, 60, { since: FIRST }), step(SECOND, 0, 60, { since: FIRST })];
    expect(told(await judged(rules, jumps))).toEqual([
      ['max-widen', 'a', FIRST, FIRST],
      ['freeze', 'a', SECOND, FIRST],
    ]);
  });

  test.each([
    ['2026-12-24', [FIRST, SECOND]],
    ['2026-12-23', [FIRST]],
    ['2026-12-01', []],
  ])('an exception until %s lifts the steps that come by then', async (until, lifted) => {
    const place = { file: 'exceptions.yaml', line: 2, column: 5 };
    const origin = {
      from: 'file',
      place,
      reason: 'r',
      until,
      grantedBy: 'ann',
      isInBase: true,
      isApproved: false,
    } as const;
    const rules = judging([widen], [{ rules: ['max-widen'], keys: ['a'], origin }]);
    const { findings } = await judged(rules, [step(FIRST, 0, 30), step(SECOND, 30, 60)]);
    expect(findings).toHaveLength(2);
    expect(findings.flatMap((one) => (one.lifted === undefined ? [] : one.step))).toEqual(lifted);
  });
});
