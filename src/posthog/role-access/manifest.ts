/** The section `role_access` of manifests: unites what flags declare about roles and what roles declare about flags. */

import { comparing } from '../../base/compare-strings.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { isJsonArray, isJsonObject } from '../../base/json.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { keyGlob } from '../../base/key-glob.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { Declaration } from '../../manifest/declaration.ts';
import type { Layer } from '../../manifest/layers.ts';
import { placedStrings } from '../../manifest/members.ts';
import type { DesiredFlag, DesiredLevel, DesiredRole, DesiredState } from '../desired.ts';
import type { FlagProblems } from '../flag/checks/problems.ts';
import type { ShapeProblems } from '../../base/shape/problems.ts';
import type { SectionScope, Section } from '../declared/section.ts';
import { EDITOR, INHERITED } from './access.ts';
import type { RoleAccessProblems } from './problems.ts';

export const ROLE_ACCESS_SECTION: Section = {
  name: 'role_access',
  membersElsewhere: { section: 'flags', members: ['role_access', 'access'] },
  resolve: resolveRoleAccess,
};

function resolveRoleAccess(scope: SectionScope, desired: DesiredState): DesiredState {
  const flags = scope.layered('flags');
  const layers = flags.filter(({ retired }) => !retired).map(({ layer }) => layer);
  const state: AccessState = {
    scope,
    roles: Object.keys(scope.project.roles),
    keys: new Set(layers.map(({ key }) => key)),
    retired: new Set(flags.filter(({ retired }) => retired).map(({ layer }) => layer.key)),
    known: new Set(scope.declared('flags').map(({ key }) => key)),
    byFlag: new Map(),
    everyone: new Map(),
    lists: new Map(),
  };
  for (const layer of layers) {
    addOwnRoles(layer, state);
    addAccess(layer, state);
  }
  for (const role of scope.declared('role_access')) {
    scope.checkpoint();
    addTargets(role, state);
  }
  return { ...desired, flags: desired.flags.map((flag) => withAccess(flag, state)) };
}

interface AccessState {
  readonly scope: SectionScope;
  /** Names of the project's roles. */
  readonly roles: readonly string[];
  /** Keys of the flags that the project must have. */
  readonly keys: ReadonlySet<string>;
  /** Keys of the flags that the project must not have. */
  readonly retired: ReadonlySet<string>;
  /** Keys that manifests declare for any project. */
  readonly known: ReadonlySet<string>;
  /** Flag key to role id to role; only the flags that either form names. */
  readonly byFlag: Map<string, Map<string, DesiredRole>>;
  /** The level of everyone by flag key. */
  readonly everyone: Map<string, DesiredLevel>;
  /** The places of the flags' own lists of roles, by key. */
  readonly lists: Map<string, Place>;
}

function addOwnRoles(flag: Layer, state: AccessState): void {
  const written = flag.value['role_access'];
  if (!isJsonArray(written)) return; // null: not managed here
  state.byFlag.set(flag.key, new Map());
  state.lists.set(flag.key, placeAt(flag.places, '/role_access'));
  for (const { text: role, index } of placedStrings(written)) {
    const pointer = `/role_access/${index}`;
    const found = findRole(role, { place: placeAt(flag.places, pointer), path: flag.pathOf(pointer) }, state);
    if (found !== undefined) grant(flag.key, found, state);
  }
}

