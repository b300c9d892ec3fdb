/** The model of a validation. Most runs, in an editor or a commit hook, find no problem, so what reports problems is loaded when needed. */

import type { ReportOf } from '../report.ts';
import { standingOfValidation } from '../report-status.ts';
import { validationSummary } from '../words/diagnostics.ts';
import type { ReportModel, ReportPage, RunStanding } from './report-model.ts';

export async function validationModel(report: ReportOf<'validation'>): Promise<ReportModel> {
  const page = await pageOf(report);
  return {
    command: 'validate',
    title: { words: 'Validation', isCheck: true },
    summary: validationSummary(report),
    standing: standingOf(report),
    page: () => page,
    remarks: async () => (await import('./run-remarks.ts')).validationRemarks(report),
  };
}

function standingOf(report: ReportOf<'validation'>): RunStanding {
  const { errors, refusals, ...others } = standingOfValidation(report);
  if (errors + refusals > 0) return 'bad';
  return Object.values(others).every((amount) => amount === 0) ? 'good' : 'warning';
}

async function pageOf({ diagnostics, policies = [] }: ReportOf<'validation'>): Promise<ReportPage> {
  const groups = diagnostics.length === 0 ? [] : [(await import('./problems.ts')).diagnosticGroup(diagnostics)];
  const judged = policies.length === 0 ? undefined : (await import('./problems.ts')).judgedParts(policies);
  return { facts: judged?.facts ?? [], notices: judged?.notices ?? [], groups };
}
