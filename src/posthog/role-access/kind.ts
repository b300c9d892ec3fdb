/**
 * Role access as a kind of resource, attached to flags. Its changes may leave flags that nobody can edit any more, or that the owner of the
 * key can no longer manage.
 */

import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { summarizeWith } from '../../base/wording.ts';
import type { FieldChange } from '../../engine/change.ts';
import { namedKeys } from '../../engine/desired.ts';
import { matchesField } from '../../engine/field-path.ts';
import type { Needs } from '../../engine/kind.ts';
import type { ObservedValue, Ownership } from '../../engine/ownership.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { KindOf } from '../kind.ts';
import type { ExpectedAccess } from '../live-selection.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { EDITOR, declaresAccess, isRefused, type Wire, canEdit, heldAccess, rankOf } from './access.ts';
import {
  type AccessWarning,
  type LockoutRisk,
  type OwnAccessRisk,
  type RoleChange,
  EVERYONE,
  levelAfter,
  levelBefore,
  subjectOf,
  type RoleAccessBase,
} from './change.ts';
import { changeRoleAccess, divideByLock, heldOf, refOf, type SeenAccess, invertRoleChange } from './find-changes.ts';
import { type RoleAccessProblems, ROLE_ACCESS_WORDS } from './problems.ts';
import { roleAccessWriter } from './write.ts';

export interface RoleAccessTypes {
  readonly change: RoleChange;
  readonly warning: AccessWarning;
  readonly risk: LockoutRisk | OwnAccessRisk;
  readonly problems: RoleAccessProblems;
}

export const ROLE_ACCESS: KindOf<'role_access'> = {
  name: 'role_access',
  attachedTo: 'flag',
  isPresent: ({ desired, live, former }) =>
    desired.flags.some(declaresAccess) ||
    former?.flags.some(declaresAccess) === true ||
    Object.keys(live?.roleAccess ?? {}).length > 0,
  actions: ['grant', 'adjust', 'revoke'],

  compare: ({ desired, ...match }, snapshot) => {
    if (desired.kind !== 'declared') return { changes: [], warnings: [] };
    const wanted = changeRoleAccess(desired, match, snapshot);
    const ours = divideByOwnership(wanted, desired, match.live === undefined);
    const { changes, locked } = divideByLock(ours.changes, match.live, snapshot);
    return {
      ...ours,
      changes,
      warnings: [...warnOfAccess(desired, match.live, snapshot), ...warnOfLocked(locked)],
    };
  },
  findNeeds: (changes, { flags }) => findRoleNeeds(changes, flags),

  effects: () => [],
  parts: (change) => [partOf(change)],
  leave: ({ change, match }) => leaveAccess(change, match.desired),
  liveKey: ({ key }) => key,
  assess: assessAccess,

  invert: invertRoleChange,
  rename: (change, newKey) => {
    const key = newKey(change.key);
    return { ...change, key, ref: refOf(key, subjectOf(change)) };
  },
  isCoveredBy: ({ action, id }, deleted) => action !== 'grant' && id !== undefined && deleted.has(id),

  refuse: (desired, { accessWire }) => refuseUnsupportedAccess(desired, accessWire),

  findLeftOutParts: ({ code, key }) => {
    if (code === 'access_locked') return [{ key, fields: ['role_access'], isOutOfPlan: true }];
    return UNWRITABLE.has(code) ? [{ key, fields: ['role_access'] }] : [];
  },
  reads: {
    toPlan: (flag) => {
      if (flag.kind !== 'declared' || !declaresAccess(flag)) return {};
      return { roleAccess: { keys: namedKeys(flag), expected: [expectedOf(flag)], organization: true } };
    },
    // The same plan may rename the flag before or after this read.
    toApply: ({ key }, { liveKey }) => ({
      flags: { keys: [liveKey(key)] },
      roleAccess: { keys: [key, liveKey(key)] },
    }),
    toUndo: ({ key, id }) => ({
      flags: { keys: [key] },
      roleAccess: { keys: [key], ids: id === undefined ? [] : [id] },
    }),
  },
  writer: roleAccessWriter,
};

const UNWRITABLE: ReadonlySet<string> = new Set(['access_refused', 'access_unread', 'access_unpaid']);

/** The level before and after; absent if there is none. */
function partOf(change: RoleChange): FieldChange {
  const after = levelAfter(change) ?? undefined;
  const { divergence, source, base_level: base } = change;
  const subject = subjectOf(change);
  const path = subject === EVERYONE ? '/role_access/default' : `/role_access/roles/${subject}`;
  return {
    path,
    ...defined({ before: levelBefore(change) ?? undefined, after, source, divergence, base: base ?? undefined }),
  };
}

function expectedOf(flag: DeclaredFlag): ExpectedAccess {
  const roles = flag.roleAccess?.map(({ id, level = EDITOR }) => ({ id, level }));
  return { keys: namedKeys(flag), ...defined({ roles, everyone: flag.everyone?.level }) };
}

