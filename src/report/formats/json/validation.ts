/** What `validate` prints, also when there are errors (schemas/validation.schema.json). */

import { hasErrors } from '../../../base/diagnostic.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { ReportOf } from '../../report.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { FORMAT_VERSION } from './version.ts';

export function validationDocument({ files, flags, diagnostics }: ReportOf<'validation'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    valid: !hasErrors(diagnostics),
    files,
    flags,
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}
