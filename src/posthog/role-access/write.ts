/**
 * Writes role access: compares live state with a change, and chooses the wire form that sends it: entries (2023), each with an id, or levels
 * of a role or of everyone (docs/service/access.md, "Role access of 2023").
 */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { diff, type Remainder, remainderOf } from '../../core/engine/diff.ts';
import { singles } from '../../core/engine/forecast.ts';
import type { Impossible, Write } from '../../core/engine/writer.ts';
import type { FieldChange } from '../plan.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import type { ServiceClient } from '../service-client.ts';
import {
  answeredWire,
  heldAccess,
  type HeldAccess,
  isRefused,
  type Wire,
  wireOf,
  wireOfAll,
  EDITOR,
} from './access.ts';
import {
  type RoleChange,
  EVERYONE,
  isLocked,
  levelAfter,
  levelOf,
  type LevelsBase,
  subjectOf,
  levelBefore,
  type RevokeEntry,
} from './change.ts';
import { baseOf, refOf } from './find-changes.ts';
import { orElsewhere, otherWire, readEitherWire } from './read.ts';

export const roleAccessWriter: KindWriter<RoleChange> = {
  // A grant and a revoke concern one entry each: none overwrites what another user wrote.
  needsRefresh: () => false,
  refresh: () => Promise.resolve(),
  // The effect comes first: the plan saw no list of a flag that it creates, and a resumed run ignores its own writes.
  inspect: (change, state) => {
    const id = findEffect(change, state);
    if (id !== undefined) return { kind: 'in_effect', id };
    const moved = refusalOf(change.id, state) === undefined ? findMovedRoles(change, state) : [];
    return moved.length > 0 ? { kind: 'moved', moved } : { kind: 'as_planned' };
  },
  findEffect,
  prepare: (change, state, client) => {
    const found = findWire(change, state);
    if (found === undefined) {
      return { impossible: { code: 'flag_missing', message: `The flag ${change.key} does not exist.` } };
    }
    const { flagId, wire, isGuess } = found;
    const refused = refusalOf(flagId, state);
    if (refused !== undefined) return { impossible: refused };
    // The lock was turned on, or the rule claimed, after the plan was made.
    const held = heldAccess(state.roleAccess[String(flagId)], undefined);
    if (held !== undefined && isLocked(change, held)) return { impossible: LOCKED };
    const own = PREPARE[wire](change, flagId, client);
    if (!isGuess) return own;
    const other = PREPARE[otherWire(wire)](change, flagId, client);
    // The document of a change with levels has the id of the flag.
    return orOtherWire(own, change.base.levels === undefined ? other : answering(flagId, other));
  },
  // Which levels still differ.
  readBack: async (changes, { client, state }) => {
    const wires = new Map(
      changes.flatMap((change) => {
        const found = findWire(change, state);
        return found === undefined ? [] : [[found.flagId, found.wire] as const];
      }),
    );
    const read = [...wires].map(async ([id, wire]) => [id, await readEitherWire(client, id, wire)] as const);
    const heldById = new Map((await Promise.all(read)).map(([id, access]) => [id, heldAccess(access, undefined)]));
    return changes.flatMap((change) => findRemainder(change, heldById.get(findFlagId(change, state) ?? Number.NaN)));
  },
  // One request for each flag.
  countReadBack: (changes) => [singles(new Set(changes.map(({ key }) => key)).size)],
};

const LOCKED: Impossible['impossible'] = {
  code: 'forbidden',
  message:
    'Terraform manages this access rule, and the project lets nobody else change it (lock_terraform_managed_rules).',
};

const PREPARE: Readonly<
  Record<Wire, (change: RoleChange, flagId: number, client: ServiceClient) => Write | Impossible>
> = { entries: prepareEntry, levels: prepareLevel };

