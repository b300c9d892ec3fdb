/** The promoted values of one resource, with ids replaced by those that the other project has under the same names. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import { nameResource } from '../posthog/names/resource-name.ts';
import { readReference, type CohortReference } from '../posthog/flag/model/cohort-filters.ts';
import { flagReferences, lookupNames } from '../posthog/flag/model/references.ts';
import type { Project, ProjectNames } from '../posthog/project.ts';
import type { Desired } from './kinds.ts';
import type { EditedPart, PromotionReason, ManifestText } from './edit.ts';

/** The state of a resource in the project that it comes from. */
export interface PromotionSource {
  /** Fields by API name, with ids of that project, or names that manifests declare. */
  readonly fields: JsonObject;
  readonly roles?: readonly PromotedRole[];
  /** The level of everyone; null: none of the flag's own. */
  readonly everyone?: string | null;
  /** The key of the flag of an early access feature. */
  readonly flag?: string;
}

export interface PromoteInput {
  readonly from: Project;
  readonly to: Project;
  /** Every project of the configuration. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
  /** The resources of `from` by name, as options have it, as are `keys`. */
  readonly source: ReadonlyMap<string, PromotionSource>;
  /** The resources to promote. */
  readonly keys: readonly string[];
  /** Absent: all that the source has. */
  readonly parts?: readonly EditedPart[];
}

export interface Promotion<Own extends Desired = Desired> {
  readonly key: string;
  readonly source: PromotionSource;
  /** The declaration of the other project; absent if it lacks the resource. */
  readonly target: Own | undefined;
  /** Absent: everything. */
  readonly parts?: readonly EditedPart[];
  readonly crossing: Crossing;
  /** The reference to a flag in an edit: the key, or an id if the key could be one. */
  readonly refer: (key: string) => string | number;
}

export interface Crossing {
  readonly from: Project;
  readonly to: Project;
  /** The names of the resources that manifests will declare for the other project. */
  readonly known: ReadonlySet<string>;
}

/** `missing`: the first reason why the other project cannot have these filters. */
interface Crossed {
  readonly filters: JsonObject;
  readonly missing?: PromotionReason;
}

/** Filters, mapped by `map`, with the cohorts that the other project has under the same names. */
export function cross(
  { from, to, known }: Crossing,
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
    if (id === undefined && !known.has(nameResource('cohort', alias)))
      missing ??= { code: 'cohort-missing', alias, project: to.name };
    return id ?? alias;
  });
  return missing === undefined ? { filters } : { filters, missing };
}

/** The names of the cohorts, as options have them; none of those without a name in the project. */
export function namesOfCohorts(
  references: readonly (CohortReference | undefined)[],
  from: ProjectNames,
): readonly string[] {
  const { cohort: aliasOf } = lookupNames([], from);
  return references.flatMap((reference) => {
    const alias = typeof reference === 'number' ? aliasOf(reference) : reference;
    return alias === undefined ? [] : [nameResource('cohort', alias)];
  });
}

/** The first flag on which the filters depend and that is not among the known names; a number is an id of the source project. */
export function missingDependency(filters: JsonObject, known: ReadonlySet<string>): string | undefined {
  const missing = flagReferences(filters).find((named) => typeof named === 'number' || !known.has(named));
  return missing === undefined ? undefined : String(missing);
}

export interface PromotedRole {
  readonly id: string;
  readonly name?: string;
  readonly level: string;
}

/** The level of each role, by its id in the other project. */
export function rolesFor(
  roles: readonly PromotedRole[],
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
