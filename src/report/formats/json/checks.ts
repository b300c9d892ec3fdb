/** The JSON of `validate` (schemas/validation.schema.json), `test` and `doctor`, and of the failure of a whole run (schemas/error.schema.json). */

import { maskKeys, replaceKeys } from '../../../base/api-key.ts';
import { type Diagnostic, hasErrors } from '../../../base/diagnostic.ts';
import { parseJson, stringifyJson } from '../../../base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { DecidingCondition, ExpectedAnswer, TriedCondition, Undecided } from '../../../expectations/verdict.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { type CheckResult, type ConfigurationValue, countStatus } from '../../check-result.ts';
import type { ReportOf } from '../../report.ts';
import { countOutcome, describe } from '../../words/diagnostics.ts';
import { checkWords } from '../../words/doctor.ts';
import { brokenRuleDocuments, findingDocument, judgementOf, refusedDocument } from './findings.ts';
import { FORMAT_VERSION } from './seal.ts';

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

/** The JSON of `test`, also if expectations do not hold (schemas/test.schema.json). */
export function testDocument({ files, people, projects, cases }: ReportOf<'test'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    files,
    people,
    projects,
    summary: {
      passed: countOutcome(cases, 'passed'),
      failed: countOutcome(cases, 'failed'),
      undecided: countOutcome(cases, 'undecided'),
    },
    cases: cases.map(({ project, flag, person, name, place, expected, verdict }) => ({
      outcome: verdict.outcome,
      project,
      flag,
      person,
      ...defined({ name }),
      ...place,
      expected: { value: expected.value, ...defined({ payload: expected.payload }) },
      ...(verdict.outcome === 'undecided'
        ? { undecided: undecidedDocument(verdict.why) }
        : { answer: answerDocument(verdict.answer) }),
      ...(verdict.outcome === 'failed' && verdict.attempts.length > 0
        ? { conditions: verdict.attempts.map(attemptDocument) }
        : {}),
    })),
  };
}

function undecidedDocument(why: Undecided): JsonObject {
  return why.code === 'filter_unknown' ? { ...why, condition: conditionDocument(why.condition) } : { ...why };
}

function attemptDocument({ condition, result }: TriedCondition): JsonObject {
  const { kind, ...facts } = result;
  return { number: condition.number, ...condition.place, condition: condition.condition, result: kind, ...facts };
}

function answerDocument({ value, payload, reason, condition }: ExpectedAnswer): JsonObject {
  return {
    value,
    ...defined({ payload }),
    reason,
    ...defined({ condition: condition && conditionDocument(condition) }),
  };
}

function conditionDocument({ number, place, condition }: DecidingCondition): JsonObject {
  return { number, ...place, condition };
}

/** The JSON of `doctor` (schemas/doctor.schema.json). */
export function doctorDocument({ results, values }: ReportOf<'doctor'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    summary: {
      ok: countStatus(results, 'ok'),
      warning: countStatus(results, 'warning'),
      problem: countStatus(results, 'problem'),
      skipped: countStatus(results, 'skipped'),
    },
    results: results.map(resultDocument),
    values: values.map(valueDocument),
  };
}

/** The arguments of a diagnostic may be what was written, a key among it: its code and its place are enough. */
function resultDocument(result: CheckResult): JsonObject {
  const { section, code, status, project, host, place } = result;
  const facts: object = result.code === 'diagnostic' ? { code: result.facts.code } : result.facts;
  return {
    section,
    code,
    status,
    ...defined({ project, host }),
    ...place,
    ...checkWords(result),
    facts: parseJson(replaceKeys(stringifyJson(facts as JsonValue))),
  };
}

function valueDocument({ name, value, from }: ConfigurationValue): JsonObject {
  const { kind, ...origin } = from;
  return { name, value, from: kind, ...('place' in origin ? origin.place : origin) };
}
