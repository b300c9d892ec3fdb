/** Payloads: each belongs to a variant, or to `true` where there are none, and a string is JSON text. */

import { isJsonObject } from '../../base/json.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { nearest } from '../../base/text.ts';
import type { Filters } from '../../model/flag.ts';
import type { Soundness } from '../soundness.ts';
import { variantKeysOf } from './conditions.ts';
import type { Finding } from './finding.ts';

export function checkPayloads(filters: Filters, sound: Soundness): Finding[] {
  const variants = variantKeysOf(filters, sound);
  const allowed = variants?.length === 0 ? ['true'] : variants;
  return Object.entries(isJsonObject(filters.payloads) ? filters.payloads : {}).flatMap(([payload, value]) => {
    const at = `/filters/payloads${toPointer([payload])}`;
    const findings: Finding[] = [];
    if (allowed !== undefined && !allowed.includes(payload)) {
      const suggestion = nearest(payload, allowed);
      const args = suggestion === undefined ? { payload, allowed } : { payload, allowed, suggestion };
      findings.push({ code: 'payload-key-unknown', severity: 'error', at, args });
    }
    if (typeof value === 'string' && !isJsonText(value)) {
      findings.push({ code: 'payload-not-json', severity: 'error', at, args: { payload } });
    }
    return findings;
  });
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
