/** The sentences for what policies find, for what lifts it, and for where the policies come from. */

import {
  type Facts,
  type Finding,
  type IdleWaiver,
  type Judgement,
  type PersonalData,
  type PolicySource,
  isRefusal,
} from '../../policy/finding.ts';
import type { TimeWindow } from '../../policy/policy.ts';
import { nameOfPointer } from '../../posthog/flag/field-name.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import { quoteShort } from '../escape.ts';
import { count, keysText } from './amounts.ts';

/** Shortens to the limit. */
type LongQuote = (text: string, limit?: number) => string;

const LONGEST = 300;

/** `shop-x turns on for …; at most 25 are allowed (max-widen).` */
export function findingText(finding: Finding, quote: LongQuote = quoteShort): string {
  const name = quote(nameOfChange(finding as Pick<Change, 'resource' | 'key'>));
  return `${name} ${factsText(finding, quote)} (${quote(finding.rule)}).`;
}

function factsText({ facts, resource }: Pick<Finding, 'facts' | 'resource'>, quote: LongQuote): string {
  switch (facts.what) {
    case 'max-widen':
      if (facts.flags !== undefined)
        return `lets ${keysText(facts.flags, quote)} turn on for up to ${facts.points}% of a condition's people at once; the limit is ${facts.limit}%`;
      return `turns on for ${facts.exact ? '' : 'up to '}${facts.points}% of a condition's people at once; the limit is ${facts.limit}%`;
    case 'freeze':
      return facts.denied
        ? `changes at a time without changes: it is ${quote(facts.local)}, and changes are frozen ${windowText(facts.window, quote)}`
        : `changes at a time without changes: it is ${quote(facts.local)}, and changes are allowed at other times only, such as ${windowText(facts.window, quote)}`;
    case 'require':
      return facts.missing === 'description' ? 'has no description' : `has no tag that matches ${quote(facts.pattern)}`;
    case 'naming':
      return `is a new key that matches none of ${keysText(facts.patterns, quote)}`;
    case 'no-personal-data':
      return `names people in ${whereText(facts, resource)}: ${count(facts.amount, ...PERSONAL[facts.data])}`;
    case 'expires':
      return expiryText(facts, quote);
    case 'no-direct-production':
      return directText(facts, quote);
    case 'experiment-running':
      return `changes what the people of a running experiment get (${keysText(facts.experiments.map(experimentName), quote)})`;
    case 'own':
      return `is found: ${quote(facts.message, LONGEST)}`;
    case 'own_failed':
      return `cannot be judged: ${quote(facts.detail, LONGEST)}`;
    case 'own_exhausted':
      return `${unjudgedText(facts)} not judged: the own rules of one run may take no more steps`;
  }
}

function whereText({ condition }: Extract<Facts, { what: 'no-personal-data' }>, resource: string): string {
  if (condition !== undefined) return `condition ${condition}`;
  return resource === 'cohort' ? 'its definition' : 'its early access';
}

/** After the name of the first one. */
function unjudgedText({ judged, changes }: Extract<Facts, { what: 'own_exhausted' }>): string {
  const others = changes - judged - 1;
  return others === 0 ? 'is' : `and ${count(others, 'other change')} are`;
}

const PERSONAL: Readonly<Record<PersonalData, readonly [one: string, many: string]>> = {
  email: ['e-mail address', 'e-mail addresses'],
  phone: ['phone number', 'phone numbers'],
};

function experimentName({ id, name }: { readonly id: number; readonly name?: string }): string {
  return name === undefined || name === '' ? String(id) : name;
}

/** `from 2026-12-20 to 2027-01-03 (Europe/Berlin)`, `mon, tue 08:00 to 16:00 (Europe/Berlin)`. */
function windowText(window: TimeWindow, quote: LongQuote): string {
  const zone = quote(window.zone);
  if (window.kind === 'dates') return `from ${quote(window.from)} to ${quote(window.to)} (${zone})`;
  return `${window.days.join(', ')} ${quote(window.from)} to ${quote(window.to)} (${zone})`;
}

function expiryText(facts: Extract<Facts, { what: 'expires' }>, quote: LongQuote): string {
  switch (facts.problem) {
    case 'passed':
      return `turns on or changes variants after its last day, ${quote(facts.date)}`;
    case 'invalid':
      return `has a last day that is not a date, ${quote(facts.date)}`;
    case 'too_far':
      return `has a last day, ${quote(facts.date)}, that is more than ${count(facts.max_days, 'day')} ahead`;
  }
}

function directText(
  { first, problem, paths }: Extract<Facts, { what: 'no-direct-production' }>,
  quote: LongQuote,
): string {
  switch (problem) {
    case 'flag':
      return `is not declared in the project ${quote(first)}, which must have it first`;
    case 'values':
      return `gets values that the project ${quote(first)} must have first: ${keysText(paths.map(nameOfPointer), quote)}`;
    case 'unknown':
      return `must be declared in the project ${quote(first)} first, and no commit tells what that declares`;
  }
}

/** `Approved by ann.`, `Waived by ann until 2026-12-31: an old name.`; unless the run knows an approval of ann, that nothing proves it. */
export function liftedText({ lifted }: Finding, quote: LongQuote = quoteShort): string | undefined {
  if (lifted === undefined) return undefined;
  if (lifted.by === 'approval') return `Approved by ${quote(lifted.approver)}.`;
  const { approver, expires, reason, proof } = lifted;
  const waived = `Waived by ${quote(approver)} until ${quote(expires)}: ${quote(reason, LONGEST)}.`;
  return proof === 'none' ? `${waived} ${unprovedText(approver, quote)}` : waived;
}

/** The file says who grants a waiver, and whoever may write the file can say so. */
function unprovedText(approver: string, quote: LongQuote): string {
  return `Unproved: the file of waivers names ${quote(approver)}, and this run knows no approval of ${quote(approver)}. To prove it: --approved-by ${quote(approver)}.`;
}

/** What a finding that refuses the plan needs. */
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

/** Where the policies come from, where a reader would not expect it. */
export function sourceText(source: PolicySource): string | undefined {
  if (source.from === 'base') {
    return source.differs
      ? `The policies are those of the base ${source.commit.slice(0, 12)}; changes of \`policies\` count from the next apply on.`
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
  not_approved: 'counts only where --approved-by names who grants it',
  not_approver: 'is granted by somebody who is not among `approvers`',
  unused: 'lifts nothing of these changes',
};

/** `Policies: 2 errors, 1 to approve, 1 warning, 1 lifted`; nothing where nothing is found. */
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
  return `Policies: ${parts.join(', ')}`;
}
