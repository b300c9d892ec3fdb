/** Where projects differ from each other, flag by flag, and whether their manifests declare the difference. */

import { compareStrings } from '../../base/compare-strings.ts';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer, valueAt } from '../../base/json-pointer.ts';
import { diff } from '../../engine/diff.ts';
import { matchKeys, matchScope, type Scope } from '../../engine/scope.ts';
import type { DesiredState } from '../desired.ts';
import type { LiveState } from '../live.ts';
import type { Project } from '../project.ts';
import { declaredFaces, liveFaces, type Face, type Faces } from './face.ts';

/** One project with what its manifests declare, and what its service holds if the services are compared. */
export interface ParityProject {
  readonly project: Project;
  readonly desired: DesiredState;
  readonly live?: LiveState;
}

export interface ParityOptions {
  /** Limits the flags that no manifest names. */
  readonly scope: Scope;
  /** Keys or globs; absent: every flag. */
  readonly targets?: readonly string[];
}

export interface Parity {
  /** The names of the projects, in the order of the cells. */
  readonly projects: readonly string[];
  /** How many flags were compared. */
  readonly flags: number;
  /** Sorted by key; those of one flag in the order of its fields. */
  readonly rows: readonly ParityRow[];
}

/** A value that is not the same in all projects. */
export interface ParityRow {
  readonly key: string;
  /** JSON pointer in the API's names; empty where the projects differ in having the flag. */
  readonly path: string;
  readonly cells: readonly ParityCell[];
  /** Whether the manifests declare the difference. */
  readonly declared: boolean;
}

export type ParityCell =
  | { readonly kind: 'value'; readonly value: JsonValue }
  /** The flag has no such value. */
  | { readonly kind: 'none' }
  /** The manifests of the project do not manage the field. */
  | { readonly kind: 'unmanaged' }
  /** The project has the flag; in rows about the flag itself. */
  | { readonly kind: 'present' }
  | { readonly kind: 'absent' };

/**
 * Compares what the manifests declare, or the services where every project has live state. Ids count as the names that the
 * configuration has for them. A difference between services is declared where the manifests differ at the same place.
 */
export function compareProjects(projects: readonly ParityProject[], { scope, targets }: ParityOptions): Parity {
  const declared = projects.map(declaredFaces);
  const lives = projects.flatMap((one) => (one.live === undefined ? [] : [liveFaces(one, one.live)]));
  const isLive = lives.length === projects.length;
  const compared = isLive ? lives : declared;
  const named = new Set(declared.flatMap(({ faces, elsewhere }) => [...faces.keys(), ...elsewhere]));
  const inScope = matchScope(scope);
  const isTarget = targets === undefined ? () => true : matchKeys(targets);
  const keys = [...new Set(compared.flatMap(({ faces }) => [...faces.keys()]))]
    .filter((key) => isTarget(key) && (named.has(key) || inScope(key)))
    .sort(compareStrings);
  const rows = keys.flatMap((key) => {
    const own = rowsOf(key, compared);
    return isLive ? withIntent(own, { key, declared }) : own;
  });
  return { projects: projects.map(({ project }) => project.name), flags: keys.length, rows };
}

/** The rows of declared faces: a difference counts as declared unless a project leaves the field to others. */
function rowsOf(key: string, projects: readonly Faces[]): ParityRow[] {
  const faces = projects.map((one) => one.faces.get(key));
  const presence = faces.every((face) => face !== undefined)
    ? []
    : [{ key, path: '', cells: faces.map(presenceOf), declared: true }];
  return [...presence, ...findPaths(faces).map((path) => rowAt({ key, path }, faces))];
}

function presenceOf(face: Face | undefined): ParityCell {
  return { kind: face === undefined ? 'absent' : 'present' };
}

/** Every place at which a face differs from the first one. A field that one of them does not manage differs as a whole. */
function findPaths(faces: readonly (Face | undefined)[]): string[] {
  const [first, ...others] = faces.filter((face) => face !== undefined);
  if (first === undefined) return [];
  return [...new Set(others.flatMap((other) => diff(first.fields, other.fields).map(({ path }) => path)))];
}

function rowAt({ key, path }: Pick<ParityRow, 'key' | 'path'>, faces: readonly (Face | undefined)[]): ParityRow {
  const cells = faces.map((face) => cellAt(face, path));
  return { key, path, cells, declared: cells.every(({ kind }) => kind !== 'unmanaged') };
}

function cellAt(face: Face | undefined, path: string): ParityCell {
  if (face === undefined) return { kind: 'absent' };
  const value = valueAt(face.fields, path);
  if (value !== undefined) return { kind: 'value', value };
  return { kind: face.isPartial && !isManaged(face.fields, path) ? 'unmanaged' : 'none' };
}

/** A manifest manages a field as a whole, and of access the roles and everyone apart. */
function isManaged(fields: JsonObject, path: string): boolean {
  const [field = '', part = ''] = fromPointer(path);
  const value = fields[field];
  return field === 'role_access' && isJsonObject(value) ? value[part] !== undefined : value !== undefined;
}

interface Intent {
  readonly key: string;
  readonly declared: readonly Faces[];
}

/** Live differences with whether the manifests differ there too. */
function withIntent(rows: readonly ParityRow[], { key, declared }: Intent): ParityRow[] {
  const wishes = rowsOf(key, declared).filter((row) => row.declared);
  const presence = declared.map(({ faces }) => faces.has(key));
  return rows.map((row) => ({
    ...row,
    declared:
      row.path === ''
        ? jsonEquals(
            presence,
            row.cells.map(({ kind }) => kind === 'present'),
          )
        : wishes.some(({ path }) => path !== '' && overlap(path, row.path)),
  }));
}

function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
