/** Grants, adjustments and revokes that make the access to a flag match its declaration, and those that revert them. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Divergence } from '../../engine/base.ts';
import type { FieldChange } from '../../engine/change.ts';
import { classify } from '../../engine/classify.ts';
import type { Applied, RefusedInversion } from '../../engine/kind.ts';
import type { Match } from '../../engine/matched.ts';
import type { DeclaredFlag, DesiredFlag, DesiredRole } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { declaresAccess, EDITOR, heldAccess, type HeldAccess, type HeldRole, type Wire } from './access.ts';
import {
  type AdjustLevel,
  EVERYONE,
  type GrantRole,
  isLocked,
  type RevokeRole,
  type RoleAccessBase,
  type RoleChange,
  type RoleName,
  levelAfter,
  subjectOf,
} from './change.ts';

/** The access that was read. */
export interface SeenAccess extends Pick<LiveState, 'roleAccess'> {
  readonly organization?: LiveState['organization'] | undefined;
  /** The service's form of access, if known. */
  readonly accessWire?: Wire | undefined;
}

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
  const held = flag === undefined ? nothingHeld(seen) : heldOf(flag, seen);
  if (held === undefined) return [];
  const context: AccessContext = { desired, id: flag?.id, held, base: baseOf(held), wire: held.wire, former };
  const isUnpaid = held.wire !== 'entries' && seen.organization?.lacksRoleAccess === true;
  return [...(isUnpaid ? [] : changeRoles(context)), ...changeEveryone(context)];
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

export function baseOf({ wire, roles, everyone, inherited }: Omit<HeldAccess, 'wire'> & Awaiting): RoleAccessBase {
  const ids = [...new Set(roles.map(({ role }) => role.id))];
  if (wire !== 'levels') return { roles: ids, ...(wire === undefined ? { wire: 'unknown' } : {}) };
  const levels = Object.fromEntries(roles.map(({ role, level }) => [role.id, level]));
  return { roles: ids, levels: { roles: levels, everyone, inherited } };
}

/** A service without flags does not show how it holds access. */
interface Awaiting {
  readonly wire: Wire | undefined;
}

interface AccessContext {
  readonly desired: DeclaredFlag;
  readonly id: number | undefined;
  readonly held: Omit<HeldAccess, 'wire'>;
  readonly base: RoleAccessBase;
  readonly wire: Wire | undefined;
  /** The declaration of the flag in the base. */
  readonly former: Match<DesiredFlag, Flag>['base'];
}

function nothingHeld({ accessWire }: SeenAccess): Omit<HeldAccess, 'wire'> & Awaiting {
  return {
    wire: accessWire,
    roles: [],
    everyone: null,
    inherited: null,
    members: [],
    locked: new Set(),
    mayChange: true,
  };
}

function changeRoles(context: AccessContext): RoleChange[] {
  const { desired, held } = context;
  const wanted = desired.roleAccess;
  if (wanted === undefined) return [];
  const live = new Map(held.roles.map((one) => [one.role.id, one]));
  const declared = new Set(wanted.map(({ id }) => id));
  return [
    ...wanted.flatMap((role) => (live.has(role.id) ? [] : [grant(role, context)])),
    ...wanted.flatMap((role) => adjustRole(role, live.get(role.id), context)),
    ...held.roles.filter(({ role }) => !declared.has(role.id)).flatMap((role) => revoke(role, context)),
  ];
}

function grant({ id, name, level = EDITOR, place }: DesiredRole, context: AccessContext): GrantRole {
  const { wire, desired, base } = context;
  return {
    action: 'grant',
    ref: refOf(desired.key, id),
    resource: 'role_access',
    key: desired.key,
    ...defined({ id: context.id }),
    role: { id, ...defined({ name }) },
    ...(wire === 'levels' || level !== EDITOR ? { level } : {}),
    base,
    needs: [],
    source: place,
    ...divergenceOf(id, { live: null, wanted: level }, context),
  };
}

function adjustRole(role: DesiredRole, held: HeldRole | undefined, context: AccessContext): AdjustLevel[] {
  const level = role.level ?? EDITOR;
  if (held === undefined || held.level === level) return [];
  const name = { id: role.id, ...defined({ name: role.name }) };
  return [{ ...adjust(context, { role: name, before: held.level, level }), source: role.place }];
}

