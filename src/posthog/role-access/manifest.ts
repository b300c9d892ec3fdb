/** Role access of one project: what flags say of roles and what roles say of flags, united by role id. */

import { comparing } from '../../base/compare-strings.ts';
import type { ManifestDiagnostic } from '../manifest-problems.ts';
import { isJsonArray } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import { placeAt } from '../../base/place.ts';
import { keyGlob } from '../../base/key-glob.ts';
import type { Suggest } from '../../base/suggest.ts';
import type { DesiredRole } from '../desired.ts';
import type { Project } from '../project.ts';
import type { LayeredFlag } from '../../manifest/layers.ts';
import type { ManifestRole, RoleTarget } from '../../manifest/manifest.ts';
import { placedTexts } from '../../manifest/texts.ts';

export interface RoleAccessInput {
  readonly project: Project;
  /** The flags that shall exist in the project. */
  readonly flags: readonly LayeredFlag[];
  readonly roles: readonly ManifestRole[];
  /** Keys that shall not exist in the project. */
  readonly retired: ReadonlySet<string>;
  /** Keys that any manifest declares for any project. */
  readonly known: ReadonlySet<string>;
  /** false when some manifest could not be read: what seems undeclared may stand there. */
  readonly complete: boolean;
  readonly suggest: Suggest;
  /** As in `ResolveInput`. */
  readonly checkpoint?: (() => void) | undefined;
}

export interface RoleAccess {
  /** By flag key, only flags that either form names; roles sorted by id. */
  readonly byFlag: ReadonlyMap<string, readonly DesiredRole[]>;
  readonly diagnostics: readonly ManifestDiagnostic[];
}

export function resolveRoleAccess(input: RoleAccessInput): RoleAccess {
  const state: State = { input, roles: Object.keys(input.project.roles), byFlag: new Map(), diagnostics: [] };
  for (const flag of input.flags) addOwnRoles(flag, state);
  const keys = new Set(input.flags.map(({ key }) => key));
  for (const role of input.roles) {
    input.checkpoint?.();
    addTargets(role, { keys, state });
  }
  const byFlag = new Map([...state.byFlag].map(([key, roles]) => [key, sortRoles([...roles.values()])]));
  return { byFlag, diagnostics: state.diagnostics };
}

interface State {
  readonly input: RoleAccessInput;
  /** Names of the project's roles. */
  readonly roles: readonly string[];
  /** Flag key to role id to role. */
  readonly byFlag: Map<string, Map<string, DesiredRole>>;
  readonly diagnostics: ManifestDiagnostic[];
}

function addOwnRoles(flag: LayeredFlag, state: State): void {
  const written = flag.value['role_access'];
  if (!isJsonArray(written)) return; // null: not managed here
  state.byFlag.set(flag.key, new Map());
  for (const { text: role, index } of placedTexts(written)) {
    const pointer = `/role_access/${index}`;
    const place = placeAt(flag.places, pointer);
    const found = findRole(role, { place, path: flag.pathOf(pointer), state });
    if (found !== undefined) grant(flag.key, found, state);
  }
}

function addTargets(
  role: ManifestRole,
  { keys, state }: { readonly keys: ReadonlySet<string>; readonly state: State },
): void {
  const flags = role.targets.flatMap((target) => matchTarget(target, { keys, state }));
  if (flags.length === 0) return;
  const found = findRole(role.role, { place: role.place, path: role.path, state });
  for (const { key, place } of flags) {
    if (found !== undefined) grant(key, { ...found, place }, state);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function findRole(
  role: string,
  { place, path, state }: { readonly place: Place; readonly path: string; readonly state: State },
): DesiredRole | undefined {
  const { name, roles } = state.input.project;
  const id = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (id !== undefined) return { id: id.toLowerCase(), name: role, place };
  if (UUID.test(role)) return { id: role.toLowerCase(), place };
  const suggestion = state.input.suggest(role, state.roles);
  const args = { role, project: name, ...(suggestion === undefined ? {} : { suggestion }) };
  state.diagnostics.push({ code: 'role-unknown', severity: 'error', place, path, args });
  return undefined;
}

// The first that grants is the one to be named; one that knows the role's name is better than one that does not.
function grant(key: string, role: DesiredRole, { byFlag }: State): void {
  const roles = byFlag.get(key) ?? new Map<string, DesiredRole>();
  byFlag.set(key, roles);
  const before = roles.get(role.id);
  if (before === undefined || (before.name === undefined && role.name !== undefined)) roles.set(role.id, role);
}

const FLAG_KEY = /^[A-Za-z0-9_-]+$/;

function matchTarget(
  target: RoleTarget,
  { keys, state }: { readonly keys: ReadonlySet<string>; readonly state: State },
): { key: string; place: Place }[] {
  const { text, place, path } = target;
  const { input, diagnostics } = state;
  if (!FLAG_KEY.test(text)) {
    const matches = keyGlob(text);
    const matching = [...keys].filter(matches);
    const missing = matching.length === 0 && input.complete && ![...input.known].some(matches);
    if (missing)
      diagnostics.push({ code: 'role-glob-matches-nothing', severity: 'warning', place, path, args: { glob: text } });
    return matching.map((key) => ({ key, place }));
  }
  if (keys.has(text)) return [{ key: text, place }];
  if (input.retired.has(text)) {
    diagnostics.push({ code: 'role-access-on-deleted', severity: 'warning', place, path, args: { key: text } });
  } else if (!input.known.has(text) && input.complete) {
    const suggestion = input.suggest(text, input.known);
    const args = suggestion === undefined ? { key: text } : { key: text, suggestion };
    diagnostics.push({ code: 'flag-unknown', severity: 'error', place, path, args });
  }
  return [];
}

function sortRoles(roles: readonly DesiredRole[]): DesiredRole[] {
  return roles.toSorted(comparing(({ id }) => id));
}
