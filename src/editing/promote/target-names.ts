/** Replaces the ids of one project with those that another project has under the same names. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { lookupNames } from '../../posthog/names.ts';
import type { Project } from '../../posthog/project.ts';
import { flagReferences, mapReferences } from '../../posthog/flag/references.ts';
import type { PromotionReason } from './promoted.ts';

export interface Crossing {
  readonly from: Project;
  readonly to: Project;
}

/** `missing`: why the other project cannot have these filters; the first reason, if there is one. */
export function filtersFor(
  filters: JsonObject,
  { from, to }: Crossing,
): { readonly filters: JsonObject; readonly missing?: PromotionReason } {
  const { cohort: aliasOf } = lookupNames([], from);
  let missing: PromotionReason | undefined;
  const toTarget = (value: JsonValue): JsonValue => {
    if (typeof value !== 'number') return value;
    const alias = aliasOf(value);
    const id = alias === undefined ? undefined : own(to.cohorts, alias);
    if (alias === undefined) missing ??= { code: 'cohort-unnamed', cohort: value, project: from.name };
    else if (id === undefined) missing ??= { code: 'cohort-missing', alias, project: to.name };
    return id ?? value;
  };
  const mapped = mapReferences(filters, { cohort: toTarget });
  return missing === undefined ? { filters: mapped } : { filters: mapped, missing };
}

/** The first flag on which the filters depend and that is not among `keys`. */
export function missingDependency(filters: JsonObject, keys: ReadonlySet<string>): string | undefined {
  return flagReferences(filters)
    .map(String)
    .find((key) => !keys.has(key));
}

export interface HeldRole {
  readonly id: string;
  readonly name?: string;
  readonly level: string;
}

/** The level of each role by the id that it has in the other project. */
export function rolesFor(
  roles: readonly HeldRole[],
  { from, to }: Crossing,
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
