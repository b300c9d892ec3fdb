/** A declared flag with live values in place of some differences, so that a comparison does not find them. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Leave } from '../../engine/kind.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { FlagChange } from './change.ts';
import { compareFlag, type DeclaredMatch } from './compare-flag.ts';
import { writableFields } from './comparison.ts';
import { withKeptPayloads } from './encrypted-payloads.ts';
import type { Flag } from './flag.ts';
import { withLiveAt, withoutDifferences } from './live-values.ts';
import type { FlagSnapshot } from './snapshot.ts';

/** What decides whether the flag exists, and under which key: nothing else of it can be written without. */
const WHOLE: ReadonlySet<string> = new Set(['/deleted', '/key']);

/** `undefined` where nothing of the flag is written. */
export function leaveFlag(
  { change, parts, match, by }: Leave<FlagChange, DesiredFlag, Flag>,
  flags: FlagSnapshot,
): DeclaredFlag | undefined {
  const { desired, live } = match;
  const isWhole = change.action === 'create' || parts.some(({ path }) => WHOLE.has(path));
  if (isWhole || desired.kind === 'retired' || live === undefined) return undefined;
  const declared = { ...match, desired, live };
  const names = [...Object.keys(desired.fields), ...parts.map(({ path }) => fromPointer(path)[0] ?? '')];
  const fields = writableFields(live, [...new Set(names)], flags);
  const left =
    by === 'unit'
      ? leaveUnits(declared, fields, flags)
      : { ...desired, fields: withoutDifferences(desired.fields, fields, parts) };
  // A digest in place of a secret is the live one, which the service keeps.
  return { ...left, fields: withKeptPayloads(left.fields, () => true) };
}

/** What drifted, as it is live. Where a canonical form hides a place, the whole field is left. */
function leaveUnits(match: DeclaredMatch, live: JsonObject, flags: FlagSnapshot): DeclaredFlag {
  const drifted = (desired: DeclaredFlag): readonly { readonly path: string; readonly at?: string }[] =>
    compareFlag({ ...match, desired }, flags).differences.filter(({ divergence }) => divergence === 'drifted');
  const { desired } = match;
  const units = drifted(desired).map(({ path, at = path }) => at);
  const left = { ...desired, fields: withLiveAt(desired.fields, live, units) };
  const hidden = drifted(left).map(({ path }) => `/${fromPointer(path)[0] ?? ''}`);
  return hidden.length === 0 ? left : { ...left, fields: withLiveAt(left.fields, live, hidden) };
}
