/**
 * Role access as a kind of resource, attached to flags. Its changes may leave flags that nobody can edit any more, or that the owner of the
 * key can no longer manage.
 */

import type { DiagnosticOf } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { summarizeWith } from '../../base/wording.ts';
import { namedKeys } from '../../core/engine/desired.ts';
import { matchesField } from '../../core/engine/field-path.ts';
import type { Needs } from '../../core/engine/kind.ts';
import type { ObservedValue, Ownership } from '../../core/engine/ownership.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { KindOf } from '../kind.ts';
import type { Change } from '../plan.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { EDITOR, declaresAccess, isRefused, canEdit, heldAccess, rankOf } from './access.ts';
import {
  type AccessRisk,
  type AccessWarning,
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
  readonly risk: AccessRisk;
  readonly problems: RoleAccessProblems;
}

export const ROLE_ACCESS: KindOf<'role_access'> = {
  name: 'role_access',
  attachedTo: 'flag',
  scopes: {
    object: 'access_control',
    why: 'access',
    completedBy: [
      { scope: 'organization:read', use: 'completes', why: 'names_of_roles' },
      { scope: 'project:read', use: 'completes', why: 'names_of_roles' },
      { scope: 'organization_member:read', use: 'completes', why: 'members' },
    ],
  },
  isPresent: ({ desired, live, former }) =>
    desired.flags.some(declaresAccess) ||
    former?.flags.some(declaresAccess) === true ||
    Object.keys(live?.roleAccess ?? {}).length > 0,
  actions: ['grant', 'adjust', 'revoke'],

  compare: ({ desired, ...match }, snapshot) => {
    if (desired.kind !== 'declared') return { changes: [], warnings: [] };
    const wanted = changeRoleAccess(desired, match, snapshot);
    const ours = divideByOwnership(wanted, desired, match.live === undefined);
    // The differences in rules that only Terraform may change, beside those that others decide.
    const { changes, locked } = divideByLock(ours.changes, match.live, snapshot);
    const subjects = locked.map(({ role }) => role?.name ?? role?.id ?? EVERYONE);
    const setting = 'lock_terraform_managed_rules';
    return {
      ...ours,
      changes,
      warnings: [
        ...warnOfAccess(desired, match.live, snapshot).filter(
          ({ code }) => code !== 'access_of_members' || changes.length > 0,
        ),
        ...(locked.length === 0 ? [] : [{ code: 'access_locked', key: desired.key, subjects, setting } as const]),
      ],
    };
  },
  findNeeds,

  effects: () => [],
  // The level before and after; absent if there is none.
  parts: (change) => {
    const { divergence, source, base_level: base } = change;
    const [before, after] = [levelBefore(change) ?? undefined, levelAfter(change) ?? undefined];
    const subject = subjectOf(change);
    const path = subject === EVERYONE ? '/role_access/default' : `/role_access/roles/${subject}`;
    return [{ path, ...defined({ before, after, source, divergence, base: base ?? undefined }) }];
  },
  leave: ({ change, match }) => leaveAccess(change, match.desired),
  liveKey: ({ key }) => key,
  assess: assessAccess,

  invert: invertRoleChange,
  rename: (change, newKey) => {
    const key = newKey(change.key);
    return { ...change, key, ref: refOf(key, subjectOf(change)) };
  },
  isCoveredBy: ({ action, id }, deleted) => action !== 'grant' && id !== undefined && deleted.has(id),

  // Roles of 2023 can edit a flag, and that is all: the place of each declared level is reported.
  refuse: ({ flags }, { accessWire }) => {
    if (accessWire !== 'entries') return;
    const diagnostics = flags.flatMap((flag) => (flag.kind === 'declared' ? findUnsupportedAccess(flag) : []));
    if (diagnostics.length === 0) return;
    throw new FlagwrightError('manifest_invalid', summarizeWith(ROLE_ACCESS_WORDS, diagnostics), { diagnostics });
  },

  findUnwritableParts: ({ code, key }) => {
    if (code === 'access_locked') return [{ key, fields: ['role_access'], isOutOfPlan: true }];
    return UNWRITABLE.has(code) ? [{ key, fields: ['role_access'] }] : [];
  },
  reads: {
    toPlan: (flag) => {
      if (flag.kind !== 'declared' || !declaresAccess(flag)) return {};
      const keys = namedKeys(flag);
      const roles = flag.roleAccess?.map(({ id, level = EDITOR }) => ({ id, level }));
      const expected = { keys, ...defined({ roles, everyone: flag.everyone?.level }) };
      return { roleAccess: { keys, expected: [expected], organization: true } };
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

function findUnsupportedAccess({ key, roleAccess = [], everyone }: DeclaredFlag): UnsupportedAccess[] {
  const levels = [
    ...(everyone === undefined ? [] : [everyone]),
    ...roleAccess.map(({ id, name: role = id, level = null, place }) => ({ role, level, place })),
  ];
  return levels.flatMap(({ level, place, ...of }): UnsupportedAccess[] =>
    level === null ? [] : [{ code: 'access-unsupported', severity: 'error', args: { key, level, ...of }, place }],
  );
}

/** Warnings about the access to a flag that manifests manage. */
function warnOfAccess(desired: DeclaredFlag, flag: Flag | undefined, seen: SeenAccess): AccessWarning[] {
  if (!declaresAccess(desired)) return [];
  const { key, roleAccess } = desired;
  const isUnpaid =
    seen.organization?.lacksRoleAccess === true &&
    roleAccess !== undefined &&
    (flag === undefined ? roleAccess.length > 0 : heldOf(flag, seen)?.wire !== 'entries');
  const unpaid: AccessWarning[] = isUnpaid ? [{ code: 'access_unpaid', key }] : [];
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

/** `isNew`: the flag is to be created, with its access as declared. */
function divideByOwnership(
  changes: readonly RoleChange[],
  { ownership }: Pick<DeclaredFlag, 'ownership'>,
  isNew: boolean,
): { readonly changes: readonly RoleChange[]; readonly observed?: readonly ObservedValue[] } {
  if (isNew || ownership === undefined) return { changes };
  const ownershipOf = (change: RoleChange): Ownership => {
    const places = placesOf(change);
    const rule = ownership.findLast(({ path }) => places.some((pointer) => matchesField(path, pointer, {})));
    return rule?.ownership ?? 'managed';
  };
  const observed = changes.flatMap((change): ObservedValue[] => {
    if (ownershipOf(change) !== 'observed') return [];
    const { key, source } = change;
    const [path = ''] = placesOf(change);
    const [declared, live] = [levelAfter(change) ?? undefined, levelBefore(change) ?? undefined];
    return [{ key, path, ownership: 'observed', ...defined({ declared, live, source }) }];
  });
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

/** A deleted flag locks nobody out. */
function assessAccess(
  changes: readonly Change[],
  { roleAccess }: ProjectSnapshot,
): { readonly risks: readonly AccessRisk[]; readonly warnings: readonly never[] } {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.key] : [])));
  const byKey = new Map<string, RoleChange[]>();
  for (const change of changes) {
    if (change.resource !== 'role_access' || deleted.has(change.key)) continue;
    byKey.set(change.key, [...(byKey.get(change.key) ?? []), change]);
  }
  const risks = [...byKey.values()].flatMap((own): AccessRisk[] => {
    const last = own.findLast((change) => !isRaise(change));
    if (last === undefined) return [];
    const { ref, key, id, base } = last;
    const held = id === undefined ? undefined : heldAccess(roleAccess[String(id)], undefined);
    const [before, after] = levelsAround(own, base, held?.members);
    const permit = { kind: 'risky', value: key } as const;
    if (before.some(canEdit) && !after.some(canEdit)) return [{ code: 'lockout', ref, key, permit }];
    const isOwn = base.levels !== undefined && held?.mayChange === true && before.some(canManage);
    return isOwn && !after.some(canManage) ? [{ code: 'own_access', ref, key, permit }] : [];
  });
  return { risks, warnings: [] };
}

/** The levels of all subjects before and after the changes of one flag. Subjects without their own rule have the level of everyone. */
function levelsAround(
  changes: readonly RoleChange[],
  { roles, levels }: RoleAccessBase,
  members: readonly string[] = [],
): [before: readonly (string | null)[], after: readonly (string | null)[]] {
  // A service of 2023 does not say what everyone may do.
  const { everyone = null, inherited = null } = levels ?? {};
  const ofRoles = levels === undefined ? roles.map((id) => [id, EDITOR] as const) : Object.entries(levels.roles);
  const own = new Map<string, string | null>([...ofRoles, [EVERYONE, everyone]]);
  const all = (): readonly (string | null)[] => [
    ...[...own].map(([subject, level]) => (subject === EVERYONE ? (level ?? inherited) : level)),
    ...members,
  ];
  const before = all();
  for (const change of changes) own.set(subjectOf(change), levelAfter(change));
  return [before, all()];
}

function canManage(level: string | null): boolean {
  return level !== null && rankOf(level) >= rankOf('manager');
}

/** The dependencies of access changes: changes of their flag, and changes that give more access to the same flag. */
function findNeeds(changes: readonly Change[], { flags }: ProjectSnapshot): Needs {
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
  if (change.action !== 'adjust') return change.action === 'grant';
  const inherited = change.base.levels?.inherited ?? null;
  const [before, after] = [change.before ?? inherited, change.level ?? inherited];
  return before !== null && after !== null && rankOf(after) > rankOf(before);
}
