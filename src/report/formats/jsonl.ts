/** JSON Lines, for the answers of commands on resources. */

import { stringifyJson } from '../../base/json-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { type RecordStream, type Renderer } from '../renderer.ts';
import { sealJson } from './json/seal.ts';

export const JSON_LINES: Renderer = {
  forms: {
    records: ({ records }) => stream(records),
    record: ({ record }) => line(record),
    done: ({ record }) => line(record),
  },
  seal: sealJson,
};

function stream(records: RecordStream['records']): RecordStream {
  return { head: '', records, line };
}

function line(record: JsonObject): string {
  return `${stringifyJson(record)}\n`;
}
