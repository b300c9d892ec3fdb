/** A cohort in the shape of the service's interface (docs/service.md, "Cohorts"). */

import type { JsonObject, JsonValue } from '../../base/json.ts';

/** A set of persons that conditions name by id. Fields that are not named here are kept as they came. */
export interface Cohort extends JsonObject {
  readonly id: number;
  readonly name?: string | null;
  readonly description?: string | null;
  /** A list of persons, rather than conditions on them. */
  readonly is_static?: boolean;
  /** The definition of a dynamic cohort: `properties` is a tree of AND and OR. */
  readonly filters?: JsonValue;
  readonly deleted?: boolean;
  /** Members are being computed from a definition that may be newer than they are. */
  readonly is_calculating?: boolean;
  /** Persons, as of the last calculation. */
  readonly count?: number | null;
}

/** The name as it is compared. */
export function nameOf({ name }: Pick<Cohort, 'name'>): string {
  return name?.trim() ?? '';
}

/** The cohorts in use with a name, the first one first. */
export function findNamesakes(all: readonly Cohort[], name: string): readonly Cohort[] {
  return all.filter((one) => nameOf(one) === name.trim() && one.deleted !== true).toSorted((a, b) => a.id - b.id);
}