function answering(id: number, write: Write | Impossible): Write | Impossible {
  if ('impossible' in write) return write;
  return {
    ...write,
    send: async () => write.send().then(() => id),
    lookUp: async () => {
      const finding = await write.lookUp();
      return finding.kind === 'in_effect' ? { ...finding, id } : finding;
    },
  };
}

/** The flag exists, since this run made it, so that a 404 is about the path. */
function orOtherWire(own: Write | Impossible, other: Write | Impossible): Write | Impossible {
  if ('impossible' in own) return other;
  const elsewhere = 'impossible' in other ? refusing(other.impossible.message) : other;
  const send: Write['send'] = () => orElsewhere(own.send, elsewhere.send);
  return {
    ...own,
    // When this is asked, the other path was tried too.
    lookUpAfter: 'key_taken',
    send,
    lookUp: async () => {
      const finding = await orElsewhere(own.lookUp, elsewhere.lookUp);
      return finding.kind === 'unwritten' ? { kind: 'unwritten', send } : finding;
    },
  };
}

function refusing(message: string): Pick<Write, 'send' | 'lookUp'> {
  const refuse = (): Promise<never> => Promise.reject(new FlagwrightError('service_refused', message));
  return { send: refuse, lookUp: refuse };
}

/** Access that the service does not show is not written. */
function refusalOf(flagId: number | undefined, { roleAccess }: RunState): Impossible['impossible'] | undefined {
  const access = flagId === undefined ? undefined : roleAccess[String(flagId)];
  if (access === undefined || !isRefused(access)) return undefined;
  return { code: 'forbidden', message: access.refused ?? 'The service does not show who has access to the flag.' };
}

function findEffect(change: RoleChange, state: RunState): number | undefined {
  const flagId = findFlagId(change, state);
  const held = flagId === undefined ? undefined : heldAccess(state.roleAccess[String(flagId)], undefined);
  if (held === undefined || levelOf(change, held) !== levelAfter(change)) return undefined;
  // The entry of 2023; a rule of today has no id, and its flag's stands for it.
  if (held.wire === 'levels') return flagId;
  if (change.action === 'revoke' && 'entry_id' in change) return change.entry_id;
  return held.roles.find(({ role }) => role.id === subjectOf(change))?.entryId;
}

/** Empty when nothing changed. The list is absent if it was not read, as for a flag that was deleted. */
export function findMovedRoles(
  { id, key, base }: RoleChange,
  { roleAccess, isExpected }: Pick<RunState, 'roleAccess' | 'isExpected'>,
): readonly FieldChange[] {
  if (id === undefined) return [];
  const held = heldAccess(roleAccess[String(id)], undefined);
  if (held === undefined) return [{ path: '', before: key }];
  const ofOthers = (subject: string): boolean => !isExpected(refOf(key, subject));
  const now = baseOf(held);
  if (base.levels === undefined || now.levels === undefined) {
    return diff(base.roles.filter(ofOthers), now.roles.filter(ofOthers), ['role_access']);
  }
  const comparable = ({ roles, everyone }: LevelsBase): JsonObject => ({
    roles: Object.fromEntries(Object.entries(roles).filter(([subject]) => ofOthers(subject))),
    ...(ofOthers(EVERYONE) ? { default: everyone } : {}),
  });
  return diff(comparable(base.levels), comparable(now.levels), ['access']);
}

function findRemainder(change: RoleChange, held: HeldAccess | undefined): Remainder[] {
  const [wanted, found] = [levelAfter(change), held === undefined ? null : levelOf(change, held)];
  if (wanted === found) return [];
  if (held?.wire === 'levels' || change.base.levels !== undefined) {
    const path = `/access/${subjectOf(change)}`;
    return [remainderOf(change, { path, ...defined({ before: found ?? undefined, after: wanted ?? undefined }) })];
  }
  const path = `/role_access/${subjectOf(change)}`;
  return [remainderOf(change, found === null ? { path, after: true } : { path, before: true })];
}

