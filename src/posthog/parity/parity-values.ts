/** The form in which `parity` compares projects: the values of each flag and of each other declared resource. */

import { isJsonObject, memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import type { FamilyName, FamilyTypes } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import type { Project } from '../project.ts';

export interface ComparableProject {
  /** Keys are names, as options have them; resources that the project lacks are absent. */
  readonly resources: ReadonlyMap<string, ComparableValues>;
  /** Resources that manifests name, but not for the project. */
  readonly elsewhere: readonly string[];
}

/** The resources of one family in each project, by their keys. */
export interface ComparableFamily<Name extends FamilyName> {
  /** `undefined` for what manifests delete. */
  declared(desired: FamilyTypes[Name]['desired'], project: Project): ComparableValues | undefined;
  /** The names of a declared resource that stand for no other one. */
  elsewhere(desired: FamilyTypes[Name]['desired']): readonly string[];
  /** `declared`: by this project, then by each of the projects that are compared. */
  live(
    live: LiveState,
    project: Project,
    declared: readonly (readonly FamilyTypes[Name]['desired'][])[],
  ): readonly (readonly [key: string, face: ComparableValues])[];
}

export interface ComparableValues {
  /** The canonical form. Access is `role_access`: `roles` has the level of each role by its name, `default` that of everyone. */
  readonly fields: JsonObject;
  /** Whether the manifests may leave fields to others: a field that is absent is not managed. */
  readonly isPartial: boolean;
}

/** A manifest manages a field as a whole, and of access the roles and everyone apart. */
export function isManaged(fields: JsonObject, path: string): boolean {
  const [field = '', part = ''] = fromPointer(path);
  const value = memberOf(fields, field);
  return field === 'role_access' && isJsonObject(value) ? memberOf(value, part) !== undefined : value !== undefined;
}