function addAccess(flag: Layer, state: AccessState): void {
  const { access } = flag.value;
  if (!isJsonObject(access)) return;
  const where = (...path: string[]): Where => {
    const pointer = toPointer(['access', ...path]);
    return { place: placeAt(flag.places, pointer), path: flag.pathOf(pointer) };
  };
  const { default: everyone, roles } = access;
  if (typeof everyone === 'string') {
    const level = everyone === INHERITED ? null : everyone;
    state.everyone.set(flag.key, { level, place: where('default').place });
  }
  if (!isJsonObject(roles)) return;
  if (isJsonArray(flag.value['role_access'])) {
    const args = { properties: ['role_access', 'access.roles'] };
    report(state.scope, { code: 'combination-forbidden', severity: 'error', ...where('roles'), args });
    return;
  }
  state.byFlag.set(flag.key, new Map());
  state.lists.set(flag.key, where('roles').place);
  for (const [role, level] of Object.entries(roles)) {
    const found = findRole(role, where('roles', role), state);
    if (found === undefined || typeof level !== 'string') continue;
    grant(flag.key, level === EDITOR ? found : { ...found, level }, state);
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
function addTargets(role: Declaration, state: AccessState): void {
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
    if (found !== undefined) unite({ key: flag.key, path: flag.path }, { ...found, place: flag.place }, state);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function findRole(role: string, where: Where, { scope, roles }: AccessState): DesiredRole | undefined {
  const { name: project, roles: ids } = scope.project;
  const id = Object.hasOwn(ids, role) ? ids[role] : undefined;
  if (id !== undefined) return { id: id.toLowerCase(), name: role, place: where.place };
  if (UUID.test(role)) return { id: role.toLowerCase(), place: where.place };
  const args = { role, project, ...defined({ suggestion: scope.suggest(role, roles) }) };
  report(scope, { code: 'role-unknown', severity: 'error', ...where, args });
  return undefined;
}

/** A flag that says another level for the role keeps it. */
function unite({ key, path }: { key: string; path: string }, role: DesiredRole, state: AccessState): void {
  const level = state.byFlag.get(key)?.get(role.id)?.level;
  if (level === undefined) {
    grant(key, role, state);
    return;
  }
  const args = { key, role: role.name ?? role.id, level };
  report(state.scope, { code: 'access-conflict', severity: 'error', place: role.place, path, args });
}

// The first grant is reported as the source, except that one with the role's name replaces one without.
function grant(key: string, role: DesiredRole, { byFlag }: AccessState): void {
  const roles = byFlag.get(key) ?? new Map<string, DesiredRole>();
  byFlag.set(key, roles);
  const before = roles.get(role.id);
  if (before === undefined || (before.name === undefined && role.name !== undefined)) roles.set(role.id, role);
}

interface MatchedRole extends Where {
  readonly key: string;
}

const FLAG_KEY = /^[A-Za-z0-9_-]+$/;

function matchTarget(target: RoleTarget, state: AccessState): MatchedRole[] {
  return FLAG_KEY.test(target.text) ? matchKey(target, state) : matchGlob(target, state);
}

function matchKey({ text: key, ...where }: RoleTarget, state: AccessState): MatchedRole[] {
  const { scope, keys, retired, known } = state;
  if (keys.has(key)) return [{ key, ...where }];
  if (retired.has(key)) {
    report(scope, { code: 'role-access-on-deleted', severity: 'warning', ...where, args: { key } });
  } else if (!known.has(key) && scope.complete) {
    const args = { key, ...defined({ suggestion: scope.suggest(key, known) }) };
    report(scope, { code: 'flag-unknown', severity: 'error', ...where, args });
  }
  return [];
}

function matchGlob({ text: glob, ...where }: RoleTarget, state: AccessState): MatchedRole[] {
  const { scope, keys, known } = state;
  const matches = keyGlob(glob);
  const matching = [...keys].filter(matches);
  if (matching.length === 0 && scope.complete && ![...known].some(matches)) {
    report(scope, { code: 'role-glob-matches-nothing', severity: 'warning', ...where, args: { glob } });
  }
  return matching.map((key) => ({ key, ...where }));
}

function report(
  scope: SectionScope,
  diagnostic: DiagnosticOf<RoleAccessProblems & FlagProblems & ShapeProblems>,
): void {
  scope.report([diagnostic]);
}

function withAccess(flag: DesiredFlag, { byFlag, everyone, lists }: AccessState): DesiredFlag {
  if (flag.kind === 'retired') return flag;
  const roles = byFlag.get(flag.key);
  const roleAccess = roles === undefined ? undefined : [...roles.values()].sort(comparing(({ id }) => id));
  const list = lists.get(flag.key);
  const children = { ...flag.places.children, ...(list === undefined ? {} : { role_access: { place: list } }) };
  const places = list === undefined ? flag.places : { ...flag.places, children };
  return { ...flag, places, ...defined({ roleAccess, everyone: everyone.get(flag.key) }) };
}
