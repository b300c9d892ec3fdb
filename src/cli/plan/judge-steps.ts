/** Judges the future steps of a plan, each at its time and as a change of its own: a merge reviews all of them. */

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/optional.ts';
import type { Finding, Judgement } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { jumps, makesOnlySteps } from '../../posthog/rollouts/rollouts.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import { approvalsBefore } from '../../rollout/record.ts';
import { coversFacts } from '../../policy/exemptions.ts';
import type { Approval, Progress } from '../../rollout/rollout.ts';
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
    from,
  }: {
    readonly judging: JudgingContext | undefined;
    readonly steps: readonly StepAhead[];
    readonly approvedBy: readonly string[];
    /** What the flags of the steps are taken from. */
    readonly from: 'live' | 'manifests';
  },
): Promise<Judgement> {
  const findings: Finding[] = [...judgement.findings];
  const used = new Set<string>();
  for (const { at, jump_since: since, plan, live } of steps) {
    const state = { from, flags: live.flags };
    const judged = await judgePlan(session, judging, { plan, state, approvedBy, now: Date.parse(at) });
    for (const found of judged?.findings ?? []) {
      const finding = { ...found, step: at, ...defined({ jump_since: since }) };
      if (!findings.some((one) => saysAll(one, finding))) findings.push(finding);
    }
    for (const { lifted, rule, key } of judged?.findings ?? []) if (lifted?.by === 'waiver') used.add(`${rule} ${key}`);
  }
  const idle = judgement.idle.filter(({ rule, key, why }) => why !== 'unused' || !used.has(`${rule} ${key}`));
  return { ...judgement, findings, idle };
}

/** Whether the finding of a step, or of a larger jump, already says what the finding of a jump says. */
function saysAll(one: Finding, { rule, ref, step, jump_since: since, facts }: Finding): boolean {
  if (since === undefined || one.rule !== rule || one.ref !== ref || 'flags' in one.facts !== 'flags' in facts)
    return false;
  return one.jump_since !== undefined || (one.step === step && isDeepStrictEqual(one.facts, facts));
}

/**
 * Lifts findings on steps by the approvals of their review. An approval holds when the step is made, for what was found then, and while its
 * approver is one; for a jump over several steps only if jumps to that step were reviewed too. Other changes of the flag were not reviewed.
 */
export function liftReviewed(judgement: Judgement, plan: Plan, reviewed: readonly Progress[]): Judgement {
  const findings = judgement.findings.map((finding): Finding => {
    if (finding.lifted !== undefined || finding.level !== 'approve' || finding.step !== undefined) return finding;
    if (!makesOnlySteps(plan, finding.key)) return finding;
    const own = (plan.rollouts ?? []).filter(({ key }) => key === finding.key);
    const isJump = jumps(own);
    const approval = own
      .flatMap((one) => {
        const at = one.steps[one.step]?.at ?? '';
        const isOf = ({ step, jumps: covers }: Approval): boolean =>
          isJump ? covers === true && at <= step : at === step;
        return approvalsBefore(one, reviewed).filter(isOf);
      })
      .filter(({ by }) => finding.approvers?.includes(by) ?? true)
      .find(({ rule, facts }) => rule === finding.rule && coversFacts(facts, finding.facts));
    return approval === undefined ? finding : { ...finding, lifted: { by: 'approval', approver: approval.by } };
  });
  return { ...judgement, findings };
}
