/** The findings of `validate`, and a failed run, as issues of a Code Quality report. */

import type { Diagnostic, Severity } from '../../../base/diagnostic.ts';
import { canonicalText, type JsonObject } from '../../../base/json.ts';
import { fingerprintOf } from '../../../engine/fingerprint.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { describe } from '../../words/diagnostics.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'major', warning: 'minor' };

/** GitLab ignores an issue without a place. */
const NO_PLACE = { file: 'flagwright.yaml', line: 1, column: 1 };

export function validationIssues({ diagnostics }: ReportOf<'validation'>, view: View): JsonObject[] {
  return withFingerprints(diagnostics.map((diagnostic) => toIssue(diagnostic, view)));
}

export function failureIssues({ error }: ReportOf<'failure'>, view: View): JsonObject[] {
  if (error.diagnostics.length > 0)
    return withFingerprints(error.diagnostics.map((diagnostic) => toIssue(diagnostic, view)));
  const description = [error.message, error.remedy ?? ''].join(' ').trimEnd();
  return withFingerprints([
    {
      description,
      check_name: error.code,
      severity: SEVERITIES.error,
      location: toLocation(NO_PLACE, view),
    },
  ]);
}

function toIssue(diagnostic: Diagnostic, view: View): JsonObject {
  const { message, remedy } = describe(diagnostic);
  return {
    description: `${message} ${remedy}`,
    check_name: diagnostic.code,
    severity: SEVERITIES[diagnostic.severity],
    location: toLocation(diagnostic.place ?? NO_PLACE, view),
  };
}

function toLocation(place: typeof NO_PLACE, view: View): JsonObject {
  return { path: repositoryFile(place, view), lines: { begin: place.line } };
}

/** GitLab compares fingerprints between branches, so they do not depend on lines. Equal issues are numbered. */
function withFingerprints(issues: readonly JsonObject[]): JsonObject[] {
  const seen = new Map<string, number>();
  return issues.map((issue) => {
    const { path = '' } = issue['location'] as JsonObject;
    const content = { path, check_name: issue['check_name'] ?? '', description: issue['description'] ?? '' };
    const name = canonicalText(content);
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return { ...issue, fingerprint: fingerprintOf({ ...content, number }) };
  });
}
