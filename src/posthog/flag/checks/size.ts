/** Checks the size of a flag's filters. */

import { canonicalText, isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import type { Filters } from '../flag.ts';
import type { FlagFinding } from './problems.ts';

/** Bytes of compact JSON text; docs/service.md, "Filters". */
const LIMIT = 512 * 1024;
/** A character is at most three bytes, and six with an escape within an escape. */
const SURELY_SMALL = LIMIT / 6;

export function checkSize(filters: Filters): FlagFinding[] {
  if (stringifyJson(filters).length <= SURELY_SMALL) return [];
  const bytes = Buffer.byteLength(canonicalText({ ...filters, ...payloadTexts(filters) }));
  if (bytes <= LIMIT) return [];
  return [{ code: 'filters-too-large', severity: 'error', at: '/filters', args: { bytes, limit: LIMIT } }];
}

// The service stores every payload as JSON text.
function payloadTexts({ payloads }: Filters): { readonly payloads?: JsonObject } {
  if (!isJsonObject(payloads)) return {};
  const texts = Object.entries(payloads).map(([key, value]): [string, JsonValue] => [
    key,
    typeof value === 'string' ? value : stringifyJson(value ?? null),
  ]);
  return { payloads: objectFrom(texts) };
}
