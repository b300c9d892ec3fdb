/** Finds where the values of projects differ from each other, resource by resource, and whether their manifests declare the difference. */

import { compareStrings } from '../../base/compare-strings.ts';
import { valueAt, fromPointer } from '../../base/json-pointer.ts';
import { jsonEquals, type JsonObject, type JsonValue, isJsonObject, memberOf } from '../../base/json.ts';
import { diff } from '../../core/engine/diff.ts';
import { matchKeys, matchScope, type Scope } from '../../core/engine/scope.ts';
import type { DesiredState } from '../desired.ts';
import { mapFamilies, FAMILIES } from '../families.ts';
import { findOwnership } from '../flag/model/fields.ts';
import type { FamilyName, FamilyTypes } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import { isOfMain, readName, nameResource } from '../names/resource-name.ts';
import type { Project } from '../project.ts';

/** One project with its declarations, and its live state if the services are compared. */
export interface ParityProject {
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live?: LiveState;
}

interface ParityOptions {
  /** Limits the flags that no manifest names. */
  readonly scope: Scope;
  /** Names or globs; absent: everything. */
  readonly targets?: readonly string[];
}

/** Includes the number of compared resources of each family. */
export interface Parity extends Readonly<Record<FamilyName, number>> {
  /** The names of the projects, in the order of the cells. */
  readonly projects: readonly string[];
  /** Sorted by key; those of one resource in the order of its fields. */
  readonly rows: readonly ParityRow[];
  /** The resources that are the same in all projects, sorted by key. */
  readonly alike: readonly AlikeResource[];
}

export interface AlikeResource {
  readonly key: string;
  /** Those of any of the projects; a field that manifests leave open is absent. */
  readonly fields: JsonObject;
}

/** A value that is not the same in all projects. */
export interface ParityRow {
  /** The name, as options have it. */
  readonly key: string;
  /** JSON pointer in the API's names; empty if the projects differ in having the resource. */
  readonly path: string;
  readonly cells: readonly ParityCell[];
  /** Whether the manifests declare the difference. */
  readonly declared: boolean;
  /** Present between services if the manifests of a project leave the value to others (`ownership`), so that it may differ. */
  readonly others?: true;
}

export type ParityCell =
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** The project has no such value. */
  | { readonly kind: 'none' }
  /** The manifests of the project do not manage the field. */
  | { readonly kind: 'unmanaged' }
  /** The project has it; in rows about the resource itself. */
  | { readonly kind: 'present' }
  | { readonly kind: 'absent' }
  /** The project could not be read. */
  | { readonly kind: 'unread' };

/**
 * Compares what the manifests declare, or the services where every project has live state. Ids count as the names that the
 * configuration has for them. A difference between services is declared where the manifests differ at the same place.
 */
export function compareProjects(projects: readonly ParityProject[], { scope, targets }: ParityOptions): Parity {
  const declared = projects.map(declaredValues);
  const all = projects.map(({ desired }) => desired);
  const lives = projects.flatMap(({ project, desired, live }) =>
    live === undefined ? [] : [liveValues({ project, live }, [desired, ...all])],
  );
  const isLive = lives.length === projects.length;
  const compared = isLive ? lives : declared;
  const named = new Set(declared.flatMap(({ resources, elsewhere }) => [...resources.keys(), ...elsewhere]));
  const inScope = matchScope(scope);
  const isTarget = targets === undefined ? () => true : matchKeys(targets);
  const keys = [...new Set(compared.flatMap(({ resources }) => [...resources.keys()]))]
    .filter((key) => isTarget(key) && (named.has(key) || (isOfMain(key) && inScope(key))))
    .sort(compareStrings);
  const rows = keys.flatMap((key) => {
    const own = rowsOf(key, compared);
    return isLive ? withIntent(own, { key, declared, isOthers: othersIn(key, projects) }) : own;
  });
  const sections = keys.map((key) => readName(key).section);
  const amounts = mapFamilies<Record<FamilyName, number>>(
    ({ section }) => sections.filter((one) => one === section).length,
  );
  const differing = new Set(rows.map(({ key }) => key));
  const alike = keys.flatMap((key) => {
    const fields = compared[0]?.resources.get(key)?.fields;
    return fields === undefined || differing.has(key) ? [] : [{ key, fields }];
  });
  return { projects: projects.map(({ project }) => project.name), ...amounts, rows, alike };
}

