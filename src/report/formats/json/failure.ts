/** Why the whole run failed (schemas/error.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import type { ReportOf } from '../../report.ts';
import { diagnosticDocument } from './diagnostic.ts';
import { brokenRuleDocuments, findingDocument } from './findings.ts';
import { refusedDocument } from './refusal.ts';
import { FORMAT_VERSION } from './version.ts';
import { defined } from '../../../base/optional.ts';

export function failureDocument({
  error,
  hazards = [],
  findings = [],
  changes = [],
  refused = [],
}: ReportOf<'failure'>): JsonObject {
  const broken = brokenRules({ hazards, findings, changes });
  return {
    format_version: FORMAT_VERSION,
    error: {
      code: error.code,
      message: error.message,
      ...defined({ remedy: error.remedy }),
      diagnostics: error.diagnostics.map(diagnosticDocument),
      ...(hazards.length === 0 ? {} : { hazards: hazards.map((hazard) => hazard as unknown as JsonObject) }),
      ...(findings.length === 0 ? {} : { findings: findings.map(findingDocument) }),
      ...(broken.length === 0 ? {} : { broken_rules: brokenRuleDocuments(broken) }),
      ...(refused.length === 0 ? {} : { refused: refused.map(refusedDocument) }),
    },
  };
}
