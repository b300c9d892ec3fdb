/** What the policies find as remarks, at the line that a rule found. */

import { defined } from '../../../base/optional.ts';
import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import { findingText, liftedText, remedyText } from '../../words/findings.ts';
import { policySourceText } from '../../words/broken-rules.ts';
import type { Remark } from './remark.ts';

export function findingRemarks({ findings }: Pick<Judgement, 'findings'>): Remark[] {
  return findings.map((finding) => ({
    family: 'policy',
    rule: finding.rule,
    level: levelOf(finding),
    text: findingText(finding),
    name: finding.key,
    source: policySourceText(finding),
    ...defined({
      place: finding.place,
      remedy: liftedText(finding) ?? (isRefusal(finding) ? remedyText(finding) : undefined),
    }),
  }));
}

/** What is lifted stays visible, and refuses nothing. */
function levelOf(finding: Finding): Remark['level'] {
  if (finding.lifted !== undefined) return 'note';
  return isRefusal(finding) ? 'error' : 'warning';
}
