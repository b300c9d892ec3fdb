/** What the policies say as remarks: findings at the line that a rule found, and waivers that lift nothing at their own. */

import { defined } from '../../../base/optional.ts';
import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import { findingText, idleText, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import type { Remark } from './remark.ts';
import { sourceOf } from './source.ts';
import { warningOf } from './warnings.ts';

export function judgementRemarks({ findings, idle, source }: Judgement): Remark[] {
  const told = sourceText(source);
  return [
    ...findings.map(findingRemark),
    ...idle.map((waiver) =>
      warningOf({ rule: `waiver_${waiver.why}`, text: idleText(waiver), name: waiver.key, place: waiver.source }),
    ),
    ...(told === undefined ? [] : [{ ...warningOf({ rule: 'policies', text: told }), level: 'note' as const }]),
  ];
}

export function findingRemark(finding: Finding): Remark {
  return {
    family: 'policy',
    rule: finding.rule,
    level: levelOf(finding),
    text: findingText(finding),
    name: finding.key,
    ...defined({
      source: sourceOf({ sort: 'policy', finding }),
      place: finding.place,
      remedy: liftedText(finding) ?? (isRefusal(finding) ? remedyText(finding) : undefined),
    }),
  };
}

/** What is lifted stays visible, and refuses nothing. */
function levelOf(finding: Finding): Remark['level'] {
  if (finding.lifted !== undefined) return 'note';
  return isRefusal(finding) ? 'error' : 'warning';
}
