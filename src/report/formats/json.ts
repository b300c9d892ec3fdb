/** JSON documents, described by `schemas/`. A file in `json/` builds each; those with many parts are loaded when they are needed. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { NO_FORM, type Renderer } from '../renderer.ts';
import type { RecordsReport } from '../report.ts';
import { exportDocument, filesDocument } from './json/files.ts';
import { indentedJson, sealJson } from './json/seal.ts';
import { serviceDocument } from './json/service.ts';

export const JSON_DOCUMENT: Renderer = {
  forms: {
    plan: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
    drift: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
    result: async (report) => indentedJson((await import('./json/runs.ts')).resultDocument(report)),
    nothing: async (report) => indentedJson((await import('./json/runs.ts')).nothingDocument(report)),
    undo: async (report) => indentedJson((await import('./json/runs.ts')).undoDocument(report)),
    resuming: NO_FORM,
    run: async (report) => indentedJson((await import('./json/runs.ts')).runDocument(report)),
    history: async (report) => indentedJson((await import('./json/runs.ts')).historyDocument(report)),
    validation: async (report) => indentedJson((await import('./json/problems.ts')).validationDocument(report)),
    test: async (report) => indentedJson((await import('./json/test.ts')).testDocument(report)),
    files: (report) => indentedJson(filesDocument(report)),
    export: (report) => indentedJson(exportDocument(report)),
    promote: async (report) => indentedJson((await import('./json/promote.ts')).promoteDocument(report)),
    parity: async (report) => indentedJson((await import('./json/parity.ts')).parityDocument(report)),
    explain: async (report) => indentedJson((await import('./json/explain.ts')).explainDocument(report)),
    accept: async (report) => indentedJson((await import('./json/accept.ts')).acceptDocument(report)),
    service: (report) => indentedJson(serviceDocument(report)),
    script: NO_FORM,
    records: async (report) => indentedJson(report.document ?? (await readAll(report))),
    record: ({ record }) => indentedJson(record),
    done: ({ record }) => indentedJson(record),
    warnings: NO_FORM,
    diagnostics: NO_FORM,
    failure: async (report) => indentedJson((await import('./json/problems.ts')).failureDocument(report)),
  },
  seal: sealJson,
};

async function readAll({ records }: RecordsReport): Promise<JsonValue> {
  const all: JsonObject[] = [];
  for await (const record of records) all.push(record);
  return all;
}
