/** The remarks of checks: of a validation, of tests, and of a run that failed as a whole. */

import type { Diagnostic } from '../../../base/diagnostic.ts';
import { maskKeys } from '../../../base/api-key.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { describe } from '../../words/diagnostics.ts';
import { unmet, unmetText } from '../../words/answers.ts';
import type { Remark } from './remark.ts';
import { findingRemark, hazardRemark, judgementRemarks, refusedRemark } from './rules.ts';
import { defined } from '../../../base/optional.ts';

export function validationRemarks({
  diagnostics,
  policies = [],
}: Pick<ReportOf<'validation'>, 'diagnostics' | 'policies'>): Remark[] {
  return [...diagnostics.map(problemRemark), ...policies.flatMap(({ judgement }) => judgementRemarks(judgement))];
}

/** A failure with diagnostics or hazards adds nothing to them. */
export function failureRemarks({
  error,
  hazards = [],
  findings = [],
  changes = [],
  refused = [],
  project,
}: ReportOf<'failure'>): Remark[] {
  const { diagnostics, code, message, remedy } = error;
  const found = [
    ...diagnostics.map(problemRemark),
    ...hazards.map((hazard) => hazardRemark(hazard, { project: project?.name, changes })),
    ...findings.map(findingRemark),
    ...refused.map((one): Remark => ({ ...refusedRemark(one), counts: true })),
  ];
  if (found.length > 0) return found;
  const text = escapeLine(message);
  return [
    {
      family: 'failure',
      rule: code,
      level: 'error',
      text,
      ...defined({ remedy: remedy === undefined ? undefined : escapeLine(remedy) }),
    },
  ];
}

function problemRemark(diagnostic: Diagnostic): Remark {
  const { code, severity, place, path } = diagnostic;
  const { message, remedy } = describe(diagnostic);
  const subject = path === undefined ? undefined : quoteShort(maskKeys(path), PATH_LENGTH);
  return { family: 'problem', rule: code, level: severity, text: message, remedy, ...defined({ place, subject }) };
}

const PATH_LENGTH = 160;

/** Expectations that do not hold, at their lines in the test files. */
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
