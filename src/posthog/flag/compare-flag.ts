/** Compares a declared flag with the live one: what differs, and, with a base, which side moved. */

import { isJsonObject, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ObservedValue } from '../../core/engine/ownership.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { FlagWarning, ValueOfOthers } from './change.ts';
import { comparableFields, differencesIn, pairFields } from './comparison.ts';
import { compareWithBase, completed, type FlagDifference, type FormerFlag, supportedFields } from './three-way.ts';
import { withDeclaredSecrecy } from './model/encrypted-payloads.ts';
import type { Flag } from './model/flag.ts';
import { NOTHING_OF_OTHERS, withOwnership, type OwnedFields } from './owned-fields.ts';
import { flagReferences } from './model/references.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './model/tolerances.ts';

export interface FlagComparison {
  /** Includes what its manifest implies. */
  readonly desired: DeclaredFlag;
  /** The live flag as it was compared. */
  readonly seen: Flag;
  /** The compared fields: declared values, or live ones where others decide. */
  readonly written: JsonObject;
  readonly valuesOfOthers: readonly ValueOfOthers[];
  /** Values that others decide and that are not as declared; absent if there are none. */
  readonly observed?: readonly ObservedValue[];
  readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject };
  readonly differences: readonly FlagDifference[];
  /** Absent without a base. */
  readonly converged?: number;
  readonly warnings: readonly FlagWarning[];
}

export interface DeclaredMatch extends FormerFlag {
  readonly desired: DeclaredFlag;
  readonly live: Flag;
}

export function compareFlag(
  { desired: given, live, base, isOther }: DeclaredMatch,
  flags: FlagSnapshot,
): FlagComparison {
  const desired = completed(given);
  const supported = supportedFields(desired, live);
  const seen = withDeclaredSecrecy(live, desired.fields);
  const { wanted } = supported;
  const isOurs = desired.ownership === undefined && !hasPartsOfOthers(live);
  const owned = isOurs ? { wanted, ...NOTHING_OF_OTHERS } : withOwnership({ desired, wanted, live: seen }, flags);
  const { wanted: written, valuesOfOthers, observed } = owned;
  const common = {
    desired,
    seen,
    written,
    valuesOfOthers,
    ...(observed.length === 0 ? {} : { observed }),
    warnings: [...supported.warnings, ...owned.warnings],
  };
  if (isAsWritten(written, live) && (base === undefined || isWrittenAs(base, given)))
    return { ...common, canonical: { live: written, wanted: written }, differences: [] };
  const form = flags.comparable(seen);
  const canonical = { live: form, wanted: comparableFields(written, form, flags) };
  const pairs = pairFields(canonical, written, flags);
  const differences = differencesIn(pairs);
  const compared = { desired, live: seen, pairs, canonical };
  const annotated =
    base === undefined
      ? { differences }
      : compareWithBase(differences, compared, { base, ...defined({ isOther }), flags });
  return { ...common, canonical, ...annotated, differences: withBounds(annotated.differences, owned) };
}

/** Other products decide about these unless a manifest declares them. */
function hasPartsOfOthers({ filters }: Flag): boolean {
  return isJsonObject(filters) && PARTS_OF_OTHER_PRODUCTS.some((part) => (memberOf(filters, part) ?? null) !== null);
}

/** Omits bounds if a moved element had a value at the place. */
function withBounds(differences: readonly FlagDifference[], { outside }: OwnedFields): readonly FlagDifference[] {
  if (outside.size === 0) return differences;
  return differences.map((one) => {
    const found = outside.get(one.path);
    return found !== undefined && jsonEquals(found.live, one.before) ? { ...one, bounds: found.bounds } : one;
  });
}

/** Equal values need no canonical form. Dependencies always do: they are written by key and read by id. */
function isAsWritten(wanted: JsonObject, live: JsonObject): boolean {
  return Object.keys(wanted).every((field) => isSame(wanted[field], memberOf(live, field)));
}

function isSame(wanted: JsonValue | undefined, live: JsonValue | undefined): boolean {
  return jsonEquals(wanted, live) && !(isJsonObject(wanted) && flagReferences(wanted).length > 0);
}

/** An unchanged declaration cannot have moved on both sides. */
function isWrittenAs(base: Exclude<FormerFlag['base'], undefined>, { fields }: DeclaredFlag): boolean {
  return base === null || (base.kind === 'declared' && jsonEquals(base.fields, fields));
}
