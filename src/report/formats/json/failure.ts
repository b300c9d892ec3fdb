/** Why the whole run failed (schemas/error.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ReportOf } from '../../report.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { findingDocument } from './findings.ts';
import { refusedDocument } from './refusal.ts';
import { FORMAT_VERSION } from './version.ts';

export function failureDocument({ error, hazards = [], findings = [], refused = [] }: ReportOf<'failure'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    error: {
      code: error.code,
      message: error.message,
      ...defined({ remedy: error.remedy }),
      diagnostics: error.diagnostics.map(diagnosticDocument),
      ...(hazards.length === 0
        ? {}
        : { hazards: hazards.map((hazard) => ({ ...hazard, permit: { ...hazard.permit } })) }),
      ...(findings.length === 0 ? {} : { findings: findings.map(findingDocument) }),
      ...(refused.length === 0 ? {} : { refused: refused.map(refusedDocument) }),
    },
  };
}
