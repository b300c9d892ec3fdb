/** The section `role_access` of manifests: unites what flags declare about roles and what roles declare about flags. */

import { comparing } from '../../base/compare-strings.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { isJsonArray } from '../../base/json.ts';
import { keyGlob } from '../../base/key-glob.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import type { Layer } from '../../manifest/layers.ts';
import { placedStrings } from '../../manifest/strings.ts';
import type { DesiredFlag, DesiredRole, DesiredState } from '../desired.ts';
import type { FlagProblems } from '../flag/checks/problems.ts';
import type { Scope, Section } from '../manifests/section.ts';
import type { RoleAccessProblems } from './problems.ts';

export const ROLE_ACCESS_SECTION: Section = { name: 'role_access', resolve: resolveRoleAccess };

function resolveRoleAccess(scope: Scope, desired: DesiredState): DesiredState {
  const flags = scope.layered('flags');
  const layers = flags.filter(({ retired }) => !retired).map(({ layer }) => layer);
  const state: State = {
    scope,
    roles: Object.keys(scope.project.roles),
    keys: new Set(layers.map(({ key }) => key)),
    retired: new Set(flags.filter(({ retired }) => retired).map(({ layer }) => layer.key)),
    known: new Set(scope.declared('flags').map(({ key }) => key)),
    byFlag: new Map(),
  };
  for (const layer of layers) addOwnRoles(layer, state);
  for (const role of scope.declared('role_access')) {
    scope.checkpoint();
    addTargets(role, state);
  }
  return { ...desired, flags: desired.flags.map((flag) => withRoles(flag, state.byFlag.get(flag.key))) };
}

interface State {
  readonly scope: Scope;
  /** Names of the project's roles. */
  readonly roles: readonly string[];
  /** Keys of the flags that the project is to have. */
  readonly keys: ReadonlySet<string>;
  /** Keys of the flags that the project is not to have. */
  readonly retired: ReadonlySet<string>;
  /** Keys that manifests declare for any project. */
  readonly known: ReadonlySet<string>;
  /** Flag key to role id to role; only the flags that either form names. */
  readonly byFlag: Map<string, Map<string, DesiredRole>>;
}

function addOwnRoles(flag: Layer, state: State): void {
  const written = flag.value['role_access'];
  if (!isJsonArray(written)) return; // null: not managed here
  state.byFlag.set(flag.key, new Map());
  for (const { text: role, index } of placedStrings(written)) {
    const pointer = `/role_access/${index}`;
    const found = findRole(role, { place: placeAt(flag.places, pointer), path: flag.pathOf(pointer) }, state);
    if (found !== undefined) grant(flag.key, found, state);
  }
}

/** A flag key, or a glob over the keys of declared flags. */
interface RoleTarget extends Where {
  readonly text: string;
}

interface Where {
  readonly place: Place;
  readonly path: string;
}

// The usable targets of a role with mistakes count. If its whole list is wrong, that was reported.
function addTargets(role: Declaration, state: State): void {
  const { key, value, places, path } = role;
  if (role.mistakes.has(path)) return;
  const targets = placedStrings(value).map(({ text, index }) => ({
    text,
    place: placeAt(places, `/${index}`),
    path: `${path}/${index}`,
  }));
  const flags = targets.flatMap((target) => matchTarget(target, state));
  if (flags.length === 0) return;
  const found = findRole(key, { place: places.place, path }, state);
  for (const flag of flags) {
    if (found !== undefined) grant(flag.key, { ...found, place: flag.place }, state);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function findRole(role: string, where: Where, { scope, roles }: State): DesiredRole | undefined {
  const { name: project, roles: ids } = scope.project;
  const id = Object.hasOwn(ids, role) ? ids[role] : undefined;
  if (id !== undefined) return { id: id.toLowerCase(), name: role, place: where.place };
  if (UUID.test(role)) return { id: role.toLowerCase(), place: where.place };
  const args = { role, project, ...defined({ suggestion: scope.suggest(role, roles) }) };
  report(scope, { code: 'role-unknown', severity: 'error', ...where, args });
  return undefined;
}

// The first grant is reported as the source, except that one with the role's name replaces one without.
function grant(key: string, role: DesiredRole, { byFlag }: State): void {
  const roles = byFlag.get(key) ?? new Map<string, DesiredRole>();
  byFlag.set(key, roles);
  const before = roles.get(role.id);
  if (before === undefined || (before.name === undefined && role.name !== undefined)) roles.set(role.id, role);
}

const FLAG_KEY = /^[A-Za-z0-9_-]+$/;

function matchTarget(target: RoleTarget, state: State): { key: string; place: Place }[] {
  return FLAG_KEY.test(target.text) ? matchKey(target, state) : matchGlob(target, state);
}

function matchKey({ text: key, ...where }: RoleTarget, state: State): { key: string; place: Place }[] {
  const { scope, keys, retired, known } = state;
  if (keys.has(key)) return [{ key, place: where.place }];
  if (retired.has(key)) {
    report(scope, { code: 'role-access-on-deleted', severity: 'warning', ...where, args: { key } });
  } else if (!known.has(key) && scope.complete) {
    const args = { key, ...defined({ suggestion: scope.suggest(key, known) }) };
    report(scope, { code: 'flag-unknown', severity: 'error', ...where, args });
  }
  return [];
}

function matchGlob({ text: glob, ...where }: RoleTarget, state: State): { key: string; place: Place }[] {
  const { scope, keys, known } = state;
  const matches = keyGlob(glob);
  const matching = [...keys].filter(matches);
  if (matching.length === 0 && scope.complete && ![...known].some(matches)) {
    report(scope, { code: 'role-glob-matches-nothing', severity: 'warning', ...where, args: { glob } });
  }
  return matching.map((key) => ({ key, place: where.place }));
}

function report(scope: Scope, diagnostic: DiagnosticOf<RoleAccessProblems & FlagProblems>): void {
  scope.report([diagnostic]);
}

function withRoles(flag: DesiredFlag, roles: ReadonlyMap<string, DesiredRole> | undefined): DesiredFlag {
  if (flag.kind === 'retired' || roles === undefined) return flag;
  return { ...flag, roleAccess: [...roles.values()].sort(comparing(({ id }) => id)) };
}
