/** The steps between a plan and its apply: show it, save it, check it against the safety rules, ask for confirmation. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ScheduledFacts } from '../../review/effects/impact.ts';
import { brokenRuleDocument, brokenRules } from '../../review/policy/broken-rules.ts';
import { isRefusal, refusalsIn, type Finding, judgementDocument } from '../../review/policy/finding.ts';
import { isDecision, type Plan } from '../../posthog/plan.ts';
import { type PlanExtras, planDocument } from '../../posthog/planning/plan-document.ts';
import { isRemarkable } from '../../posthog/rollouts/rollouts.ts';
import { jsonText } from '../../report/formats/json/seal.ts';
import type { Report } from '../../report/report.ts';
import { brokenRuleText, EXCEPTIONS_PAGE } from '../../report/words/rules.ts';
import type { ExitCode } from '../line/exit.ts';
import { reportFailure } from '../session/failure.ts';
import { writePrivate } from '../session/ignore-file.ts';
import { askForYes, type Session } from '../session/session.ts';
import type { FreshPlan } from './make-plan.ts';

interface Shown extends PlanExtras, Pick<FreshPlan, 'judgement' | 'excepted' | 'requests' | 'steps' | 'sections'> {
  readonly yes?: boolean;
  readonly scheduled?: ScheduledFacts;
}

/** Prints to stderr, since stdout is for the result. `--quiet` hides the plan only if no question follows. */
export async function showPlan(session: Session, plan: Plan, { yes, judgement, ...shown }: Shown): Promise<void> {
  if (!isDecision(plan) && !(plan.rollouts ?? []).some(isRemarkable)) {
    // An empty plan is not shown, but a warning may explain why it is empty.
    const { warnings } = plan;
    if (warnings.length > 0) await session.print(await session.textOf({ kind: 'warnings', warnings }));
    return;
  }
  // The refusal that follows lists the hazards and findings that refuse; the result of a plan without changes lists what is left.
  const told = judgement && { ...judgement, findings: judgement.findings.filter((finding) => !isRefusal(finding)) };
  const isRefused = plan.hazards.length + refusalsIn(judgement).length > 0;
  const report: Report = {
    kind: 'plan',
    plan: { ...plan, hazards: [] },
    ...shown,
    ...defined({ judgement: told }),
    ...(plan.changes.length === 0 && !isRefused ? { leftFollows: true } : {}),
  };
  const text = `${await session.textOf(report)}\n`;
  await (yes === true ? session.note(text) : session.print(text));
}

/** `findings`: those that refuse the plan. */
export interface Refused extends Pick<Plan, 'hazards' | 'project' | 'changes' | 'base'>, Pick<FreshPlan, 'grantors'> {
  readonly findings?: readonly Finding[];
}

/** `again`: what makes a plan that allows it. */
export async function refusePlan(
  session: Session,
  { hazards, findings = [], changes, project, grantors, base }: Refused,
  again: string = 'Plan again',
): Promise<ExitCode> {
  const reasons = { findings, changes, project, ...defined({ grantors, base }) };
  if (hazards.length === 0 && findings.length > 0) {
    const error = new FlagwrightError('refused', 'A policy refuses the plan; nothing was applied.', {
      remedy: `What to do about each rule: ${EXCEPTIONS_PAGE}`,
    });
    return reportFailure(session, error, reasons);
  }
  const remedy = hazards.every(({ permit }) => permit !== undefined)
    ? `${again} after one of the ways above. What to do about each rule: ${EXCEPTIONS_PAGE}`
    : 'The service refuses a part of the plan, whatever is allowed here. Each rule above says what it accepts instead.';
  const error = new FlagwrightError('refused', 'The plan breaks a safety rule; nothing was applied.', { remedy });
  return reportFailure(session, error, { hazards, ...reasons });
}

const REMEDIES = {
  plan: 'Apply a saved plan (flagwright plan --out FILE, then flagwright apply FILE), or confirm with --yes.',
  undo: 'Apply a saved plan (flagwright undo --out FILE, then flagwright apply FILE), or confirm with --yes.',
  off: 'Confirm with --yes.',
} as const;

/**
 * `command`: the one that makes this plan.
 * @throws {FlagwrightError} `refused` unless the user types `yes`.
 */
export async function askFirst(
  session: Session,
  { project }: Pick<Plan, 'project'>,
  command: keyof typeof REMEDIES = 'plan',
): Promise<void> {
  await askForYes(session, {
    question: `Apply these changes to ${project.name}?`,
    refusal: 'nothing was applied',
    remedy: REMEDIES[command],
  });
}

/** @throws {FlagwrightError} `plan_invalid` if the plan was made for a project other than the chosen one. */
export function checkIdentity({ project }: Pick<Plan, 'project'>, chosen: ProjectIdentity): void {
  if (jsonEquals({ ...project }, { ...chosen })) return;
  const text = ({ name, host, project_id: id }: ProjectIdentity): string => `${name} (${host}, project ${id})`;
  throw new FlagwrightError(
    'plan_invalid',
    `The plan was made for ${text(project)}, but this run is for ${text(chosen)}.`,
    { remedy: 'Select its project with --project, or make a new plan.' },
  );
}

type SavedPlan = { readonly plan: Plan } & Partial<Pick<FreshPlan, 'judgement' | 'excepted' | 'grantors'>> & PlanExtras;

export async function savePlan(session: Session, plan: SavedPlan, file: string): Promise<void> {
  await writePlan(session, savedDocument(plan), file);
}

/** `document`: of one plan, or of several. */
export async function writePlan(session: Session, document: JsonObject, file: string): Promise<void> {
  const message = 'The plan was not saved: it would contain the API key.';
  await writePrivate(session, file, {
    text: jsonText(document),
    message,
    source: 'the manifests and of the live flags',
  });
}

export function savedDocument({ plan, judgement, excepted = [], grantors, ...extras }: SavedPlan): JsonObject {
  const policy = judgement === undefined ? {} : { policy: judgementDocument(judgement) };
  const exceptions = excepted.length === 0 ? {} : { exceptions: excepted as unknown as readonly JsonObject[] };
  const approvers = grantors === undefined || grantors === 'anybody' ? {} : { approvers: grantors };
  const broken = brokenRules({ ...plan, ...defined({ findings: judgement?.findings }) });
  const rules = { broken_rules: broken.map((one) => brokenRuleDocument(one, { text: brokenRuleText(one) })) };
  return { ...planDocument(plan, extras), ...policy, ...exceptions, ...approvers, ...rules };
}
