/** What the policies find in a plan as text. */

import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { Palette } from '../../view.ts';
import { findingText, idleText, judgementSummary, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import { placeText } from './place.ts';

/** The findings that refuse the plan, then the others. */
export function findingLines(
  judgement: Judgement | undefined,
  palette: Palette,
  heading: string = POLICIES_REFUSE,
): string[] {
  if (judgement === undefined) return [];
  const { findings, idle, source } = judgement;
  const refusing = findings.filter(isRefusal);
  const others = findings.filter((finding) => !isRefusal(finding));
  const told = sourceText(source);
  return [
    ...refusalsOf(refusing, heading, palette),
    ...others.map((finding) => otherLine(finding, palette)),
    ...idle.map((waiver) => `${palette.warning('warning')}  ${idleText(waiver)}`),
    ...(told === undefined ? [] : [palette.dim(told)]),
  ];
}

/** Heads the findings of a plan that is shown and not applied. */
const POLICIES_REFUSE = 'Policies refuse this plan (exit code 4):';

export function refusalsOf(refusing: readonly Finding[], heading: string, palette: Palette): string[] {
  if (refusing.length === 0) return [];
  return [
    palette.error(heading),
    ...refusing.map((finding) => `  ${findingText(finding)}${placeOf(finding)} ${palette.dim(remedyText(finding))}`),
  ];
}

export function summaryOf(judgement: Judgement | undefined): string[] {
  const text = judgement === undefined ? undefined : judgementSummary(judgement);
  return text === undefined ? [] : [text];
}

function otherLine(finding: Finding, palette: Palette): string {
  const lifted = liftedText(finding);
  const text = `${findingText(finding)}${placeOf(finding)}`;
  return lifted === undefined
    ? `${palette.warning('warning')}  ${text}`
    : `${palette.dim('lifted')}  ${text} ${lifted}`;
}

function placeOf({ place }: Finding): string {
  return place === undefined ? '' : ` ${placeText(place)}`;
}
