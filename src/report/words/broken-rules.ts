/** The sentences for a rule that a plan breaks, a safety rule or a policy: what, where the rule is, and how to lift it. */

import type { Quote } from '../../engine/labels.ts';
import type { BrokenRule } from '../../policy/broken-rules.ts';
import type { Finding } from '../../policy/finding.ts';
import { quoteShort } from '../escape.ts';
import { findingText, remedyText } from './findings.ts';
import { hazardText, waysOut, type WayOut } from './hazards.ts';

/** `checkout is protected, but the plan would delete it (protected).` */
export function brokenRuleText(broken: BrokenRule, quote: Quote = quoteShort): string {
  if (broken.sort === 'policy') return findingText(broken.finding, quote);
  const { hazard } = broken;
  const text = hazardText(hazard, quote);
  return text.endsWith('.') ? `${text.slice(0, -1)} (${hazard.code}).` : `${text} (${hazard.code})`;
}

/** `project`: its name, for commands. A way out without a text of its own is a sentence. */
export function waysOutOf(
  broken: BrokenRule,
  project: string | undefined,
): readonly (WayOut | { readonly words: string })[] {
  if (broken.sort === 'safety') return waysOut(broken.hazard, project);
  return [{ words: remedyText(broken.finding) }];
}

/** `Rule: flagwright.yaml:6:7 at the base 1a2b3c4d5e6f.` */
export function ruleSourceText(
  { policy, commit }: Pick<Finding, 'policy' | 'commit'>,
  quote: Quote = quoteShort,
): string {
  const base = commit === undefined ? '' : ` at the base ${commit.slice(0, 12)}`;
  return `Rule: ${quote(`${policy.file}:${policy.line}:${policy.column}`)}${base}.`;
}
