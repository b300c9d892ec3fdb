/**
 * Reads role access: the names of the organization's roles and whether it has paid for them, and who has access to the selected flags, by
 * subject if that takes fewer requests, and else one by one, in the form that the service has.
 */

import { comparing } from '../../base/compare-strings.ts';
import { isJsonArray, isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { ServiceError, isNotFound } from '../client/service-error.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { SelectedAccess, ExpectedAccess } from '../live-selection.ts';
import type { LiveState } from '../live.ts';
import type { ServiceClient } from '../service-client.ts';
import {
  type FlagAccess,
  isEntries,
  isListed,
  isRefused,
  type Wire,
  wireOf,
  type AccessRule,
  type AccessRules,
  type Organization,
  EDITOR,
  type HeldRole,
  type ListedAccess,
  wireOfAll,
  associatedFlags,
  type FlagLevel,
} from './access.ts';
import type { OrganizationRole } from './requests.ts';

type AccessSelection = Pick<SelectedAccess, 'keys' | 'ids'>;

export async function readRoleAccess(
  client: ServiceClient,
  flags: readonly Flag[],
  selection: AccessSelection = {},
): Promise<LiveState['roleAccess']> {
  const selected = selectAccess(flags, selection);
  client.budget.announce('getAccess', selected.length);
  const read = await Promise.all(
    selected.map(async (flag) => [String(flag.id), await readAccess(client, flag)] as const),
  );
  return markLocked(client, Object.fromEntries(read));
}

/** The requests of `readRoleAccess`. */
export function countRoleReads(flags: readonly Flag[], selection: AccessSelection = {}): number {
  return selectAccess(flags, selection).length;
}

export function selectAccess(flags: readonly Flag[], selection: AccessSelection): readonly Flag[] {
  const keys = new Set(selection.keys);
  const ids = new Set(selection.ids);
  return flags.filter(({ key, id }) => keys.has(key) || ids.has(id));
}

/** Access to a flag, as the service holds it. Errors name the flag. */
export async function readAccess(client: ServiceClient, flag: Flag): Promise<FlagAccess> {
  const wire = wireOf(flag);
  try {
    return await readEitherWire(client, flag.id, wire);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { failure } = error;
    if (failure.kind === 'forbidden' && wire === 'levels') return { refused: failure.detail };
    throw error.about(flag.key);
  }
}

/** Reads the access to an existing flag: in the other form if the service lacks the path of this one. */
export async function readEitherWire(client: ServiceClient, flagId: number, wire: Wire): Promise<FlagAccess> {
  const read = async (as: Wire): Promise<FlagAccess> =>
    as === 'entries' ? client.listRoleAccess(flagId) : client.getAccess(flagId);
  return orElsewhere(
    () => read(wire),
    () => read(otherWire(wire)),
  );
}

export function otherWire(wire: Wire): Wire {
  return wire === 'entries' ? 'levels' : 'entries';
}

/**
 * Asks the second where the first is not found: between 2023 and today, flags gained the member that shows the wire before the service
 * gained the path. Throws the first error if neither is found.
 */
export async function orElsewhere<Answer>(
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await first();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return await second().catch((other: unknown) => {
      throw isNotFound(other) ? error : other;
    });
  }
}

/**
 * Marks the access rules that only Terraform may change (docs/service/access.md, "Access rules"). Asks for the project's setting only where a rule is
 * managed by Terraform.
 */
export async function markLocked(
  client: ServiceClient,
  roleAccess: LiveState['roleAccess'],
): Promise<LiveState['roleAccess']> {
  const isManaged = Object.values(roleAccess).some(
    (access) => isRules(access) && access.access_controls.some(isOfTerraform),
  );
  if (!isManaged) return roleAccess;
  // A service that does not say so refuses the write itself.
  const settings = await orRefusal(client.getAccessSettings());
  if (settings instanceof ServiceError || !settings.lock_terraform_managed_rules) return roleAccess;
  const lock = (rule: AccessRule): AccessRule => (isOfTerraform(rule) ? { ...rule, locked: true } : rule);
  return Object.fromEntries(
    Object.entries(roleAccess).map(([id, access]) => [
      id,
      isRules(access) ? { ...access, access_controls: access.access_controls.map(lock) } : access,
    ]),
  );
}

function isRules(access: FlagAccess): access is AccessRules {
  return !isEntries(access) && !isListed(access) && !isRefused(access);
}

function isOfTerraform(rule: AccessRule): boolean {
  return rule['managed_by'] === 'terraform';
}

/** An organization that was read, with what leads to who is in it. */
interface OpenOrganization {
  readonly id: string;
  readonly roles: readonly OrganizationRole[];
  readonly organization: Organization;
}

/** @throws {ServiceError} also where the key may not read it. */
export async function openOrganization(client: ServiceClient): Promise<OpenOrganization> {
  const id = await findOrganization(client);
  const [asked, listed] = await Promise.allSettled([client.getOrganization(id), client.listRoles(id)]);
  // Both are answered by now: a request that goes on would count as one of what follows.
  if (asked.status === 'rejected') throw asked.reason;
  if (listed.status === 'rejected') throw listed.reason;
  const roles = listed.value;
  const { available_product_features: features } = asked.value;
  return {
    id,
    roles,
    organization: {
      roleNames: Object.fromEntries(roles.map((role) => [role.id, role.name])),
      // A service that does not list its features is taken to have them.
      lacksRoleAccess:
        isJsonArray(features) && !features.some((one) => isJsonObject(one) && one['key'] === 'role_based_access'),
    },
  };
}

