/** A declared early access feature with live values in place of some differences, so that a comparison does not find them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { memberOf, objectFrom, type JsonValue } from '../../base/json.ts';
import type { Leave } from '../../engine/kind.ts';
import type { FeatureChange } from './change.ts';
import type { DeclaredFeature, DesiredFeature } from './desired.ts';
import type { MatchedFeature } from './live.ts';

/** `undefined` where nothing of the feature is written. */
export function leaveFeature({
  change,
  parts,
  match: { desired, live },
}: Leave<FeatureChange, DesiredFeature, MatchedFeature>): DeclaredFeature | undefined {
  if (change.action !== 'update' || desired.kind === 'retired' || live === undefined) return undefined;
  const left = new Set(parts.map(({ path }) => fromPointer(path)[0] ?? ''));
  const fields = Object.entries(desired.fields).map(([name, value]): [string, JsonValue] => [
    name,
    (left.has(name) ? memberOf(live.feature, name) : value) ?? '',
  ]);
  return { ...desired, fields: objectFrom(fields) };
}
