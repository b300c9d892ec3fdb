/** What the policies find in a plan as Markdown, beside what refuses it (`broken-rules.ts`). */

import type { Finding, Judgement } from '../../../policy/finding.ts';
import { policySourceText } from '../../words/broken-rules.ts';
import { idleText, liftedText, sourceText } from '../../words/findings.ts';
import { brokenRuleHead } from './broken-rules.ts';
import type { Head } from './document.ts';
import { shortSpan } from './markup.ts';

/** Warnings, waivers that lift nothing and where the policies come from; and what was lifted. */
export function findingNotices(judgement: Judgement | undefined): Head['notices'] {
  if (judgement === undefined) return [];
  const { findings, idle, source } = judgement;
  const lifted = findings.filter((finding) => finding.lifted !== undefined);
  const warnings = findings.filter((finding) => finding.level === 'warning');
  const told = sourceText(source);
  return [
    {
      title: 'Policies',
      sentences: [
        ...warnings.map((finding) => sentenceOf(finding)),
        ...idle.map((waiver) => idleText(waiver, shortSpan)),
        ...(told === undefined ? [] : [told]),
      ],
    },
    {
      title: 'Approved or waived',
      sentences: lifted.map((finding) => sentenceOf(finding, liftedText(finding, shortSpan))),
    },
  ];
}

function sentenceOf(finding: Finding, lifted?: string): string {
  const head = brokenRuleHead({ sort: 'policy', finding });
  return [head, ...(lifted === undefined ? [] : [lifted]), policySourceText(finding, shortSpan)].join(' ');
}
