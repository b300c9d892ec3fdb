/** Reads who has access to the selected flags: by subject if that takes fewer requests, and flags that then differ one by one. */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { ServiceClient } from '../service-client.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import type { ExpectedAccess, SelectedAccess } from '../live-selection.ts';
import { EDITOR, type HeldRole, type ListedAccess, type Organization, type Wire, wireOfAll } from './access.ts';
import { associatedFlags, type FlagLevel } from './rule.ts';
import { findOrganization, isOutOfReach, openOrganization, type OpenOrganization } from './organization.ts';
import { markLocked, readAccess, selectAccess } from './read.ts';

/** The lists by subject are out of reach, so that each flag takes a request. */
export interface UnlistedAccess {
  readonly refusal: ServiceError;
  readonly flags: number;
}

export type OnUnlisted = (unlisted: UnlistedAccess) => void;

/**
 * Includes the organization's part of access, if selected. A flag whose access the lists show to be as declared takes no separate request;
 * any other is read by itself, with all that warnings, hazards and writes need.
 */
export async function readSelectedAccess(
  client: ServiceClient,
  flags: readonly Flag[],
  {
    selection = {},
    onUnlisted,
  }: { readonly selection: SelectedAccess | undefined; readonly onUnlisted: OnUnlisted | undefined },
): Promise<Pick<LiveState, 'roleAccess' | 'organization'>> {
  const wire = wireOfAll(flags);
  const opening =
    selection.organization === true && wire !== 'entries'
      ? orRefusal(openOrganization(client))
      : Promise.resolve(undefined);
  const inventory = selectInventory(flags, selection);
  const expected = inventory.length > 0 ? new Map() : findExpected(flags, selection);
  const count = inventory.length + expected.size;
  const [opened, listed] = await Promise.all([opening, listBySubject(client, { wire, opening, flags: count })]);
  if (listed instanceof ServiceError) onUnlisted?.({ refusal: listed, flags: count });
  const organization = opened instanceof ServiceError ? undefined : opened?.organization;
  const suffices = inventory.length > 0 ? () => true : asExpected(expected, organization);
  const known = (inventory.length > 0 ? inventory : selectAccess(flags, selection)).map((flag) => {
    const held = typeof listed === 'function' ? listed(flag.id) : undefined;
    return { flag, held: held !== undefined && suffices(flag, held) ? held : undefined };
  });
  client.budget.announce('getAccess', known.filter(({ held }) => held === undefined).length);
  const read = known.map(
    async ({ flag, held }) => [String(flag.id), held ?? (await readAccess(client, flag))] as const,
  );
  const roleAccess = await markLocked(client, Object.fromEntries(await Promise.all(read)));
  return { roleAccess, ...defined({ organization }) };
}

function selectInventory(flags: readonly Flag[], { inventory = [] }: SelectedAccess): readonly Flag[] {
  if (inventory === 'all') return flags;
  const ids = new Set(inventory);
  return flags.filter(({ id }) => ids.has(id));
}

/** Keys are flag ids. A key and a former key may name the same flag: its access must then be as both declare. */
function findExpected(
  flags: readonly Flag[],
  { expected = [] }: SelectedAccess,
): ReadonlyMap<number, readonly ExpectedAccess[]> {
  const byKey = new Map<string, ExpectedAccess[]>();
  for (const one of expected) for (const key of one.keys) byKey.set(key, [...(byKey.get(key) ?? []), one]);
  return new Map(
    flags.flatMap(({ id, key }): [number, readonly ExpectedAccess[]][] => {
      const own = byKey.get(key);
      return own === undefined ? [] : [[id, own]];
    }),
  );
}

interface RoleListing {
  readonly wire: Wire | undefined;
  readonly opening: Promise<OpenOrganization | ServiceError | undefined>;
  /** The most flags for which the lists may save a request. */
  readonly flags: number;
}

/** Up to this number, reading flags one by one takes no more requests than the lists of an organization with one member and no role. */
const FEW_FLAGS = 3;

async function listBySubject(
  client: ServiceClient,
  { wire, opening, flags }: RoleListing,
): Promise<AccessBySubject | ServiceError | undefined> {
  if (flags <= FEW_FLAGS) return undefined;
  if (wire === 'entries') return orRefusal(listEntries(client));
  const opened = await opening;
  return opened === undefined || opened instanceof ServiceError ? opened : orRefusal(listLevels(client, opened, flags));
}

/** A refusal counts as an answer; any other error is thrown. */
async function orRefusal<Answer>(reading: Promise<Answer>): Promise<Answer | ServiceError> {
  try {
    return await reading;
  } catch (error) {
    if (isOutOfReach(error)) return error;
    throw error;
  }
}

