/** The model of warnings about the configuration or the manifests; and diagnostics as a group of other reports. */

import type { Diagnostic } from '../../base/diagnostic.ts';
import { escapeLine, placeText } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { describe, mayShowSource } from '../words/diagnostics.ts';
import { toned } from './phrase.ts';
import type { ReportEntry, ReportGroup, ReportModel } from './report-model.ts';

export function diagnosticsModel({ diagnostics }: ReportOf<'diagnostics'>): ReportModel {
  return { page: () => ({ facts: [], notices: [], groups: [diagnosticGroup(diagnostics)] }) };
}

/** A terminal shows one list; the other formats divide it. */
export function diagnosticGroup(diagnostics: readonly Diagnostic[]): ReportGroup {
  const amount = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    about: 'diagnostics',
    title: 'Problems',
    form: 'blocks',
    indent: { head: 0, lines: 0 },
    spacing: 'always',
    entries: diagnostics.map(diagnosticEntry),
    sorts: [
      { name: 'error', title: 'Errors', counted: count(amount('error'), 'error'), isGrave: true },
      { name: 'warning', title: 'Warnings', counted: count(amount('warning'), 'warning') },
    ],
  };
}

/** Place, severity, message and remedy, with the line of the file and a caret under the place. */
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
