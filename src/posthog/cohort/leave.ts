/** A declared cohort with live values in place of some differences, so that a comparison does not find them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { isJsonObject, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Leave } from '../../engine/kind.ts';
import type { DeclaredCohort, DesiredCohort } from './desired.ts';
import { withoutDifferences } from '../flag/live-values.ts';
import { canonicalCohort, sentCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import { comparableCohort } from './comparison.ts';
import { withCohortIds } from './references.ts';
import type { CohortSnapshot, LiveCohort } from './snapshot.ts';

/**
 * A definition is left as a whole with what drifted, since its parts mean something only together. `undefined` where nothing of
 * the cohort is written.
 */
export function leaveCohort(
  { change, parts, match: { desired, live }, by }: Leave<CohortChange, DesiredCohort, LiveCohort>,
  { idOf }: CohortSnapshot,
): DeclaredCohort | undefined {
  const isWhole = change.action === 'create' || parts.some(({ path }) => path === '/deleted');
  if (isWhole || desired.kind === 'retired' || live === undefined) return undefined;
  const held = comparableCohort(live.cohort);
  const wanted = canonicalCohort(withCohortIds(desired.fields, idOf));
  const mixed = by === 'unit' ? held : withoutDifferences(wanted, held, parts);
  const left = new Set(parts.map(({ path }) => fromPointer(path)[0] ?? ''));
  return { ...desired, fields: sentCohort(withFields(desired.fields, mixed, left)) };
}

/** A field without a live value is not managed. */
function withFields(declared: JsonObject, mixed: JsonObject, names: ReadonlySet<string>): JsonObject {
  const own = Object.keys(declared).filter((name) => !names.has(name));
  const value = (name: string): JsonValue | undefined => (names.has(name) ? memberOf(mixed, name) : declared[name]);
  return objectFrom(
    [...own, ...names].flatMap((name): [string, JsonValue][] => {
      const given = value(name);
      return given === undefined || (name === 'filters' && !isJsonObject(given)) ? [] : [[name, given]];
    }),
  );
}