/** The lists' answer for any flag of the project. */
type AccessBySubject = (flagId: number) => ListedAccess;

/**
 * Reads access by subject: what everyone, each role and each member may do with the flags of the project, in one request each.
 *
 * Reads today's service: the members, then the rules for everyone, of each role and of each member. `undefined` if
 * reading flag by flag takes no more requests.
 * @throws {ServiceError} `forbidden` or `not_found` if a list is out of reach.
 */
async function listLevels(
  client: ServiceClient,
  { id, roles }: OpenOrganization,
  flags: number,
): Promise<AccessBySubject | undefined> {
  // One request lists the members, of whom there is at least one.
  if (flags <= 1 + countSubjects(roles, 1)) return undefined;
  const members = await client.listMembers(id);
  if (flags <= countSubjects(roles, members.length)) return undefined;
  // This list is read alone, since a key that may not read it may not read the others.
  const ofEveryone = await client.listDefaultAccess();
  const [ofRoles, ofMembers] = await Promise.all([
    Promise.all(roles.map(async (role) => ({ role, levels: await client.listAccessOfRole(role.id) }))),
    Promise.all(members.map(async (member) => client.listAccessOfMember(member.id))),
  ]);
  const byRole = ofRoles.flatMap(({ role, levels }) =>
    levels.map(({ flagId, level }): HeldEntry => ({ flagId, role: { role: { id: role.id, name: role.name }, level } })),
  );
  return bySubject('levels', { ofRoles: byRole, ofEveryone, ofMembers: ofMembers.flat() });
}

/**
 * Reads a service of 2023: the list of roles names the flags that each of them can edit. `undefined` if it does not.
 * @throws {ServiceError} `forbidden` or `not_found` if the list is out of reach.
 */
async function listEntries(client: ServiceClient): Promise<AccessBySubject | undefined> {
  const roles = await client.listRoles(await findOrganization(client));
  const held = roles.map(({ id, name, ...role }) => ({ role: { id, name }, flags: associatedFlags(role) }));
  // A list without roles does not show that it would name flags.
  if (held.length === 0 || held.some((one) => one.flags === undefined)) return undefined;
  const ofRoles = held.flatMap(({ role, flags: ids = [] }) =>
    ids.map((flagId): HeldEntry => ({ flagId, role: { role, level: EDITOR } })),
  );
  return bySubject('entries', { ofRoles, ofEveryone: [], ofMembers: [] });
}

/** The requests of the lists: one for everyone, and one for each role and each member. */
function countSubjects(roles: readonly unknown[], members: number): number {
  return 1 + roles.length + members;
}

interface HeldEntry {
  readonly flagId: number;
  readonly role: HeldRole;
}

interface AccessLists {
  readonly ofRoles: readonly HeldEntry[];
  readonly ofEveryone: readonly FlagLevel[];
  readonly ofMembers: readonly FlagLevel[];
}

function bySubject(wire: Wire, { ofRoles, ofEveryone, ofMembers }: AccessLists): AccessBySubject {
  const [roles, everyone, members] = [byFlag(ofRoles), byFlag(ofEveryone), byFlag(ofMembers)];
  return (flagId) => ({
    listed: wire,
    roles: (roles.get(flagId) ?? []).map(({ role }) => role).toSorted(comparing(({ role }) => role.id)),
    everyone: everyone.get(flagId)?.[0]?.level ?? null,
    members: (members.get(flagId) ?? []).map(({ level }) => level),
  });
}

function byFlag<Of extends { readonly flagId: number }>(all: readonly Of[]): ReadonlyMap<number, readonly Of[]> {
  const grouped = new Map<number, Of[]>();
  for (const one of all) {
    const own = grouped.get(one.flagId);
    if (own === undefined) grouped.set(one.flagId, [one]);
    else own.push(one);
  }
  return grouped;
}

function asExpected(
  expected: ReadonlyMap<number, readonly ExpectedAccess[]>,
  organization: Organization | undefined,
): (flag: Flag, held: ListedAccess) => boolean {
  const lacksRoleAccess = organization?.lacksRoleAccess === true;
  return ({ id }, held) => expected.get(id)?.every((one) => isAsExpected(one, held, lacksRoleAccess)) === true;
}

/** `lacksRoleAccess`: the organization has not paid for levels of roles, so that plans leave them out. */
function isAsExpected({ roles, everyone }: ExpectedAccess, held: ListedAccess, lacksRoleAccess: boolean): boolean {
  if (everyone !== undefined && everyone !== held.everyone) return false;
  if (roles === undefined || lacksRoleAccess) return true;
  const levels = new Map(roles.map(({ id, level }) => [id, level]));
  return levels.size === held.roles.length && held.roles.every(({ role, level }) => levels.get(role.id) === level);
}
