/** What `validate` prints, also when there are errors (schemas/validation.schema.json). */

import { hasErrors } from '../../../base/diagnostic.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { ReportOf } from '../../report.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { FORMAT_VERSION } from './version.ts';
import { judgementOf } from './findings.ts';

export function validationDocument({
  files,
  flags,
  cohorts,
  tests,
  diagnostics,
  policies,
}: ReportOf<'validation'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    valid: !hasErrors(diagnostics),
    files,
    flags,
    cohorts,
    test_files: tests,
    diagnostics: diagnostics.map(diagnosticDocument),
    ...(policies === undefined ? {} : { policies: policies.map(projectDocument) }),
  };
}

function projectDocument({ project, judgement }: NonNullable<ReportOf<'validation'>['policies']>[number]): JsonObject {
  return { project, ...judgementOf(judgement) };
}
