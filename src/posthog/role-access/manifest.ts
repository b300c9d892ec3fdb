/** The section `role_access` of manifests: unites what flags declare about roles and what roles declare about flags. */

import { comparing } from '../../base/compare-strings.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { isJsonArray, isJsonObject } from '../../base/json.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { keyGlob } from '../../base/key-glob.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { Declaration } from '../../core/manifest/declaration.ts';
import type { Layer } from '../../core/manifest/layers.ts';
import { placedStrings } from '../../core/manifest/members.ts';
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

interface Where {
  readonly place: Place;
  readonly path: string;
}

// The usable targets of a role with mistakes count. If its whole list is wrong, that was reported.
function addTargets(role: Declaration, state: AccessState): void {
  const { key: name, value, places, path } = role;
  if (role.mistakes.has(path)) return;
  const targets = placedStrings(value).flatMap(({ text, index }) => {
    const where = { place: placeAt(places, `/${index}`), path: `${path}/${index}` };
    return findTargets(text, where, state).map((key) => ({ key, ...where }));
  });
  const found = targets.length === 0 ? undefined : findRole(name, { place: places.place, path }, state);
  if (found === undefined) return;
  for (const { key, ...where } of targets) {
    // A flag that says another level for the role keeps it.
    const level = state.byFlag.get(key)?.get(found.id)?.level;
    if (level === undefined) {
      grant(key, { ...found, place: where.place }, state);
      continue;
    }
    const args = { key, role: found.name ?? found.id, level };
    report(state.scope, { code: 'access-conflict', severity: 'error', ...where, args });
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

// The first grant is reported as the source, except that one with the role's name replaces one without.
function grant(key: string, role: DesiredRole, { byFlag }: AccessState): void {
  const roles = byFlag.get(key) ?? new Map<string, DesiredRole>();
  byFlag.set(key, roles);
  const before = roles.get(role.id);
  if (before === undefined || (before.name === undefined && role.name !== undefined)) roles.set(role.id, role);
}

const FLAG_KEY = /^[A-Za-z0-9_-]+$/;

/** The keys that a target of a role means: a flag key, or a glob over the keys of declared flags. */
function findTargets(target: string, where: Where, { scope, keys, retired, known }: AccessState): readonly string[] {
  if (!FLAG_KEY.test(target)) {
    const matches = keyGlob(target);
    const matching = [...keys].filter(matches);
    if (matching.length === 0 && scope.complete && ![...known].some(matches)) {
      report(scope, { code: 'role-glob-matches-nothing', severity: 'warning', ...where, args: { glob: target } });
    }
    return matching;
  }
  if (keys.has(target)) return [target];
  if (retired.has(target)) {
    report(scope, { code: 'role-access-on-deleted', severity: 'warning', ...where, args: { key: target } });
  } else if (!known.has(target) && scope.complete) {
    const args = { key: target, ...defined({ suggestion: scope.suggest(target, known) }) };
    report(scope, { code: 'flag-unknown', severity: 'error', ...where, args });
  }
  return [];
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
