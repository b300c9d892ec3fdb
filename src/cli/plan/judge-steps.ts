/** Judges the steps ahead of a plan, each at its time, as a change of its own: a merge is the review of all of them. */

import type { Finding, Judgement } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { makesOnlySteps } from '../../posthog/rollouts/rollouts.ts';
import type { StepAhead } from '../../posthog/rollouts/steps-ahead.ts';
import { approvalsBefore } from '../../rollout/record.ts';
import type { Progress } from '../../rollout/rollout.ts';
import type { Session } from '../session/session.ts';
import { judgePlan, type JudgingContext } from './judge-plan.ts';

/** The judgement of the plan with the findings of its steps. */
export async function judgeSteps(
  session: Session,
  judgement: Judgement,
  {
    judging,
    steps,
    approvedBy,
  }: { readonly judging: JudgingContext; readonly steps: readonly StepAhead[]; readonly approvedBy: readonly string[] },
): Promise<Judgement> {
  const findings: Finding[] = [...judgement.findings];
  const used = new Set<string>();
  for (const { at, plan, live } of steps) {
    const state = { from: 'manifests', flags: live.flags } as const;
    const judged = await judgePlan(session, judging, { plan, state, approvedBy, now: Date.parse(at) });
    for (const finding of judged?.findings ?? []) findings.push({ ...finding, step: at });
    for (const { lifted, rule, key } of judged?.findings ?? []) if (lifted?.by === 'waiver') used.add(`${rule} ${key}`);
  }
  const idle = judgement.idle.filter(({ rule, key, why }) => why !== 'unused' || !used.has(`${rule} ${key}`));
  return { ...judgement, findings, idle };
}

/**
 * Who approved steps when they were reviewed: their approval holds when they are made. A jump over several steps was not reviewed, and nor
 * were other changes of the flag, or other steps.
 */
export function liftReviewed(judgement: Judgement, plan: Plan, reviewed: readonly Progress[]): Judgement {
  const findings = judgement.findings.map((finding): Finding => {
    if (finding.lifted !== undefined || finding.level !== 'approve' || finding.step !== undefined) return finding;
    if (!makesOnlySteps(plan, finding.key)) return finding;
    const own = (plan.rollouts ?? []).filter(({ key }) => key === finding.key);
    const approval = own.flatMap((one) => approvalsBefore(one, reviewed)).find(({ rule }) => rule === finding.rule);
    return approval === undefined ? finding : { ...finding, lifted: { by: 'approval', approver: approval.by } };
  });
  return { ...judgement, findings };
}
