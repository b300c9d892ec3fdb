/** What the policies find in a plan as Markdown: lists of sentences. */

import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import { findingText, idleText, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import { placeText } from '../text/place.ts';
import type { Head } from './document.ts';
import { codeSpan, shortSpan } from './markup.ts';

export function findingNotices(judgement: Judgement | undefined): Head['notices'] {
  if (judgement === undefined) return [];
  const { findings, idle, source } = judgement;
  const lifted = findings.filter((finding) => finding.lifted !== undefined);
  const warnings = findings.filter((finding) => finding.level === 'warning');
  const told = sourceText(source);
  return [
    { title: 'Policies refuse this plan (exit code 4)', sentences: refusalSentences(findings) },
    {
      title: 'Policies',
      sentences: [
        ...warnings.map(sentenceOf),
        ...idle.map((waiver) => idleText(waiver, shortSpan)),
        ...(told === undefined ? [] : [told]),
      ],
    },
    {
      title: 'Approved or waived',
      sentences: lifted.map((finding) => `${sentenceOf(finding)} ${liftedText(finding, shortSpan) ?? ''}`),
    },
  ];
}

export function refusalSentences(findings: readonly Finding[]): string[] {
  return findings.filter(isRefusal).map((finding) => `${sentenceOf(finding)} ${remedyText(finding)}`);
}

function sentenceOf(finding: Finding): string {
  const { place } = finding;
  return `${findingText(finding, shortSpan)}${place === undefined ? '' : ` ${codeSpan(placeText(place))}`}`;
}
