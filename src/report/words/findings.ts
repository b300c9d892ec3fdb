/** Sentences about findings of policies, about what lifts them, and about where the policies come from. */

import type { Finding, IdleWaiver, Judgement, PolicySource } from '../../policy/finding.ts';
import { isRefusal } from '../../policy/finding.ts';
import type { Wording } from '../../policy/basis/policy-kind.ts';
import { OWN } from '../../policy/rules/own.ts';
import { areOfBuiltIn, policyKindOf } from '../../policy/built-in.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import { quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';
import { timeText } from './times.ts';

/** Quotes a text, shortened to the limit. */
type LongQuote = (text: string, limit?: number) => string;

const LONGEST = 300;

/** `shop-x turns on for …; at most 25 are allowed (max-widen).` */
export function findingText(finding: Finding, quote: LongQuote = quoteShort): string {
  const name = quote(nameOfChange(finding as Pick<Change, 'resource' | 'key'>));
  return `${stepText(finding)}${name} ${factsText(finding, quote)} (${quote(finding.rule)}).`;
}

export function stepText({ step, jump_since: since }: Pick<Finding, 'step' | 'jump_since'>): string {
  if (step === undefined) return '';
  return since === undefined
    ? `Step of ${timeText(step)}: `
    : `Late run, all steps from ${timeText(since)} to ${timeText(step)} at once: `;
}

function factsText({ facts, resource }: Pick<Finding, 'facts' | 'resource'>, quote: LongQuote): string {
  const kind = resource as Change['resource'];
  const wording: Wording = { resource: kind, quote, names: (names) => keysText(names, quote), count };
  return areOfBuiltIn(facts) ? policyKindOf(facts.what).text(facts, wording) : OWN.text(facts, wording);
}

/** `Approved by ann.`, `Waived by ann until 2026-12-31: an old name.`; it says if the run knows no approval that proves the waiver. */
export function liftedText({ lifted }: Finding, quote: LongQuote = quoteShort): string | undefined {
  if (lifted === undefined) return undefined;
  if (lifted.by === 'approval') return `Approved by ${quote(lifted.approver)}.`;
  const { approver, expires, reason, proof } = lifted;
  const waived = `Waived by ${quote(approver)} until ${quote(expires)}: ${quote(reason, LONGEST)}.`;
  return proof === 'none' ? `${waived} ${unprovedText(approver, quote)}` : waived;
}

/** A waiver names who grants it, but anybody who can write the file can write the name. */
function unprovedText(approver: string, quote: LongQuote): string {
  return `Unproved: the file of waivers names ${quote(approver)}, and this run knows no approval of ${quote(approver)}. To prove it: --approved-by ${quote(approver)}.`;
}

/** The remedy for a finding that refuses the plan. */
export function remedyText(
  { level, facts, approvers }: Pick<Finding, 'level' | 'facts' | 'approvers'>,
  quote: LongQuote = quoteShort,
): string {
  if (facts.what === 'own_exhausted')
    return 'Change fewer flags at once, or have the expression of the rule shortened.';
  if (level !== 'approve') return 'Change the manifests, or have a waiver granted.';
  if (approvers === undefined) return 'Needs an approval: --approved-by NAME.';
  return `Needs an approval of ${approvers.length === 1 ? '' : 'one of '}${keysText(approvers, quote)}: --approved-by NAME.`;
}

/** The source of the policies, if a reader would not expect it. */
export function sourceText(source: PolicySource): string | undefined {
  if (source.from === 'base') {
    return source.differs
      ? `The policies are those of the base ${source.commit.slice(0, 12)}; changes of \`policies\` take effect once they are applied.`
      : undefined;
  }
  return CHECKOUT[source.why];
}

const CHECKOUT: Readonly<Record<Extract<PolicySource, { from: 'checkout' }>['why'], string | undefined>> = {
  no_base: undefined,
  no_file: 'The base does not have the configuration file: the policies are those of the checkout.',
  invalid: 'The policies of the base cannot be read: those of the checkout are used.',
};

export function idleText({ rule, key, why }: IdleWaiver, quote: LongQuote = quoteShort): string {
  return `The waiver of ${quote(rule)} for ${quote(key)} ${IDLE[why]}.`;
}

const IDLE: Readonly<Record<IdleWaiver['why'], string>> = {
  expired: 'has expired',
  not_approved: 'counts only if --approved-by names the person who grants it',
  not_approver: 'is granted by somebody who is not among `approvers`',
  unused: 'lifts no finding of these changes',
};

/** `2 errors, 1 to approve, 1 warning, 1 lifted`; nothing where nothing is found. */
export function judgementSummary({ findings }: Pick<Judgement, 'findings'>): string | undefined {
  if (findings.length === 0) return undefined;
  const amount = (level: Finding['level']): number =>
    findings.filter((finding) => finding.level === level && (level === 'warning' || isRefusal(finding))).length;
  const [errors, approvals, warnings] = [amount('error'), amount('approve'), amount('warning')];
  const lifted = findings.filter((finding) => finding.lifted !== undefined).length;
  const parts = [
    ...(errors === 0 ? [] : [count(errors, 'error')]),
    ...(approvals === 0 ? [] : [`${approvals} to approve`]),
    ...(warnings === 0 ? [] : [count(warnings, 'warning')]),
    ...(lifted === 0 ? [] : [`${lifted} lifted`]),
  ];
  return parts.join(', ');
}
