/** A declared flag with live values in place of some differences, so that a comparison does not find them. */

import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Leave } from '../../engine/kind.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { FlagChange } from './change.ts';
import { compareFlag, type DeclaredMatch } from './compare-flag.ts';
import { writableFields } from './comparison.ts';
import { withKeptPayloads } from './encrypted-payloads.ts';
import type { Flag } from './flag.ts';
import { toForm } from './forms.ts';
import { withLiveAt, withoutDifferences } from './live-values.ts';
import type { FlagSnapshot } from './snapshot.ts';

/** Fields that decide whether the flag exists, and under which key: no other field can be written without them. */
const WHOLE: ReadonlySet<string> = new Set(['/deleted', '/key']);

/** `undefined` if nothing of the flag is written. */
export function leaveFlag(
  { change, parts, match, by }: Leave<FlagChange, DesiredFlag, Flag>,
  flags: FlagSnapshot,
): DeclaredFlag | undefined {
  const { desired, live } = match;
  const isWhole = change.action === 'create' || parts.some(({ path }) => WHOLE.has(path));
  if (isWhole || desired.kind === 'retired' || live === undefined) return undefined;
  const names = [...Object.keys(desired.fields), ...parts.map(({ path }) => fromPointer(path)[0] ?? '')];
  const divided = parts.flatMap(({ path }) => dividedPayload(path));
  const fields = withReadPayloads(writableFields(live, [...new Set(names)], flags), divided);
  const wanted = { ...desired, fields: withReadPayloads(desired.fields, divided) };
  const left =
    by === 'unit'
      ? leaveUnits({ ...match, desired: wanted, live }, fields, flags)
      : { ...wanted, fields: withoutDifferences(wanted.fields, fields, parts) };
  // A digest in place of a secret is the live one, which the service keeps.
  return { ...left, fields: withKeptPayloads(left.fields, () => true) };
}

/** The key of a payload of which a part differs. */
function dividedPayload(path: string): string[] {
  const [field, member, key, ...part] = fromPointer(path);
  return field === 'filters' && member === 'payloads' && key !== undefined && part.length > 0 ? [key] : [];
}

/** Payloads that are JSON text become the mappings and lists that they encode, so that their parts can be mixed. */
function withReadPayloads(fields: JsonObject, keys: readonly string[]): JsonObject {
  const { filters } = fields;
  const payloads = isJsonObject(filters) ? filters['payloads'] : undefined;
  if (keys.length === 0 || !isJsonObject(filters) || !isJsonObject(payloads)) return fields;
  const read = Object.entries(payloads).map(([key, value]): [string, JsonValue | undefined] => {
    const parts = keys.includes(key) && value !== undefined ? toForm('payload', value, payloads) : value;
    return [key, isJsonObject(parts) || isJsonArray(parts) ? parts : value];
  });
  return { ...fields, filters: { ...filters, payloads: Object.fromEntries(read) } };
}

/** Keeps drifted values as they are live. If a canonical form hides a place, the nearest live place around it is left. */
function leaveUnits(match: DeclaredMatch, live: JsonObject, flags: FlagSnapshot): DeclaredFlag {
  const drifted = (desired: DeclaredFlag): readonly { readonly path: string; readonly at?: string }[] =>
    compareFlag({ ...match, desired }, flags).differences.filter(({ divergence }) => divergence === 'drifted');
  const { desired } = match;
  const units = drifted(desired).map(({ path, at = path }) => at);
  let left = { ...desired, fields: withLiveAt(desired.fields, live, units) };
  for (let depth = DEEPEST_UNIT; depth > 0; depth -= 1) {
    const hidden = drifted(left).map(({ path }) => toPointer(fromPointer(path).slice(0, depth)));
    if (hidden.length === 0) return left;
    left = { ...left, fields: withLiveAt(left.fields, live, hidden) };
  }
  return left;
}

/** The number of segments of `/filters/payloads/KEY` and `/filters/groups/0`: deeper ones are not left by themselves. */
const DEEPEST_UNIT = 3;
