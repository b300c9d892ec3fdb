/** Grants, adjustments and revokes that make the access to a flag match its declaration, and those that revert them. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { classify } from '../../core/engine/classify.ts';
import type { Applied, RefusedInversion } from '../../core/engine/kind.ts';
import type { Match } from '../../core/engine/matched.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { declaresAccess, EDITOR, heldAccess, NO_ACCESS, type HeldAccess, type HeldRole, type Wire } from './access.ts';
import {
  EVERYONE,
  isLocked,
  levelAfter,
  subjectOf,
  type AdjustLevel,
  type RevokeRole,
  type RoleAccessBase,
  type RoleChange,
  type RoleName,
} from './change.ts';

/** The access that was read. */
export interface SeenAccess extends Pick<LiveState, 'roleAccess'> {
  readonly organization?: LiveState['organization'] | undefined;
  /** The service's form of access, if known. */
  readonly accessWire?: Wire | undefined;
}

/** A service without flags does not show how it holds access. */
type HeldOrNone = Omit<HeldAccess, 'wire'> & { readonly wire: Wire | undefined };

/**
 * Sorted by role id, grants first and revokes last; these wait for grants by their `needs` (`needs.ts`). Levels of roles are
 * left out where the organization has not paid for them, and everything where the service does not show the access.
 */
export function changeRoleAccess(
  desired: DeclaredFlag,
  { live: flag, base: former }: Pick<Match<DesiredFlag, Flag>, 'live' | 'base'>,
  seen: SeenAccess,
): readonly RoleChange[] {
  if (!declaresAccess(desired)) return [];
  const held: HeldOrNone | undefined =
    flag === undefined ? { ...NO_ACCESS, wire: seen.accessWire } : heldOf(flag, seen);
  if (held === undefined) return [];
  const { key, roleAccess, everyone } = desired;
  const base = baseOf(held);
  const id = flag?.id;
  const named = (subject: string) => ({ ref: refOf(key, subject), resource: 'role_access', key }) as const;
  const classed = (subject: string, live: string | null, wanted: string | null): Partial<LevelClass> =>
    former === undefined ? {} : classifyLevel(subject, { live, wanted }, former);
  const adjust = (role: RoleName | undefined, before: string | null, level: string | null): AdjustLevel => ({
    action: 'adjust',
    ...named(role?.id ?? EVERYONE),
    ...defined({ id, role }),
    before,
    level,
    base,
    needs: [],
    ...classed(role?.id ?? EVERYONE, before, level),
  });
  const revoke = ({ role, level, entryId }: HeldRole): RoleChange[] => {
    if (id === undefined) return [];
    const common = {
      action: 'revoke',
      ...named(role.id),
      id,
      role: role.name === role.id && entryId === undefined ? { id: role.id } : { id: role.id, name: role.name },
      base,
      needs: [],
      source: (desired.places.children?.['role_access'] ?? desired.places).place,
      ...classed(role.id, level, null),
    } as const;
    return [entryId === undefined ? { ...common, level } : { ...common, entry_id: entryId }];
  };
  const ofRoles = (wanted: NonNullable<typeof roleAccess>): RoleChange[] => {
    const live = new Map(held.roles.map((one) => [one.role.id, one]));
    const declared = new Set(wanted.map((role) => role.id));
    const grants = wanted.flatMap(({ id: roleId, name, level = EDITOR, place }): RoleChange[] => {
      if (live.has(roleId)) return [];
      return [
        {
          action: 'grant',
          ...named(roleId),
          ...defined({ id }),
          role: { id: roleId, ...defined({ name }) },
          ...(held.wire === 'levels' || level !== EDITOR ? { level } : {}),
          base,
          needs: [],
          source: place,
          ...classed(roleId, null, level),
        },
      ];
    });
    const adjustments = wanted.flatMap(({ id: roleId, name, level = EDITOR, place }) => {
      const before = live.get(roleId)?.level ?? level;
      return before === level
        ? []
        : [{ ...adjust({ id: roleId, ...defined({ name }) }, before, level), source: place }];
    });
    return [...grants, ...adjustments, ...held.roles.filter(({ role }) => !declared.has(role.id)).flatMap(revoke)];
  };
  const isUnpaid = held.wire !== 'entries' && seen.organization?.lacksRoleAccess === true;
  return [
    ...(isUnpaid || roleAccess === undefined ? [] : ofRoles(roleAccess)),
    ...(everyone === undefined || everyone.level === held.everyone
      ? []
      : [{ ...adjust(undefined, held.everyone, everyone.level), source: everyone.place }]),
  ];
}

/** Which changes the service lets us make, and which rules differ that only Terraform may change. */
export function divideByLock(
  changes: readonly RoleChange[],
  flag: Flag | undefined,
  seen: SeenAccess,
): { readonly changes: readonly RoleChange[]; readonly locked: readonly RoleChange[] } {
  const held = changes.length === 0 || flag === undefined ? undefined : heldOf(flag, seen);
  const isTheirs = (change: RoleChange): boolean => held !== undefined && isLocked(change, held);
  return { changes: changes.filter((change) => !isTheirs(change)), locked: changes.filter(isTheirs) };
}

