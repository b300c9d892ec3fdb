/** The sentences for a rule that a plan breaks, a safety rule or a policy: what, where the rule is, and how to lift it. */

import type { Quote } from '../../engine/labels.ts';
import type { WrittenOrigin } from '../../engine/safety.ts';
import { originOf, setByOf, type BrokenRule } from '../../policy/broken-rules.ts';
import type { Finding } from '../../policy/finding.ts';
import { quoteShort } from '../escape.ts';
import { shortCommit } from './base.ts';
import { findingText } from './findings.ts';
import { hazardSentence } from './hazards.ts';
import { defined } from '../../base/optional.ts';

/** `checkout is protected, but the plan would delete it (protected).` */
export function brokenRuleText(broken: BrokenRule, quote: Quote = quoteShort): string {
  if (broken.sort === 'policy') return findingText(broken.finding, quote);
  const { hazard } = broken;
  const { text, end } = hazardSentence(hazard, quote);
  return end === '.' ? `${text} (${hazard.code}).` : `${text}${end} (${hazard.code})`;
}

/** `Rule: flagwright.yaml:6:7 at the base 1a2b3c4d5e6f.` Nothing for a safety rule that always holds. */
export function ruleSourceText(broken: BrokenRule, quote: Quote = quoteShort): string | undefined {
  if (broken.sort === 'policy') return policySourceText(broken.finding, quote);
  const origin = originOf(broken);
  switch (origin?.from) {
    case undefined:
      return undefined;
    case 'default':
      return `Rule: the default of ${setByOf(broken)}.`;
    case 'run':
      return 'Rule: the number that this run permits.';
    case 'configuration':
      return writtenText(origin, quote);
  }
}

export function policySourceText(
  { policy: place, commit }: Pick<Finding, 'policy' | 'commit'>,
  quote: Quote = quoteShort,
): string {
  return writtenText({ place, ...defined({ commit }) }, quote);
}

export function writtenText({ place, commit }: Omit<WrittenOrigin, 'from'>, quote: Quote = quoteShort): string {
  const base = commit === undefined ? '' : ` at the base ${shortCommit(commit)}`;
  return `Rule: ${quote(`${place.file}:${place.line}:${place.column}`)}${base}.`;
}
