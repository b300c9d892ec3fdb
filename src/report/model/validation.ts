/** The model of a validation. Most runs, in an editor or a commit hook, find no problem, so what reports problems is loaded when needed. */

import { standingOfValidation } from '../report-status.ts';
import type { ReportOf } from '../report.ts';
import { validationSummary } from '../words/validation.ts';
import type { ReportModel } from './report-model.ts';

export async function validationModel(report: ReportOf<'validation'>): Promise<ReportModel> {
  const { diagnostics, policies = [] } = report;
  const groups = diagnostics.length === 0 ? [] : [(await import('./problems.ts')).diagnosticGroup(diagnostics)];
  const judged = policies.length === 0 ? undefined : (await import('./problems.ts')).judgedParts(policies);
  const { errors, refusals, ...others } = standingOfValidation(report);
  const isClean = Object.values(others).every((amount) => amount === 0);
  return {
    command: 'validate',
    title: { words: 'Validation', isCheck: true },
    summary: validationSummary(report),
    standing: errors + refusals > 0 ? 'bad' : isClean ? 'good' : 'warning',
    page: () => ({ facts: judged?.facts ?? [], notices: judged?.notices ?? [], groups }),
    remarks: async () => (await import('./remark.ts')).validationRemarks(report),
  };
}
