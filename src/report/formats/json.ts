/** JSON documents, described by `schemas/`. A file in `json/` builds each; those with many parts are loaded when they are needed. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Renderer } from '../renderer.ts';
import type { RecordsReport } from '../report.ts';
import { FORMAT_VERSION, indentedJson, sealJson } from './json/seal.ts';

export const JSON_DOCUMENT: Renderer = {
  forms: {
    plan: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
    drift: async (report) => indentedJson((await import('./json/runs.ts')).planReportDocument(report)),
    result: async (report) => indentedJson((await import('./json/runs.ts')).resultDocument(report)),
    nothing: async (report) => indentedJson((await import('./json/runs.ts')).nothingDocument(report)),
    undo: async (report) => indentedJson((await import('./json/runs.ts')).undoDocument(report)),
    run: async (report) => indentedJson((await import('./json/runs.ts')).runDocument(report)),
    history: async (report) => indentedJson((await import('./json/runs.ts')).historyDocument(report)),
    validation: async (report) => indentedJson((await import('./json/checks.ts')).validationDocument(report)),
    test: async (report) => indentedJson((await import('./json/checks.ts')).testDocument(report)),
    files: async (report) => indentedJson((await import('./json/edits.ts')).filesDocument(report)),
    export: async (report) => indentedJson((await import('./json/edits.ts')).exportDocument(report)),
    promote: async (report) => indentedJson((await import('./json/edits.ts')).promoteDocument(report)),
    parity: async (report) => indentedJson((await import('./json/values.ts')).parityDocument(report)),
    rehearsal: async (report) => indentedJson((await import('./json/values.ts')).rehearsalDocument(report)),
    explain: async (report) => indentedJson((await import('./json/values.ts')).explainDocument(report)),
    accept: async (report) => indentedJson((await import('./json/edits.ts')).acceptDocument(report)),
    doctor: async (report) => indentedJson((await import('./json/checks.ts')).doctorDocument(report)),
    refs: async (report) => indentedJson((await import('./json/references.ts')).referencesDocument(report)),
    stale: async (report) => indentedJson((await import('./json/stale.ts')).staleDocument(report)),
    service: ({ url, projectId, environment }) =>
      indentedJson({ format_version: FORMAT_VERSION, url, project_id: projectId, environment: { ...environment } }),
    records: async (report) => indentedJson(report.document ?? (await readAll(report))),
    record: ({ record }) => indentedJson(record),
    done: ({ record }) => indentedJson(record),
    failure: async (report) => indentedJson((await import('./json/checks.ts')).failureDocument(report)),
  },
  seal: sealJson,
};

async function readAll({ records }: RecordsReport): Promise<JsonValue> {
  const all: JsonObject[] = [];
  for await (const record of records) all.push(record);
  return all;
}
