/** JSON Lines, for the answers of commands on resources. */

import { stringifyJson } from '../../base/json-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { NO_FORM, type RecordStream, type Renderer } from '../renderer.ts';
import { sealJson } from './json/seal.ts';

export const JSON_LINES: Renderer = {
  forms: {
    plan: NO_FORM,
    drift: NO_FORM,
    result: NO_FORM,
    nothing: NO_FORM,
    undo: NO_FORM,
    resuming: NO_FORM,
    run: NO_FORM,
    history: NO_FORM,
    validation: NO_FORM,
    files: NO_FORM,
    export: NO_FORM,
    service: NO_FORM,
    records: ({ records }) => stream(records),
    record: ({ record }) => line(record),
    done: ({ record }) => line(record),
    warnings: NO_FORM,
    diagnostics: NO_FORM,
    failure: NO_FORM,
  },
  seal: sealJson,
};

function stream(records: RecordStream['records']): RecordStream {
  return { head: '', records, line };
}

function line(record: JsonObject): string {
  return `${stringifyJson(record)}\n`;
}
