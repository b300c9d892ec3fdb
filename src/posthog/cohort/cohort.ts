/** A cohort: in the shape of the service's interface (docs/service.md, "Cohorts"), as manifests declare it for one project, and under the alias by
 * which manifests and plans name it. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { PlaceTree } from '../../base/place.ts';
import type { LiveResource } from '../../engine/snapshot.ts';
import type { NamedIds } from '../family.ts';
import { snapshotFlags } from '../flag/snapshot.ts';
import type { ProjectSnapshot } from '../snapshot.ts';

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

/** The members of a request that give a cohort its name: one that comes back has its own again, unless it gets another. */
export function namingOf(
  { action, body }: { readonly action: string; readonly body: JsonObject },
  { name }: JsonObject,
): JsonObject {
  return action === 'restore' ? { name, ...body } : body;
}

/** Those with the name that the members of a request give; none if they give no name. */
export function namesakesOf({ name }: JsonObject, all: readonly Cohort[]): readonly Cohort[] {
  return typeof name === 'string' ? findNamesakes(all, name) : [];
}

export type DesiredCohort = DeclaredCohort | RetiredCohort;

/** A dynamic cohort that must exist. Absent members are not managed. */
export interface DeclaredCohort extends CohortIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /**
   * The managed fields by their API name: `name`, `description`, `filters`. A cohort that the definition names is an id, or the
   * alias of a declared cohort without one.
   */
  readonly fields: JsonObject;
}

/** A cohort that must not exist (`deleted: true`). */
export interface RetiredCohort extends CohortIdentity {
  readonly kind: 'retired';
}

interface CohortIdentity {
  /** The alias. */
  readonly key: string;
  /** The id that the configuration gives the alias. */
  readonly id?: number;
  /** The names of the live cohort if it has no id; the current one is the first. */
  readonly names: readonly [string, ...string[]];
  /** Places by API field name: `/name`, `/filters/properties/values/0`. The root is the alias. */
  readonly places: PlaceTree;
}

/** A live cohort under the alias of the declaration that it is matched with. */
export interface LiveCohort extends LiveResource {
  readonly id: number;
  readonly cohort: Cohort;
}

export interface CohortSnapshot {
  /** The cohorts that were read, also deleted ones. */
  readonly all: readonly Cohort[];
  readonly byId: (id: number) => Cohort | undefined;
  readonly idOf: (alias: string) => number | undefined;
  readonly aliasOf: (id: number) => string | undefined;
}

export function snapshotCohorts(
  all: readonly Cohort[],
  aliases: ReadonlyMap<string, number> = new Map(),
): CohortSnapshot {
  const byId = new Map(all.map((cohort) => [cohort.id, cohort]));
  const aliasById = new Map([...aliases].map(([alias, id]) => [id, alias]));
  return {
    all,
    byId: (id) => byId.get(id),
    idOf: (alias) => aliases.get(alias),
    aliasOf: (id) => aliasById.get(id),
  };
}

/** The same live state, in which cohorts have aliases, with their ids. Conditions of flags name them so, too. */
export function nameCohorts(snapshot: ProjectSnapshot, aliases: NamedIds): ProjectSnapshot {
  if (aliases.length === 0) return snapshot;
  const { flags, cohorts, ...others } = snapshot;
  const named = snapshotCohorts(cohorts.all, new Map(aliases.map(([alias, id]) => [alias, Number(id)])));
  return { flags: snapshotFlags({ ...flags, cohortIdOf: named.idOf }), cohorts: named, ...others };
}
