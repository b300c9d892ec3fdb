/** JSON documents, described by `schemas/`. A file in `json/` builds each of them and is loaded when it is needed. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { NO_FORM, type Renderer } from '../renderer.ts';
import type { RecordsReport } from '../report.ts';
import { indentedJson, sealJson } from './json/seal.ts';

export const JSON_DOCUMENT: Renderer = {
  forms: {
    plan: async (report) => indentedJson((await import('./json/plan.ts')).planReportDocument(report)),
    drift: async (report) => indentedJson((await import('./json/plan.ts')).planReportDocument(report)),
    result: async (report) => indentedJson((await import('./json/result.ts')).resultDocument(report)),
    nothing: async (report) => indentedJson((await import('./json/result.ts')).nothingDocument(report)),
    undo: async (report) => indentedJson((await import('./json/undo.ts')).undoDocument(report)),
    resuming: NO_FORM,
    run: async (report) => indentedJson((await import('./json/history.ts')).runDocument(report)),
    history: async (report) => indentedJson((await import('./json/history.ts')).historyDocument(report)),
    validation: async (report) => indentedJson((await import('./json/validation.ts')).validationDocument(report)),
    files: async (report) => indentedJson((await import('./json/files.ts')).filesDocument(report)),
    export: async (report) => indentedJson((await import('./json/files.ts')).exportDocument(report)),
    service: async (report) => indentedJson((await import('./json/service.ts')).serviceDocument(report)),
    records: async (report) => indentedJson(report.document ?? (await readAll(report))),
    record: ({ record }) => indentedJson(record),
    done: ({ record }) => indentedJson(record),
    warnings: NO_FORM,
    diagnostics: NO_FORM,
    failure: async (report) => indentedJson((await import('./json/failure.ts')).failureDocument(report)),
  },
  seal: sealJson,
};

async function readAll({ records }: RecordsReport): Promise<JsonValue> {
  const all: JsonObject[] = [];
  for await (const record of records) all.push(record);
  return all;
}
