/** The JSON of `doctor` (schemas/doctor.schema.json). */

import { replaceKeys } from '../../../base/api-key.ts';
import { parseJson, stringifyJson } from '../../../base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { countStatus, type CheckResult, type ConfigurationValue } from '../../check-result.ts';
import type { ReportOf } from '../../report.ts';
import { checkWords } from '../../words/doctor.ts';
import { FORMAT_VERSION } from './seal.ts';

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
    facts: parseJson(replaceKeys(stringifyJson(facts as JsonValue), '[key]')),
  };
}

function valueDocument({ name, value, from }: ConfigurationValue): JsonObject {
  const { kind, ...origin } = from;
  return { name, value, from: kind, ...('place' in origin ? origin.place : origin) };
}