/** Role ids by name; none if they cannot be read. */
export async function findRoleIds(client: ServiceClient): Promise<Readonly<Record<string, string>>> {
  const roles = await orRefusal(findOrganization(client).then(async (id) => client.listRoles(id)));
  return roles instanceof ServiceError ? {} : Object.fromEntries(roles.map(({ id, name }) => [name, id]));
}

/** The id of the project's organization. */
export async function findOrganization(client: ServiceClient): Promise<string> {
  const { organization } = await client.getProject();
  return typeof organization === 'string' ? organization : '@current';
}

/** The key may not read it, or the service does not have it. */
export function isOutOfReach(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind);
}

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
  const { inventory: asked = [] } = selection;
  const inventory = asked === 'all' ? flags : selectAccess(flags, { ids: asked });
  const expected = inventory.length > 0 ? new Map<number, readonly ExpectedAccess[]>() : findExpected(flags, selection);
  const count = inventory.length + expected.size;
  const [opened, listed] = await Promise.all([opening, listBySubject(client, { wire, opening, flags: count })]);
  if (listed instanceof ServiceError) onUnlisted?.({ refusal: listed, flags: count });
  const organization = opened instanceof ServiceError ? undefined : opened?.organization;
  const lacksRoleAccess = organization?.lacksRoleAccess === true;
  const isEnough = (flagId: number, held: ListedAccess): boolean =>
    inventory.length > 0 || expected.get(flagId)?.every((one) => isAsExpected(one, held, lacksRoleAccess)) === true;
  const known = (inventory.length > 0 ? inventory : selectAccess(flags, selection)).map((flag) => {
    const held = typeof listed === 'function' ? listed(flag.id) : undefined;
    return { flag, held: held !== undefined && isEnough(flag.id, held) ? held : undefined };
  });
  client.budget.announce('getAccess', known.filter(({ held }) => held === undefined).length);
  const read = known.map(
    async ({ flag, held }) => [String(flag.id), held ?? (await readAccess(client, flag))] as const,
  );
  const roleAccess = await markLocked(client, Object.fromEntries(await Promise.all(read)));
  return { roleAccess, ...defined({ organization }) };
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

/** Up to this number, reading flags one by one takes no more requests than the lists of an organization with one member and no role. */
const FEW_FLAGS = 3;

/** `flags`: the most for which the lists may save a request. */
async function listBySubject(
  client: ServiceClient,
  {
    wire,
    opening,
    flags,
  }: { wire: Wire | undefined; opening: Promise<OpenOrganization | ServiceError | undefined>; flags: number },
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
 * Reads today's service by subject, in one request each: the members, then the rules for everyone, of each role and of each member.
 * `undefined` if reading flag by flag takes no more requests.
 * @throws {ServiceError} `forbidden` or `not_found` if a list is out of reach.
 */
async function listLevels(
  client: ServiceClient,
  { id, roles }: OpenOrganization,
  flags: number,
): Promise<AccessBySubject | undefined> {
  // The lists take one request for everyone, and one for each role and each member. One more lists the members: there is at least one.
  const countRequests = (members: number): number => 1 + roles.length + members;
  if (flags <= 1 + countRequests(1)) return undefined;
  const members = await client.listMembers(id);
  if (flags <= countRequests(members.length)) return undefined;
  // This list is read alone, since a key that may not read it may not read the others.
  const ofEveryone = await client.listDefaultAccess();
  const [ofRoles, ofMembers] = await Promise.all([
    Promise.all(roles.map(async (role) => ({ role, levels: await client.listAccessOfRole(role.id) }))),
    Promise.all(members.map(async (member) => client.listAccessOfMember(member.id))),
  ]);
  const byRole = ofRoles.flatMap(({ role, levels }) =>
    levels.map(({ flagId, level }): HeldEntry => ({ flagId, role: { role: { id: role.id, name: role.name }, level } })),
  );
  return bySubject('levels', byRole, [ofEveryone, ofMembers.flat()]);
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
  return bySubject('entries', ofRoles);
}

interface HeldEntry {
  readonly flagId: number;
  readonly role: HeldRole;
}

function bySubject(
  listed: Wire,
  ofRoles: readonly HeldEntry[],
  [ofEveryone, ofMembers]: readonly [readonly FlagLevel[], readonly FlagLevel[]] = [[], []],
): AccessBySubject {
  const [roles, everyone, members] = [byFlag(ofRoles), byFlag(ofEveryone), byFlag(ofMembers)];
  return (flagId) => ({
    listed,
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

/** `lacksRoleAccess`: the organization has not paid for levels of roles, so that plans leave them out. */
function isAsExpected({ roles, everyone }: ExpectedAccess, held: ListedAccess, lacksRoleAccess: boolean): boolean {
  if (everyone !== undefined && everyone !== held.everyone) return false;
  if (roles === undefined || lacksRoleAccess) return true;
  const levels = new Map(roles.map(({ id, level }) => [id, level]));
  return levels.size === held.roles.length && held.roles.every(({ role, level }) => levels.get(role.id) === level);
}
