/** The JSON of `validate` (schemas/validation.schema.json), and of the failure of a whole run (schemas/error.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import type { ReportOf } from '../../report.ts';
import { brokenRuleDocuments, findingDocument, refusedDocument, judgementOf } from './findings.ts';
import { FORMAT_VERSION } from './seal.ts';
import { hasErrors, type Diagnostic } from '../../../base/diagnostic.ts';
import { describe } from '../../words/diagnostics.ts';
import { maskKeys } from '../../../base/api-key.ts';
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
    ...(policies === undefined ? {} : { policies: policies.map(policyDocument) }),
  };
}

function policyDocument({ project, judgement }: NonNullable<ReportOf<'validation'>['policies']>[number]): JsonObject {
  return { project, ...judgementOf(judgement) };
}

export function diagnosticDocument(diagnostic: Diagnostic): JsonObject {
  const { message, remedy } = describe(diagnostic);
  return {
    code: diagnostic.code,
    severity: diagnostic.severity,
    message,
    remedy,
    ...diagnostic.place,
    ...(diagnostic.path === undefined ? {} : { path: maskKeys(diagnostic.path) }),
  };
}
