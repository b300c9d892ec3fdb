/** Reads access by subject: what everyone, each role and each member may do with the flags of the project, in one request each. */

import { comparing } from '../../base/compare-strings.ts';
import type { ServiceClient } from '../client/client.ts';
import { EDITOR, type HeldRole, type ListedAccess, type Wire } from './access.ts';
import { associatedFlags, type FlagLevel } from './flag-level.ts';
import { findOrganization, type OpenOrganization } from './organization.ts';

/** The lists' answer for any flag of the project. */
export type AccessBySubject = (flagId: number) => ListedAccess;

/**
 * Reads today's service: the members, then the rules for everyone, of each role and of each member. `undefined` if `flags` requests are no
 * more than that.
 * @throws {ServiceError} `forbidden` or `not_found` if a list is out of reach.
 */
export async function listLevels(
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
export async function listEntries(client: ServiceClient): Promise<AccessBySubject | undefined> {
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
