/** Checks the size of a flag's filters. */

import { canonicalText, isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import type { Filters } from '../flag.ts';
import type { FiltersView } from '../view.ts';
import type { FlagFinding } from './problems.ts';

/** Bytes of compact JSON text; docs/service.md, "Filters". */
const LIMIT = 512 * 1024;
/** A character is at most seven bytes: `\\\\u00fc`, an escape within a string. */
const SURELY_SMALL = LIMIT / 7;

export function checkSize({ filters }: FiltersView): FlagFinding[] {
  if (stringifyJson(filters).length <= SURELY_SMALL) return [];
  const bytes = Buffer.byteLength(canonicalText({ ...filters, ...payloadTexts(filters) }));
  if (bytes <= LIMIT) return [];
  return [{ code: 'filters-too-large', severity: 'error', at: '/filters', args: { bytes, limit: LIMIT } }];
}

// The service stores every payload as JSON text, in ASCII and with a space after each comma and colon.
function payloadTexts({ payloads }: Filters): { readonly payloads?: JsonObject } {
  if (!isJsonObject(payloads)) return {};
  const texts = Object.entries(payloads).map(([key, value]): [string, JsonValue] => [
    key,
    typeof value === 'string' ? value : pythonText(stringifyJson(value ?? null)),
  ]);
  return { payloads: objectFrom(texts) };
}

function pythonText(json: string): string {
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replaceAll(/[\u0080-\uffff]/g, escapeUnit) : `${token} `,
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
