/** Expectations that do not hold as remarks, at their lines in the test files. */

import type { ReportOf } from '../../report.ts';
import { unmet, unmetText } from '../../words/verdicts.ts';
import type { Remark } from './remark.ts';

export function testRemarks({ cases }: ReportOf<'test'>): Remark[] {
  return unmet(cases).map((one) => ({
    family: 'test',
    rule: one.verdict.outcome,
    level: 'error',
    text: unmetText(one),
    place: one.place,
    name: one.flag,
  }));
}
