/** Replaces the ids of one project with those that another project has under the same names. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { mapLeaves, readReference } from '../../posthog/cohort/references.ts';
import { lookupNames } from '../../posthog/names.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { Project } from '../../posthog/project.ts';
import { flagReferences, mapReferences } from '../../posthog/flag/references.ts';
import type { PromotionReason } from './promoted.ts';

export interface Crossing {
  readonly from: Project;
  readonly to: Project;
  /** The aliases of the cohorts that manifests declare for the other project, which need no id there. */
  readonly declaredCohorts: ReadonlySet<string>;
}

/** `missing`: why the other project cannot have these filters; the first reason, if there is one. */
interface Crossed {
  readonly filters: JsonObject;
  readonly missing?: PromotionReason;
}

/** The filters of a flag. */
export function filtersFor(filters: JsonObject, crossing: Crossing): Crossed {
  return cross(crossing, (toTarget) => mapReferences(filters, { cohort: toTarget }));
}

/** The filters of a cohort. */
export function definitionFor(filters: JsonObject, crossing: Crossing): Crossed {
  const { properties } = filters;
  return cross(crossing, (toTarget) =>
    isJsonObject(properties)
      ? {
          ...filters,
          properties: mapLeaves(properties, (leaf) =>
            leaf['type'] === 'cohort' ? { ...leaf, value: toTarget(leaf['value'] ?? null) } : leaf,
          ),
        }
      : filters,
  );
}

function cross(
  { from, to, declaredCohorts }: Crossing,
  map: (toTarget: (value: JsonValue) => JsonValue) => JsonObject,
): Crossed {
  const { cohort: aliasOf } = lookupNames([], from);
  let missing: PromotionReason | undefined;
  const filters = map((value) => {
    const reference = readReference(value);
    if (reference === undefined || (typeof value === 'string' && typeof reference === 'number')) return value;
    const alias = typeof reference === 'string' ? reference : aliasOf(reference);
    if (alias === undefined) {
      missing ??= { code: 'cohort-unnamed', cohort: Number(reference), project: from.name };
      return value;
    }
    const id = own(to.cohorts, alias);
    if (id === undefined && !declaredCohorts.has(alias))
      missing ??= { code: 'cohort-missing', alias, project: to.name };
    return id ?? alias;
  });
  return missing === undefined ? { filters } : { filters, missing };
}

/** The first flag on which the filters depend and that is not among `keys`; a number is an id of the project they come from. */
export function missingDependency(filters: JsonObject, keys: ReadonlySet<string>): string | undefined {
  const missing = flagReferences(filters).find((named) => typeof named === 'number' || !keys.has(named));
  return missing === undefined ? undefined : String(missing);
}

/** The aliases that manifests declare, without those that are deleted. */
export function declaredAliases({ cohorts = [] }: Pick<DesiredState, 'cohorts'>): ReadonlySet<string> {
  return new Set(cohorts.flatMap(({ kind, key }) => (kind === 'declared' ? key : [])));
}

export interface HeldRole {
  readonly id: string;
  readonly name?: string;
  readonly level: string;
}

/** The level of each role by the id that it has in the other project. */
export function rolesFor(
  roles: readonly HeldRole[],
  { from, to }: Pick<Crossing, 'from' | 'to'>,
): { readonly roles: ReadonlyMap<string, string> } | { readonly missing: PromotionReason } {
  const { role: nameOf } = lookupNames([], from);
  const found = new Map<string, string>();
  for (const { id, name: given, level } of roles) {
    const name = nameOf(id) ?? given;
    if (name === undefined) return { missing: { code: 'role-unnamed', role: id, project: from.name } };
    const target = own(to.roles, name);
    if (target === undefined) return { missing: { code: 'role-missing', role: name, project: to.name } };
    found.set(target, level);
  }
  return { roles: found };
}

function own<Id>(ids: Readonly<Record<string, Id>>, name: string): Id | undefined {
  return Object.hasOwn(ids, name) ? ids[name] : undefined;
}
