/** The findings of `validate`, and a failed run, as annotations of GitHub. */

import type { Diagnostic, Severity } from '../../../base/diagnostic.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { count } from '../../words/count.ts';
import { describe } from '../../words/diagnostics.ts';
import { diagnosticsSummary } from '../text/diagnostics.ts';

export function validationAnnotations({ files, flags, diagnostics }: ReportOf<'validation'>, view: View): string {
  const checked = `${count(flags, 'flag')} in ${count(files, 'file')}`;
  return `${diagnosticLines(diagnostics, view)}${checked}: ${diagnosticsSummary(diagnostics)}\n`;
}

export function failureAnnotations({ error }: ReportOf<'failure'>, view: View): string {
  const message = [error.message, error.remedy ?? ''].join(' ').trimEnd();
  return diagnosticLines(error.diagnostics, view) || annotation('error', { title: error.code }, message);
}

function diagnosticLines(diagnostics: readonly Diagnostic[], view: View): string {
  return diagnostics.map((diagnostic) => diagnosticLine(diagnostic, view)).join('');
}

function diagnosticLine(diagnostic: Diagnostic, view: View): string {
  const { code, severity, place } = diagnostic;
  const { message, remedy } = describe(diagnostic);
  const where =
    place === undefined ? {} : { file: repositoryFile(place, view), line: `${place.line}`, col: `${place.column}` };
  return annotation(severity, { ...where, title: code }, `${message} ${remedy}`);
}

function annotation(severity: Severity, properties: Readonly<Record<string, string>>, message: string): string {
  const listed = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${severity} ${listed.join(',')}::${escapeData(message)}\n`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
