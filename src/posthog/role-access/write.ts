/** How role access is written: what live state shows of a change, and which wire form sends it. */

import { FlagwrightError } from '../../base/errors.ts';
import type { RoleChange } from '../plan.ts';
import type { Impossible, Standing, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import { heldAccess, isRefused, type HeldAccess, type Wire } from './access.ts';
import { levelAfter, subjectOf } from './change.ts';
import { findFlagId, findWire } from './flag-id.ts';
import { isLocked, levelOf } from './level-of.ts';
import { findMovedRoles } from './moved.ts';
import { countRoleReads, readBackRoles } from './read-back.ts';
import { orElsewhere, otherWire } from './read.ts';
import { prepareEntry } from './wire-entries.ts';
import { prepareLevel } from './wire-levels.ts';

export const roleAccessWriter: KindWriter<RoleChange> = {
  // A grant and a revoke concern one entry each: none overwrites what another user wrote.
  needsRefresh: () => false,
  refresh: () => Promise.resolve(),
  inspect,
  findEffect,
  prepare: (change, state, client) => {
    const found = findWire(change, state);
    const refused = found === undefined ? undefined : refusalOf(found.flagId, state);
    if (refused !== undefined) return { impossible: refused };
    if (found !== undefined && isLockedIn(change, found.flagId, state)) return { impossible: LOCKED };
    if (found !== undefined) return prepareFor(change, found, client);
    return { impossible: { code: 'flag_missing', message: `The flag ${change.key} does not exist.` } };
  },
  readBack: readBackRoles,
  countReadBack: countRoleReads,
};

function prepareFor(
  change: RoleChange,
  { flagId, wire, isGuess }: NonNullable<ReturnType<typeof findWire>>,
  client: ServiceClient,
): Write | Impossible {
  const own = PREPARE[wire](change, flagId, client);
  if (!isGuess) return own;
  const other = PREPARE[otherWire(wire)](change, flagId, client);
  // The document of a change with levels has the id of the flag.
  return orOtherWire(own, change.base.levels === undefined ? other : answering(flagId, other));
}

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
  const elsewhere = 'impossible' in other ? refusing(other) : other;
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

function refusing({ impossible: { message } }: Impossible): Pick<Write, 'send' | 'lookUp'> {
  const refuse = (): Promise<never> => Promise.reject(new FlagwrightError('service_refused', message));
  return { send: refuse, lookUp: refuse };
}

const PREPARE: Readonly<
  Record<Wire, (change: RoleChange, flagId: number, client: ServiceClient) => Write | Impossible>
> = { entries: prepareEntry, levels: prepareLevel };

/** The effect comes first: the plan saw no list of a flag that it creates, and a resumed run ignores its own writes. */
function inspect(change: RoleChange, state: RunState): Standing {
  const id = findEffect(change, state);
  if (id !== undefined) return { kind: 'in_effect', id };
  if (refusalOf(change.id, state) !== undefined) return { kind: 'as_planned' };
  const moved = findMovedRoles(change, state);
  return moved.length > 0 ? { kind: 'moved', moved } : { kind: 'as_planned' };
}

/** Nothing is written where the service does not show what is there. */
function refusalOf(flagId: number | undefined, { roleAccess }: RunState): Impossible['impossible'] | undefined {
  const access = flagId === undefined ? undefined : roleAccess[String(flagId)];
  if (access === undefined || !isRefused(access)) return undefined;
  return { code: 'forbidden', message: access.refused ?? 'The service does not show who has access to the flag.' };
}

/** The lock was turned on, or the rule claimed, after the plan was made. */
function isLockedIn(change: RoleChange, flagId: number, { roleAccess }: RunState): boolean {
  const access = roleAccess[String(flagId)];
  const held = access === undefined ? undefined : heldAccess(access, undefined);
  return held !== undefined && isLocked(change, held);
}

const LOCKED: Impossible['impossible'] = {
  code: 'forbidden',
  message:
    'Terraform manages this access rule, and the project lets nobody else change it (lock_terraform_managed_rules).',
};

function findEffect(change: RoleChange, state: RunState): number | undefined {
  const flagId = findFlagId(change, state);
  const access = flagId === undefined ? undefined : state.roleAccess[String(flagId)];
  const held = access === undefined ? undefined : heldAccess(access, undefined);
  if (flagId === undefined || held === undefined || levelOf(change, held) !== levelAfter(change)) return undefined;
  return idOfEffect(change, flagId, held);
}

/** The entry of 2023; a rule of today has no id, and its flag's stands for it. */
function idOfEffect(change: RoleChange, flagId: number, { wire, roles }: HeldAccess): number | undefined {
  if (wire === 'levels') return flagId;
  if (change.action === 'revoke' && 'entry_id' in change) return change.entry_id;
  return roles.find(({ role }) => role.id === subjectOf(change))?.entryId;
}
