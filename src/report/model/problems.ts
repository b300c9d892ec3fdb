/** The models of problems: of a run that failed as a whole, of warnings about manifests, and what a validation shows of diagnostics and policies. */

import type { Diagnostic } from '../../base/diagnostic.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { brokenRules } from '../../review/policy/broken-rules.ts';
import { escapeLine, placeText } from '../escape.ts';
import { toned } from '../phrase.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { describe, mayShowSource } from '../words/diagnostics.ts';
import { refusedGroup } from './change.ts';
import type { ReportEntry, ReportGroup, ReportModel, ReportPage } from './report-model.ts';
import { brokenFacts, liftedNotice, policyNotice, refusalNotice } from './rules.ts';

export function judgedParts(
  policies: NonNullable<ReportOf<'validation'>['policies']>,
): Pick<ReportPage, 'facts' | 'notices'> {
  return {
    facts: policies.flatMap(({ project, judgement }) =>
      brokenFacts(brokenRules(judgement)).map((fact) => ({ ...fact, of: project })),
    ),
    notices: policies.flatMap(({ project: of, judgement, excepted = [] }) => {
      const name = { code: of };
      const title = ['Policies refuse the changes for ', name, ' (exit code 4)'];
      const commentTitle = ['Policies refuse the changes (exit code 4), ', name];
      return [
        { ...refusalNotice(title, brokenRules(judgement), { project: of }), commentTitle, of },
        { ...liftedNotice(brokenRules(judgement), excepted, ['Exceptions and approvals, ', name]), of },
        { ...policyNotice(judgement, ['Policies, ', name]), of },
      ];
    }),
  };
}

/** The message of these errors only summarizes their diagnostics. */
const SUMMARIES: ReadonlySet<ErrorCode> = new Set(['config_invalid', 'manifest_invalid', 'tests_invalid']);

export function failureModel(report: ReportOf<'failure'>, verbose: boolean): ReportModel {
  const { error, hazards = [], findings = [], changes = [], refused = [], project, grantors, base } = report;
  // A single diagnostic says the same as the message.
  const isRepeated = error.diagnostics.length === 1 && SUMMARIES.has(error.code);
  const stack =
    verbose && error.code === 'internal' && error.cause instanceof Error ? String(error.cause.stack) : undefined;
  return {
    title: { words: project === undefined ? 'The run failed' : 'The run failed for', ...defined({ project }) },
    failure: { code: error.code, message: error.message, isRepeated, ...defined({ remedy: error.remedy, stack }) },
    page: () => ({
      notices: [
        refusalNotice('Refused', brokenRules({ hazards, findings, changes }), {
          project: project?.name,
          grantors,
          base,
        }),
      ],
      groups: [diagnosticGroup(error.diagnostics), refusedGroup(refused, verbose)],
    }),
    remarks: async () => (await import('./remark.ts')).failureRemarks(report),
  };
}

export function diagnosticsModel({ diagnostics }: ReportOf<'diagnostics'>): ReportModel {
  return { page: () => ({ groups: [diagnosticGroup(diagnostics)] }) };
}

/** A terminal shows one list; the other formats divide it. */
export function diagnosticGroup(diagnostics: readonly Diagnostic[]): ReportGroup {
  const amount = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    title: 'Problems',
    form: 'blocks',
    indent: { head: 0, lines: 0 },
    spacing: 'always',
    entries: diagnostics.map(diagnosticEntry),
    sorts: [
      { name: 'error', title: 'Errors', counted: count(amount('error'), 'error'), prominence: 'grave' },
      { name: 'warning', title: 'Warnings', counted: count(amount('warning'), 'warning') },
    ],
  };
}

function diagnosticEntry(diagnostic: Diagnostic): ReportEntry {
  const { severity, place, code } = diagnostic;
  const { message, remedy } = describe(diagnostic);
  return {
    sort: severity,
    kinds: [severity],
    head: [
      ...(place === undefined ? [] : [toned('strong', placeText(place)), '  ']),
      toned(severity, severity),
      `  ${escapeLine(message)}  `,
      toned('dim', code),
    ],
    lines: [
      ...(place === undefined || !mayShowSource(diagnostic) ? [] : [{ phrase: '', excerpt: place, indent: 2 }]),
      { phrase: [toned('dim', '→'), ` ${escapeLine(remedy)}`], indent: 2 },
    ],
  };
}
