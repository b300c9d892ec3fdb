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
  /** Its members are being computed from a definition that may be newer than they are. */
  readonly is_calculating?: boolean;
  /** Persons, as of the last calculation. */
  readonly count?: number | null;
}
