/** Checks payloads: each must have its variant (or `true` without variants), and a string must be JSON text. */

import { isJsonArray, isJsonObject, objectOrEmpty, type JsonValue } from '../../../base/json.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import { defined } from '../../../base/optional.ts';
import type { Suggest } from '../../../base/suggest.ts';
import { unstorableCharacter } from '../../../base/text.ts';
import type { FiltersView } from '../view.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import { variantKeysOf } from './variants.ts';
import type { FlagFinding } from './problems.ts';

/** The largest number of variants in one message. */
const MOST_SHOWN = 20;

export function checkPayloads(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  const variants = variantKeysOf(view, sound);
  const keys = variants?.length === 0 ? ['true'] : variants;
  const fitting = new Set(keys);
  const allowed = keys?.slice(0, MOST_SHOWN);
  return Object.entries(objectOrEmpty(view.filters.payloads)).flatMap(([payload, value]) => {
    const at = `/filters/payloads${toPointer([payload])}`;
    const findings: FlagFinding[] = [];
    if (keys !== undefined && allowed !== undefined && !fitting.has(payload)) {
      const suggestion = suggest(payload, keys);
      const args = { payload, allowed, ...defined({ suggestion }) };
      findings.push({ code: 'payload-key-unknown', severity: 'error', at, args });
    }
    if (typeof value === 'string') findings.push(...checkText(value, { payload, at }));
    return findings;
  });
}

function checkText(text: string, { payload, at }: { readonly payload: string; readonly at: string }): FlagFinding[] {
  const parsed = parse(text);
  if (parsed === undefined) return [{ code: 'payload-not-json', severity: 'error', at, args: { payload } }];
  const character = unstorableIn(parsed.value);
  return character === undefined ? [] : [{ code: 'character-forbidden', severity: 'error', at, args: { character } }];
}

// The character may be escaped in the text. Iterative, since the depth of the text is not limited.
function unstorableIn(value: JsonValue): string | undefined {
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      const character = unstorableCharacter(next);
      if (character !== undefined) return character;
    } else if (isJsonArray(next)) {
      for (const element of next) pending.push(element);
    } else if (isJsonObject(next)) {
      for (const [name, member] of Object.entries(next)) pending.push(name, member ?? null);
    }
  }
  return undefined;
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