/** The plan does not know the id of a flag that it creates. */
function findFlagId({ id, key }: RoleChange, { flags }: Pick<RunState, 'flags'>): number | undefined {
  return id ?? flags.idOf(key);
}

/**
 * The flag that a change is about: its id, and how its service holds access. The service answered it, the plan saw it, or the answer to the
 * flag's creation suggests it. `isGuess`: only the members of the flag suggest the wire: for a while, services had those of today and the
 * paths of 2023.
 */
function findWire(
  change: RoleChange,
  state: Pick<RunState, 'flags' | 'roleAccess'>,
): { readonly flagId: number; readonly wire: Wire; readonly isGuess: boolean } | undefined {
  const flagId = findFlagId(change, state);
  if (flagId === undefined) return undefined;
  const isNew = change.id === undefined;
  const { roleAccess } = state;
  const answered = answeredWire(roleAccess[String(flagId)]) ?? (isNew ? wireOfAll([], roleAccess) : undefined);
  if (answered !== undefined) return { flagId, wire: answered, isGuess: false };
  if (change.base.levels !== undefined) return { flagId, wire: 'levels', isGuess: isNew };
  const created = isNew ? state.flags.find(flagId) : undefined;
  return { flagId, wire: created === undefined ? 'entries' : wireOf(created), isGuess: isNew };
}

function prepareEntry(change: RoleChange, flagId: number, client: ServiceClient): Write | Impossible {
  if (change.action === 'grant' && levelAfter(change) === EDITOR) return grant(change.role.id, flagId, client);
  if (change.action === 'revoke' && 'entry_id' in change) return revoke(change, client);
  const message = 'The service has no levels of access, only roles that can edit a flag.';
  return { impossible: { code: 'access_unsupported', message } };
}

/** Some services refuse a duplicate, others answer 500. */
function grant(role: string, flagId: number, client: ServiceClient): Write {
  const send = async (): Promise<number> => (await client.createRoleAccess(flagId, role)).id;
  return {
    send,
    lookUpAfter: 'key_taken',
    repeatRefused: true,
    lookUp: async () => {
      const entries = await client.listRoleAccess(flagId);
      const entry = entries.find((candidate) => candidate.role.id === role);
      return entry === undefined ? { kind: 'unwritten', send } : { kind: 'in_effect', id: entry.id };
    },
  };
}

/** A 404 is looked up, since it may also mean that the project or the path is out of reach. */
function revoke({ id: flagId, entry_id: id }: RevokeEntry, client: ServiceClient): Write {
  const send = async (): Promise<number> => {
    await client.deleteRoleAccess(flagId, id);
    return id;
  };
  return {
    send,
    lookUpAfter: 'not_found',
    repeatRefused: true,
    lookUp: async () => {
      const entries = await client.listRoleAccess(flagId);
      return entries.some((entry) => entry.id === id) ? { kind: 'unwritten', send } : { kind: 'in_effect', id };
    },
  };
}

/**
 * Access as today's service has it: a PUT of one level for a role or for everyone (docs/service/access.md, "Access rules").
 *
 * The same PUT sent twice does no harm, but it would also replace what another user set in between.
 */
function prepareLevel(change: RoleChange, flagId: number, client: ServiceClient): Write {
  const [subject, level, before] = [subjectOf(change), levelAfter(change), levelBefore(change)];
  const send = async (): Promise<number> => {
    await client.setAccess(flagId, { role: subject === EVERYONE ? null : subject, level });
    return flagId;
  };
  return {
    send,
    lookUpAfter: 'not_found',
    repeatRefused: false,
    lookUp: async () => {
      const held = heldAccess(await client.getAccess(flagId), undefined);
      const found = held === undefined ? null : levelOf(change, held);
      if (found === level) return { kind: 'in_effect', id: flagId };
      if (found === before) return { kind: 'unwritten', send };
      const values = defined({ before: before ?? undefined, after: found ?? undefined });
      return { kind: 'changed', moved: [{ path: `/access/${subject}`, ...values }] };
    },
  };
}
