/** The model of a validation. Usually there is no problem, in an editor or a commit hook: then the words are not loaded. */

import type { ReportOf } from '../report.ts';
import { validationSummary } from '../words/checked.ts';
import type { ReportModel } from './report-model.ts';

export async function validationModel(report: ReportOf<'validation'>): Promise<ReportModel> {
  if (report.diagnostics.length > 0 || report.policies !== undefined) {
    return (await import('./problems.ts')).validationModel(report);
  }
  return {
    command: 'validate',
    title: { words: 'Validation', isCheck: true },
    summary: validationSummary(report),
    page: () => ({ facts: [], notices: [], groups: [] }),
    remarks: () => [],
  };
}