/** A list that was not read does not count as empty: it is an error of the caller. `undefined`: the service refused it. */
export function heldOf(flag: Flag, { roleAccess, organization }: SeenAccess): HeldAccess | undefined {
  const access = roleAccess[String(flag.id)];
  if (access === undefined) throw new FlagwrightError('internal', `The role access of flag ${flag.key} was not read.`);
  return heldAccess(access, organization);
}

export function baseOf({ wire, roles, everyone, inherited }: HeldOrNone): RoleAccessBase {
  const ids = [...new Set(roles.map(({ role }) => role.id))];
  if (wire !== 'levels') return { roles: ids, ...(wire === undefined ? { wire: 'unknown' } : {}) };
  const levels = Object.fromEntries(roles.map(({ role, level }) => [role.id, level]));
  return { roles: ids, levels: { roles: levels, everyone, inherited } };
}

export function refOf(key: string, subject: string): string {
  return `role_access:${key}:${subject}`;
}

/** The classification of a changed level. */
export type LevelClass = Pick<RoleChange, 'base_level'> & {
  readonly divergence: NonNullable<RoleChange['divergence']>;
};

/** `base`: what the base says of the flag, null if it did not name it. A level is null where the flag has none of its own. */
export function classifyLevel(
  subject: string,
  { live, wanted }: { readonly live: string | null; readonly wanted: string | null },
  base: DesiredFlag | null,
): LevelClass {
  const former = levelIn(base, subject);
  if (former === undefined) return { divergence: 'pending' };
  const { divergence } = classify('', { base: former, live, wanted });
  return divergence === 'conflict' ? { divergence, base_level: former } : { divergence };
}

/** `undefined` if the base did not manage the access, so that it does not show who moved. */
function levelIn(base: DesiredFlag | null, subject: string): string | null | undefined {
  if (base === null || base.kind === 'retired') return undefined;
  if (subject === EVERYONE) return base.everyone?.level;
  if (base.roleAccess === undefined) return undefined;
  const role = base.roleAccess.find(({ id }) => id === subject);
  return role === undefined ? null : (role.level ?? EDITOR);
}

/** The opposite of an applied change, made against what is live now. */
export function invertRoleChange(
  { change, id: answered }: Applied<RoleChange>,
  { flags, roleAccess, organization }: ProjectSnapshot,
): RoleChange | RefusedInversion {
  const flag = flags.all.find(({ id, key }) => (change.id === undefined ? key === change.key : id === change.id));
  const held = flag && heldAccess(roleAccess[String(flag.id)], organization);
  const refused = { ref: change.ref, key: change.key };
  if (flag === undefined || held === undefined) return { ...refused, refusal: 'gone', moved: [] };
  // A deleted flag took its role access along.
  if (change.action === 'grant' && flag.deleted === true) return { ...refused, refusal: 'gone', moved: [] };
  const subject = subjectOf(change);
  const ofRole = held.roles.find(({ role }) => role.id === subject);
  const level = subject === EVERYONE ? held.everyone : (ofRole?.level ?? null);
  const entryId = subject === EVERYONE ? undefined : ofRole?.entryId;
  const isEntry = change.action === 'grant' && change.base.levels === undefined && entryId !== undefined;
  const isOther = isEntry && (answered ?? entryId) !== entryId;
  if (level !== levelAfter(change) || isOther) {
    return { ...refused, refusal: 'moved', moved: moved(change, level, held) };
  }
  const common = {
    ref: change.ref,
    resource: 'role_access' as const,
    key: flag.key,
    id: flag.id,
    base: baseOf(held),
    needs: [],
  };
  switch (change.action) {
    case 'grant': {
      const had = entryId === undefined ? { level: level ?? EDITOR } : { entry_id: entryId };
      return { action: 'revoke', role: change.role, ...had, ...common } as RevokeRole;
    }
    case 'revoke':
      return { action: 'grant', role: change.role, ...('level' in change ? { level: change.level } : {}), ...common };
    case 'adjust': {
      const { role, level: before, before: after } = change;
      return { action: 'adjust', ...defined({ role }), before, level: after, ...common };
    }
  }
}

/** The difference between what the run wrote and what is live. */
function moved(change: RoleChange, level: string | null, { wire }: HeldAccess): FieldChange[] {
  if (change.action === 'adjust' || wire === 'levels') {
    const path = `/access/${subjectOf(change)}`;
    return [{ path, ...defined({ before: levelAfter(change) ?? undefined, after: level ?? undefined }) }];
  }
  const { role } = change;
  const path = `/role_access/${role.id}`;
  const name = role.name ?? role.id;
  return [level === null ? { path, before: name } : { path, after: name }];
}
