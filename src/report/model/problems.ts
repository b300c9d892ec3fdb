/** The model of a run that failed as a whole, and the policies' part of a validation. */

import type { ErrorCode } from '../../base/errors.ts';
import { brokenRules } from '../../policy/broken-rules.ts';
import type { ReportOf } from '../report.ts';
import { diagnosticGroup } from './diagnostics.ts';
import type { Notice, ReportPage, ReportModel } from './report-model.ts';
import { policyFacts, refusalNotice, policyNotice } from './rules.ts';
import { refusedGroup } from './changes.ts';
import { defined } from '../../base/optional.ts';

type Policies = NonNullable<ReportOf<'validation'>['policies']>;

/** The judgement of the changes for each project. */
export function judgedParts(policies: Policies): Pick<ReportPage, 'facts' | 'notices'> {
  return {
    facts: policies.flatMap(({ project, judgement }) =>
      policyFacts(judgement).map((fact) => ({ ...fact, of: project })),
    ),
    notices: policies.flatMap(noticesOf),
  };
}

function noticesOf({ project, judgement }: Policies[number]): Notice[] {
  const name = { code: project };
  return [
    {
      ...refusalNotice(['Policies refuse the changes for ', name, ' (exit code 4)'], brokenRules(judgement), project),
      commentTitle: ['Policies refuse the changes (exit code 4), ', name],
      of: project,
    },
    { ...policyNotice(judgement, ['Policies, ', name]), of: project },
  ];
}

/** The message of these errors only summarizes their diagnostics. */
const SUMMARIES: ReadonlySet<ErrorCode> = new Set(['config_invalid', 'manifest_invalid', 'tests_invalid']);

export function failureModel(report: ReportOf<'failure'>, verbose: boolean): ReportModel {
  const { error, project } = report;
  // A single diagnostic says the same as the message.
  const isRepeated = error.diagnostics.length === 1 && SUMMARIES.has(error.code);
  const stack =
    verbose && error.code === 'internal' && error.cause instanceof Error ? String(error.cause.stack) : undefined;
  return {
    title: { words: project === undefined ? 'The run failed' : 'The run failed for', ...defined({ project }) },
    failure: { code: error.code, message: error.message, isRepeated, ...defined({ remedy: error.remedy, stack }) },
    page: () => failurePage(report, verbose),
    remarks: async () => (await import('./remarks/checks.ts')).failureRemarks(report),
  };
}

function failurePage(report: ReportOf<'failure'>, verbose: boolean): ReportPage {
  const { error, hazards = [], findings = [], changes = [], refused = [], project } = report;
  return {
    facts: [],
    notices: [refusalNotice('Refused', brokenRules({ hazards, findings, changes }), project?.name)],
    groups: [diagnosticGroup(error.diagnostics), refusedGroup(refused, verbose)],
  };
}
