/** What the policies find in a plan as text, beside what refuses it (`broken-rules.ts`). */

import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { Palette } from '../../view.ts';
import { policySourceText } from '../../words/broken-rules.ts';
import { idleText, judgementSummary, liftedText, sourceText } from '../../words/findings.ts';
import { brokenRuleHead } from './broken-rules.ts';

/** Warnings, what was lifted, waivers that lift nothing, and where the policies come from. */
export function findingLines(judgement: Judgement | undefined, palette: Palette): string[] {
  if (judgement === undefined) return [];
  const { findings, idle, source } = judgement;
  const others = findings.filter((finding) => !isRefusal(finding));
  const told = sourceText(source);
  return [
    ...others.map((finding) => otherLine(finding, palette)),
    ...idle.map((waiver) => `${palette.warning('warning')}  ${idleText(waiver)}`),
    ...(told === undefined ? [] : [palette.dim(told)]),
  ];
}

export function summaryOf(judgement: Judgement | undefined): string[] {
  const text = judgement === undefined ? undefined : judgementSummary(judgement);
  return text === undefined ? [] : [text];
}

function otherLine(finding: Finding, palette: Palette): string {
  const lifted = liftedText(finding);
  const head = brokenRuleHead({ sort: 'policy', finding });
  const source = palette.dim(policySourceText(finding));
  return lifted === undefined
    ? `${palette.warning('warning')}  ${head} ${source}`
    : `${palette.dim('lifted')}  ${head} ${lifted} ${source}`;
}