/** `undefined` if the flag is deleted. */
export function leaveAccess(change: RoleChange, desired: DesiredFlag): DeclaredFlag | undefined {
  if (desired.kind === 'retired') return undefined;
  const [subject, level] = [subjectOf(change), levelBefore(change)];
  const { everyone, roleAccess = [], places } = desired;
  if (subject === EVERYONE) return { ...desired, everyone: { place: places.place, ...everyone, level } };
  const others = roleAccess.filter(({ id }) => id !== subject);
  const kept = level === null ? [] : [{ id: subject, level, place: places.place }];
  return { ...desired, roleAccess: [...others, ...kept] };
}

type UnsupportedAccess = DiagnosticOf<Pick<RoleAccessProblems, 'access-unsupported'>>;

/**
 * Refuses declared levels that the project's service cannot hold: roles of 2023 can edit a flag, and that is all.
 *
 * @throws {FlagwrightError} `manifest_invalid` with the place of each of them.
 */
function refuseUnsupportedAccess({ flags }: DesiredState, wire: Wire | undefined): void {
  if (wire !== 'entries') return;
  const diagnostics = flags.flatMap((flag) => (flag.kind === 'declared' ? findUnsupportedAccess(flag) : []));
  if (diagnostics.length === 0) return;
  throw new FlagwrightError('manifest_invalid', summarizeWith(ROLE_ACCESS_WORDS, diagnostics), { diagnostics });
}

function findUnsupportedAccess({ key, roleAccess = [], everyone }: DeclaredFlag): UnsupportedAccess[] {
  const roles = roleAccess.flatMap(({ id, name = id, level, place }): UnsupportedAccess[] =>
    level === undefined ? [] : [problem({ key, level, role: name }, place)],
  );
  return typeof everyone?.level === 'string'
    ? [problem({ key, level: everyone.level }, everyone.place), ...roles]
    : roles;
}

function problem(args: UnsupportedAccess['args'], place: UnsupportedAccess['place']): UnsupportedAccess {
  return { code: 'access-unsupported', severity: 'error', args, ...defined({ place }) };
}

/** Warnings about the access to a flag that manifests manage. */
function warnOfAccess(desired: DeclaredFlag, flag: Flag | undefined, seen: SeenAccess): AccessWarning[] {
  if (!declaresAccess(desired)) return [];
  const { key } = desired;
  const unpaid: AccessWarning[] = isUnpaid(desired, flag, seen) ? [{ code: 'access_unpaid', key }] : [];
  if (flag === undefined) return unpaid;
  const access = seen.roleAccess[String(flag.id)];
  if (access !== undefined && isRefused(access)) {
    if (access.unread === true) return [{ code: 'access_unread', key }];
    return [{ code: 'access_refused', key, ...defined({ detail: access.refused ?? undefined }) }];
  }
  const held = heldOf(flag, seen);
  const members = held?.members.length ?? 0;
  const isFixed = held?.mayChange === false && changeRoleAccess(desired, defined({ live: flag }), seen).length > 0;
  return [
    ...unpaid,
    ...(isFixed ? [{ code: 'access_fixed', key } as const] : []),
    ...(members > 0 ? [{ code: 'access_of_members', key, members } as const] : []),
  ];
}

/** `locked`: differences of one flag in rules that only Terraform may change, beside those that others decide. */
function warnOfLocked(locked: readonly RoleChange[]): AccessWarning[] {
  const [first] = locked;
  if (first === undefined) return [];
  const subjects = locked.map(
    (change) => ('role' in change ? (change.role?.name ?? change.role?.id) : undefined) ?? EVERYONE,
  );
  return [{ code: 'access_locked', key: first.key, subjects, setting: 'lock_terraform_managed_rules' }];
}

function isUnpaid({ roleAccess }: DeclaredFlag, flag: Flag | undefined, seen: SeenAccess): boolean {
  if (seen.organization?.lacksRoleAccess !== true || roleAccess === undefined) return false;
  return flag === undefined ? roleAccess.length > 0 : heldOf(flag, seen)?.wire !== 'entries';
}

interface DividedAccess {
  readonly changes: readonly RoleChange[];
  readonly observed?: readonly ObservedValue[];
}

/** `isNew`: the flag is to be created, with its access as declared. */
function divideByOwnership(
  changes: readonly RoleChange[],
  { ownership }: Pick<DeclaredFlag, 'ownership'>,
  isNew: boolean,
): DividedAccess {
  if (isNew || ownership === undefined) return { changes };
  const ownershipOf = (change: RoleChange): Ownership => {
    const places = placesOf(change);
    const rule = ownership.findLast(({ path }) => places.some((pointer) => matchesField(path, pointer, {})));
    return rule?.ownership ?? 'managed';
  };
  const observed = changes.filter((change) => ownershipOf(change) === 'observed').map(toObserved);
  return {
    changes: changes.filter((change) => ownershipOf(change) === 'managed'),
    ...(observed.length === 0 ? {} : { observed }),
  };
}

/** A path may name a role by its name or its id. */
function placesOf({ role }: RoleChange): string[] {
  if (role === undefined) return ['/role_access/default'];
  return [role.name, role.id].flatMap((name) =>
    name === undefined ? [] : [toPointer(['role_access', 'roles', name])],
  );
}