function changeEveryone(context: AccessContext): AdjustLevel[] {
  const { desired, held } = context;
  const wanted = desired.everyone;
  if (wanted === undefined || wanted.level === held.everyone) return [];
  return [{ ...adjust(context, { before: held.everyone, level: wanted.level }), source: wanted.place }];
}

interface Adjustment extends Pick<AdjustLevel, 'before' | 'level'> {
  readonly role?: RoleName;
}

function adjust(context: AccessContext, { role, before, level }: Adjustment): AdjustLevel {
  const { desired, id, base } = context;
  return {
    action: 'adjust',
    ref: refOf(desired.key, role?.id ?? EVERYONE),
    resource: 'role_access',
    key: desired.key,
    ...defined({ id, role }),
    before,
    level,
    base,
    needs: [],
    ...divergenceOf(role?.id ?? EVERYONE, { live: before, wanted: level }, context),
  };
}

function revoke({ role, level, entryId }: HeldRole, context: AccessContext): RevokeRole[] {
  const { desired, id, base } = context;
  if (id === undefined) return [];
  const common = {
    action: 'revoke' as const,
    ref: refOf(desired.key, role.id),
    resource: 'role_access' as const,
    key: desired.key,
    id,
    role: role.name === role.id && entryId === undefined ? { id: role.id } : { id: role.id, name: role.name },
    base,
    needs: [],
    source: (desired.places.children?.['role_access'] ?? desired.places).place,
    ...divergenceOf(role.id, { live: level, wanted: null }, context),
  };
  return [entryId === undefined ? { ...common, level } : { ...common, entry_id: entryId }];
}

function divergenceOf(subject: string, levels: Levels, { former }: AccessContext): Partial<LevelClass> {
  return former === undefined ? {} : classifyLevel(subject, levels, former);
}

export function refOf(key: string, subject: string): string {
  return `role_access:${key}:${subject}`;
}

interface Levels {
  /** Null: none of the flag's own. */
  readonly live: string | null;
  readonly wanted: string | null;
}

/** The classification of a changed level. */
export interface LevelClass {
  readonly divergence: Divergence;
  /** The declared level in the base of a conflict; null for none. */
  readonly base_level?: string | null;
}

/** `base`: what the base says of the flag, null if it did not name it. */
export function classifyLevel(subject: string, { live, wanted }: Levels, base: DesiredFlag | null): LevelClass {
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
  const access = flag === undefined ? undefined : roleAccess[String(flag.id)];
  const held = access === undefined ? undefined : heldAccess(access, organization);
  const refused = { ref: change.ref, key: change.key };
  if (flag === undefined || held === undefined) return { ...refused, refusal: 'gone', moved: [] };
  // A deleted flag took its role access along.
  if (change.action === 'grant' && flag.deleted === true) return { ...refused, refusal: 'gone', moved: [] };
  const now = findNow(change, held);
  const isEntry = change.action === 'grant' && change.base.levels === undefined && now.entryId !== undefined;
  const isOther = isEntry && (answered ?? now.entryId) !== now.entryId;
  if (now.level !== levelAfter(change) || isOther) {
    return { ...refused, refusal: 'moved', moved: moved(change, now.level, held) };
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
    case 'grant':
      return {
        action: 'revoke',
        role: change.role,
        ...(now.entryId === undefined ? { level: now.level ?? EDITOR } : { entry_id: now.entryId }),
        ...common,
      } as RevokeRole;
    case 'revoke':
      return { action: 'grant', role: change.role, ...('level' in change ? { level: change.level } : {}), ...common };
    case 'adjust':
      return {
        action: 'adjust',
        ...defined({ role: change.role }),
        before: change.level,
        level: change.before,
        ...common,
      };
  }
}

interface LiveLevel {
  readonly level: string | null;
  readonly entryId?: number;
}

function findNow(change: RoleChange, held: HeldAccess): LiveLevel {
  const subject = subjectOf(change);
  if (subject === EVERYONE) return { level: held.everyone };
  return held.roles.find(({ role }) => role.id === subject) ?? { level: null };
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
