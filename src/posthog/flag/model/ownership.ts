/**
 * Who decides about the values of a flag: the rules that manifests and the configuration have for it, and the defaults. The service decides
 * about computed fields, and other products about their parts of `filters`.
 */

import { memberOf, type JsonObject } from '../../../base/json.ts';
import type { Place } from '../../../base/place.ts';
import type { Ownership } from '../../../engine/ownership.ts';
import { matchesField, type FieldPath } from '../../../engine/field-path.ts';
import { PARTS_OF_OTHER_PRODUCTS } from './tolerances.ts';

/** A place in a flag, and who decides there. */
export interface OwnershipRule {
  readonly path: FieldPath;
  readonly ownership: Ownership;
  /** The place in a manifest or in the configuration. */
  readonly source: Place;
}

/** The parts of live filters that other products decide, as manifests declare filters without them. */
export function partsOfOthers(declared: JsonObject, live: JsonObject): readonly string[] {
  return PARTS_OF_OTHER_PRODUCTS.filter(
    (part) =>
      (memberOf(live, part) ?? null) !== null && (!Object.hasOwn(declared, part) || declared[part] === undefined),
  );
}

/**
 * The owner at a pointer into the fields, by API name. `rules`: the weakest first, so the last that matches counts. `undefined`: no rule
 * matches.
 */
export function findOwnership(
  rules: readonly OwnershipRule[],
  pointer: string,
  fields: JsonObject,
): Ownership | undefined {
  return rules.findLast(({ path }) => matchesField(path, pointer, fields))?.ownership;
}

/** Whether git decides about a whole field, which no rule then names. */
export function isManagedField(rules: readonly OwnershipRule[] | undefined, field: string): boolean {
  return (findOwnership(rules ?? [], `/${field}`, {}) ?? 'managed') === 'managed';
}

/** The top-level field that a path is about. */
export function fieldOf({ steps: [first] }: Pick<FieldPath, 'steps'>): string | undefined {
  return first?.kind === 'member' ? first.name : undefined;
}