function toObserved(change: RoleChange): ObservedValue {
  const [path = ''] = placesOf(change);
  return {
    key: change.key,
    path,
    ownership: 'observed',
    ...defined(levels(change)),
    ...defined({ source: change.source }),
  };
}

function levels(change: RoleChange): { declared: string | undefined; live: string | undefined } {
  switch (change.action) {
    case 'grant':
      return { declared: change.level ?? EDITOR, live: undefined };
    case 'adjust':
      return { declared: change.level ?? undefined, live: change.before ?? undefined };
    case 'revoke':
      return { declared: undefined, live: 'level' in change ? change.level : EDITOR };
  }
}

interface AccessAssessment {
  readonly risks: readonly (LockoutRisk | OwnAccessRisk)[];
  readonly warnings: readonly never[];
}

/** A deleted flag locks nobody out. */
function assessAccess(changes: readonly Change[], snapshot: ProjectSnapshot): AccessAssessment {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.key] : [])));
  const byKey = new Map<string, RoleChange[]>();
  for (const change of changes) {
    if (change.resource !== 'role_access' || deleted.has(change.key)) continue;
    byKey.set(change.key, [...(byKey.get(change.key) ?? []), change]);
  }
  return { risks: [...byKey.values()].flatMap((own) => assessFlag(own, snapshot)), warnings: [] };
}

function assessFlag(changes: readonly RoleChange[], { roleAccess }: ProjectSnapshot): AccessAssessment['risks'] {
  const last = changes.findLast((change) => !isRaise(change));
  if (last === undefined) return [];
  const { ref, key, id, base } = last;
  const access = id === undefined ? undefined : roleAccess[String(id)];
  const held = access === undefined ? undefined : heldAccess(access, undefined);
  const before = levelsOf(base, held?.members);
  const after = applyChanges(before, changes);
  const permit = { kind: 'risky', value: key } as const;
  if (some(before, canEdit) && !some(after, canEdit)) return [{ code: 'lockout', ref, key, permit }];
  const isOwn = base.levels !== undefined && held?.mayChange === true && some(before, canManage);
  return isOwn && !some(after, canManage) ? [{ code: 'own_access', ref, key, permit }] : [];
}

interface AccessStanding {
  readonly roles: ReadonlyMap<string, string>;
  readonly everyone: string | null;
  readonly inherited: string | null;
  readonly members: readonly string[];
}

/** A service of 2023 does not say what everyone may do. */
function levelsOf({ roles, levels }: RoleAccessBase, members: readonly string[] = []): AccessStanding {
  if (levels === undefined) {
    return { roles: new Map(roles.map((id) => [id, 'editor'])), everyone: null, inherited: null, members };
  }
  const { everyone, inherited } = levels;
  return { roles: new Map(Object.entries(levels.roles)), everyone, inherited, members };
}

function applyChanges(before: AccessStanding, changes: readonly RoleChange[]): AccessStanding {
  const roles = new Map(before.roles);
  let { everyone } = before;
  for (const change of changes) {
    const [subject, level] = [subjectOf(change), levelAfter(change)];
    if (subject === EVERYONE) everyone = level;
    else if (level === null) roles.delete(subject);
    else roles.set(subject, level);
  }
  return { ...before, roles, everyone };
}

/** Subjects without their own rule have the level of everyone. */
function some(
  { roles, everyone, inherited, members }: AccessStanding,
  can: (level: string | null) => boolean,
): boolean {
  return [...roles.values(), ...members, everyone ?? inherited].some(can);
}

function canManage(level: string | null): boolean {
  return level !== null && rankOf(level) >= rankOf('manager');
}

/** The dependencies of access changes: changes of their flag, and changes that give more access to the same flag. */
function findRoleNeeds(changes: readonly Change[], flags: FlagSnapshot): Needs {
  const live = flags.graph();
  const created = new Map<string, string>();
  const raises = new Map<string, string[]>();
  for (const change of changes) {
    const { action, key, ref } = change;
    if ((action === 'create' || action === 'restore') && !live.has(key)) created.set(key, ref);
    if (change.resource === 'role_access' && isRaise(change)) raises.set(key, [...(raises.get(key) ?? []), ref]);
  }
  const own = changes.filter((change) => change.resource === 'role_access');
  return new Map(
    own.map((change) => {
      const flag = created.get(change.key);
      // A raise that fails must leave those who have access.
      const before = isRaise(change) ? [] : (raises.get(change.key) ?? []);
      return [change.ref, flag === undefined ? before : [flag, ...before]];
    }),
  );
}

/** A rule that is removed may have withheld access, but what applies instead is not known, so it counts as a reduction. */
function isRaise(change: RoleChange): boolean {
  switch (change.action) {
    case 'grant':
      return true;
    case 'adjust': {
      const inherited = change.base.levels?.inherited ?? null;
      const [before, after] = [change.before ?? inherited, change.level ?? inherited];
      return before !== null && after !== null && rankOf(after) > rankOf(before);
    }
    case 'revoke':
      return false;
  }
}
