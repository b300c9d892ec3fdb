/** The findings of policies in the changes of a plan, as facts and as a document. The file of each policy has its sentence. */

import type { JsonObject } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { Lifted } from '../../core/engine/exceptions.ts';
import type { Level, RuleBreach } from './basis/policy-kind.ts';
import type { OwnFacts } from './rules/own.ts';
import type { PolicyFacts } from './built-in.ts';

/** A finding: one rule, and one resource whose change breaks it. */
export interface Finding {
  /** The name of the rule: a built-in one, or one of the configuration's own. */
  readonly rule: string;
  readonly level: Level;
  /** The people who may approve or grant an exception, if none of them has; absent if anybody may. */
  readonly approvers?: readonly string[];
  /** The kind of the resource, and its key. */
  readonly resource: string;
  readonly key: string;
  /** The name by which options mean the live resource, if the change renames it. */
  readonly live_name?: string;
  /** The ref of its change, the first one of the resource. */
  readonly ref: string;
  readonly facts: Facts;
  /** The declared time of the step of a rollout that the finding is about; absent for the change itself. */
  readonly step?: string;
  /** When that step is due, where that is later. */
  readonly due?: string;
  /** The finding is about the jump of a late run to that step, which makes all steps since this time together (`catch_up: latest`). */
  readonly jump_since?: string;
  /** The line of the manifests; absent if they do not ask for the change. */
  readonly place?: Place;
  /** The place of the policy. */
  readonly policy: Place;
  /** The commit of the base that has the policy at this place; absent if it is from the checkout. */
  readonly commit?: string;
  /** The reason that the finding does not refuse the plan although its level would; absent if it is not lifted. */
  readonly lifted?: Lifted;
}

/** The facts of a policy, or of the configuration's own rule. */
export type Facts = PolicyFacts | OwnFacts;

/** The result of a rule, before it becomes a finding. */
export type FoundFacts = RuleBreach<Facts>;

/** The judgement of a plan by the policies. */
export interface Judgement {
  readonly source: PolicySource;
  /** Findings in the order of the plan, and of the policies for each resource. */
  readonly findings: readonly Finding[];
}

/** The source of the policies: the base if there is one, so that no change judges itself. */
export type PolicySource =
  | { readonly from: 'base'; readonly commit: string; readonly differs: boolean }
  | { readonly from: 'checkout'; readonly why: 'no_base' | 'no_file' | 'invalid' };

/** Whether apply refuses the plan. */
export function isRefusal({ level, lifted }: Pick<Finding, 'level' | 'lifted'>): boolean {
  return level !== 'warning' && lifted === undefined;
}

export function refusalsIn(judgement: Judgement | undefined): readonly Finding[] {
  return judgement?.findings.filter(isRefusal) ?? [];
}

/** Who approved what the rules ask an approval for, and whom of those who may the run names besides. */
export function approversIn(
  judgement: Judgement | undefined,
  {
    approvedBy = [],
    grantors = 'anybody',
  }: { readonly approvedBy?: readonly string[]; readonly grantors?: readonly string[] | 'anybody' },
): readonly string[] {
  const approved = judgement?.findings.flatMap(({ lifted }) => (lifted?.by === 'approval' ? [lifted.approver] : []));
  const named = approvedBy.filter((one) => grantors === 'anybody' || grantors.includes(one));
  return [...new Set([...(approved ?? []), ...named])];
}

/** `wordOf`: the members added to the facts of a finding. */
export function judgementDocument(
  { source, findings }: Judgement,
  wordOf: (finding: Finding) => JsonObject = () => ({}),
): JsonObject {
  return {
    source: { ...source },
    findings: findings.map((finding) => ({ ...(finding as unknown as JsonObject), ...wordOf(finding) })),
  };
}

/** `document`: the member as the schema of plans has it. */
export function parseJudgement(document: JsonObject): Judgement {
  const { source, findings } = document as unknown as Judgement;
  return { source, findings };
}
