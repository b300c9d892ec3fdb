/** The JSON of checks and of files: `validate`, `test`, `doctor`, `export`; and of a run that failed. */

import { maskKeys, replaceKeys } from '../../../base/api-key.ts';
import { type Diagnostic, hasErrors } from '../../../base/diagnostic.ts';
import { parseJson, stringifyJson } from '../../../base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { DecidingCondition, ExpectedAnswer, Undecided } from '../../../review/expectations/expectation.ts';
import { brokenRuleDocument, brokenRules } from '../../../review/policy/broken-rules.ts';
import { judgementDocument } from '../../../review/policy/finding.ts';
import { type CheckResult, countStatus } from '../../check-result.ts';
import type { ReportOf } from '../../report.ts';
import { countOutcome, describe } from '../../words/diagnostics.ts';
import { checkWords } from '../../words/doctor.ts';
import { brokenRuleText, findingText } from '../../words/rules.ts';
import { FORMAT_VERSION } from './seal.ts';

export function failureDocument(report: ReportOf<'failure'>): JsonObject {
  const { error, hazards = [], findings = [], changes = [], refused = [] } = report;
  const broken = brokenRules({ hazards, findings, changes });
  return {
    format_version: FORMAT_VERSION,
    error: {
      code: error.code,
      message: error.message,
      ...defined({ remedy: error.remedy }),
      diagnostics: error.diagnostics.map(diagnosticDocument),
      ...defined({ run: error.run && { ...error.run } }),
      ...ifAny('hazards', hazards as unknown as readonly JsonObject[]),
      ...ifAny(
        'findings',
        findings.map((finding) => ({ ...(finding as unknown as JsonObject), text: findingText(finding) })),
      ),
      ...ifAny(
        'broken_rules',
        broken.map((one) => brokenRuleDocument(one, { text: brokenRuleText(one) })),
      ),
      ...ifAny('refused', refused as unknown as readonly JsonObject[]),
    },
  };
}

function ifAny(name: string, documents: readonly JsonObject[]): JsonObject {
  return documents.length === 0 ? {} : { [name]: documents };
}

export function validationDocument(report: ReportOf<'validation'>): JsonObject {
  const { files, flags, cohorts, tests, diagnostics, policies } = report;
  return {
    format_version: FORMAT_VERSION,
    valid: !hasErrors(diagnostics),
    files,
    flags,
    cohorts,
    test_files: tests,
    diagnostics: diagnostics.map(diagnosticDocument),
    ...defined({
      policies: policies?.map(({ project, judgement, excepted = [] }) => ({
        project,
        ...judgementDocument(judgement, (finding) => ({ text: findingText(finding) })),
        ...ifAny('exceptions', excepted as unknown as readonly JsonObject[]),
      })),
    }),
  };
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
        ? {
            conditions: verdict.attempts.map(({ condition, result: { kind, ...facts } }) => ({
              ...conditionDocument(condition),
              result: kind,
              ...facts,
            })),
          }
        : {}),
    })),
  };
}

function undecidedDocument(why: Undecided): JsonObject {
  return why.code === 'filter_unknown' ? { ...why, condition: conditionDocument(why.condition) } : { ...why };
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
    values: values.map(({ name, value, from: { kind, ...origin } }) => ({
      name,
      value,
      from: kind,
      ...('place' in origin ? origin.place : origin),
    })),
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

export function filesDocument({ files }: Pick<ReportOf<'files'>, 'files'>): JsonObject {
  return { format_version: FORMAT_VERSION, files: files.map(({ file, status }) => ({ file, status })) };
}

export function exportDocument({ files, unchecked, notExported, unmanaged, merge }: ReportOf<'export'>): JsonObject {
  return {
    ...filesDocument({ files }),
    unchecked: unchecked.map(({ key, reasons }) => ({ key, reasons })),
    left_out: notExported.map(({ key, id, reasons }) => ({ key, id, reasons })),
    unmanaged: unmanaged.map(({ member, flags, reason }) => ({ member, flags, reason })),
    ...(merge && {
      overlaid: merge.overlaid,
      limited: merge.limited,
      not_merged: merge.notMerged.map((flag) => ({ ...flag })),
    }),
  };
}