/** The same with a cell for each of the projects, also those that could not be read and so were not compared. */
export function withUnread(parity: Parity, projects: readonly string[]): Parity {
  const places = projects.map((name) => parity.projects.indexOf(name));
  const rows = parity.rows.map((row) => ({
    ...row,
    cells: places.map((at): ParityCell => row.cells[at] ?? { kind: 'unread' }),
  }));
  return { ...parity, projects, rows };
}

/** The rows of declared sides: a difference counts as declared unless a project leaves the field to others. */
function rowsOf(key: string, projects: readonly ComparableProject[]): ParityRow[] {
  const sides = projects.map((one) => one.resources.get(key));
  const presence = sides.map((side): ParityCell => ({ kind: side === undefined ? 'absent' : 'present' }));
  const [first, ...others] = sides.filter((side) => side !== undefined);
  // Every place at which a side differs from the first one. A field that one of them does not manage differs as a whole.
  const paths = new Set(first && others.flatMap((other) => diff(first.fields, other.fields).map(({ path }) => path)));
  const rows = [...paths].map((path): ParityRow => {
    const cells = sides.map((side) => cellAt(side, path));
    return { key, path, cells, declared: cells.every(({ kind }) => kind !== 'unmanaged') };
  });
  return sides.includes(undefined) ? [{ key, path: '', cells: presence, declared: true }, ...rows] : rows;
}

function cellAt(side: ComparableValues | undefined, path: string): ParityCell {
  if (side === undefined) return { kind: 'absent' };
  const value = valueAt(side.fields, path);
  if (value !== undefined) return { kind: 'value', value };
  return { kind: side.isPartial && !isManaged(side.fields, path) ? 'unmanaged' : 'none' };
}

interface DeclaredIntent {
  readonly key: string;
  readonly declared: readonly ComparableProject[];
  readonly isOthers: (row: ParityRow) => boolean;
}

/** Whether the manifests of one of the projects leave a value to others. An index is one of a declared list or of a live one. */
function othersIn(key: string, projects: readonly ParityProject[]): DeclaredIntent['isOthers'] {
  const sides = projects.flatMap(({ desired, live }) => {
    const flag = desired.flags.find((one) => one.key === key);
    if (flag?.kind !== 'declared' || flag.ownership === undefined) return [];
    const held = live?.flags.find((one) => one.key === key);
    return [{ rules: flag.ownership, states: [flag.fields, (held ?? {}) as unknown as JsonObject] }];
  });
  return ({ path }) =>
    path !== '' &&
    sides.some(({ rules, states }) =>
      states.some((state) => (findOwnership(rules, path, state) ?? 'managed') !== 'managed'),
    );
}

/** Live differences with whether the manifests differ there too. */
function withIntent(rows: readonly ParityRow[], { key, declared, isOthers }: DeclaredIntent): ParityRow[] {
  const declaredRows = rowsOf(key, declared).filter((row) => row.declared);
  const presence = declared.map(({ resources }) => resources.has(key));
  return rows.map((row) => {
    if (isOthers(row)) return { ...row, declared: true, others: true };
    const cells = row.cells.map(({ kind }) => kind === 'present');
    const isDeclared = declaredRows.some(
      ({ path }) => path !== '' && (`${path}/`.startsWith(`${row.path}/`) || `${row.path}/`.startsWith(`${path}/`)),
    );
    return { ...row, declared: row.path === '' ? jsonEquals(presence, cells) : isDeclared };
  });
}

/** The declared values of a project. */
export function declaredValues({ project, desired }: Omit<ParityProject, 'live'>): ComparableProject {
  const declared = FAMILIES.flatMap(({ kind, section, comparable }) =>
    (desired[section] ?? []).map((resource) => ({
      name: nameResource(kind, resource.key),
      values: comparable.declared(resource, project),
      elsewhere: comparable.elsewhere(resource).map((key) => nameResource(kind, key)),
    })),
  );
  return {
    resources: new Map(declared.flatMap(({ name, values }) => (values === undefined ? [] : [[name, values] as const]))),
    elsewhere: [...(desired.namedElsewhere?.flags ?? []), ...declared.flatMap(({ elsewhere }) => elsewhere)],
  };
}

/**
 * `declared`: by this project, then by all that are compared. What the service of a project holds, without what the service computes and
 * what its other products own.
 */
function liveValues(
  { project, live }: { readonly project: Project; readonly live: LiveState },
  declared: readonly DesiredState[],
): ComparableProject {
  const values = FAMILIES.flatMap(({ kind, section, comparable }) => {
    const own = declared.map((desired) => desired[section] ?? []);
    return comparable.live(live, project, own).map(([key, values]) => [nameResource(kind, key), values] as const);
  });
  return { resources: new Map(values), elsewhere: [] };
}

interface ComparableProject {
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
