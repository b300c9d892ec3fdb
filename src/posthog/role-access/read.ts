/** Reads role access: one request for each flag whose access is selected, in the form that its service has. */

import type { ServiceClient } from '../service-client.ts';
import { ServiceError, isNotFound } from '../client/service-error.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import type { SelectedAccess } from '../live-selection.ts';
import { type FlagAccess, isEntries, isListed, isRefused, type Wire, wireOf } from './access.ts';
import { isOutOfReach } from './organization.ts';
import type { AccessRule, AccessRules } from './rule.ts';

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
  return orElsewhere(
    () => readWire(client, flagId, wire),
    () => readWire(client, flagId, otherWire(wire)),
  );
}

async function readWire(client: ServiceClient, flagId: number, wire: Wire): Promise<FlagAccess> {
  return wire === 'entries' ? client.listRoleAccess(flagId) : client.getAccess(flagId);
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
 * Marks the access rules that only Terraform may change (docs/service.md, "Access rules").
 *
 * Asks for the project's setting only where a rule is managed by Terraform.
 */
export async function markLocked(
  client: ServiceClient,
  roleAccess: LiveState['roleAccess'],
): Promise<LiveState['roleAccess']> {
  const isManaged = Object.values(roleAccess).some(
    (access) => isRules(access) && access.access_controls.some(isOfTerraform),
  );
  if (!isManaged || !(await isLockOn(client))) return roleAccess;
  return Object.fromEntries(
    Object.entries(roleAccess).map(([id, access]) => [id, isRules(access) ? lockIn(access) : access]),
  );
}

/** A service that does not say so refuses the write itself. */
async function isLockOn(client: ServiceClient): Promise<boolean> {
  try {
    return (await client.getAccessSettings()).lock_terraform_managed_rules;
  } catch (error) {
    if (isOutOfReach(error)) return false;
    throw error;
  }
}

function lockIn(access: AccessRules): AccessRules {
  const rules = access.access_controls.map((rule) => (isOfTerraform(rule) ? { ...rule, locked: true as const } : rule));
  return { ...access, access_controls: rules };
}

function isRules(access: FlagAccess): access is AccessRules {
  return !isEntries(access) && !isListed(access) && !isRefused(access);
}

function isOfTerraform(rule: AccessRule): boolean {
  return rule['managed_by'] === 'terraform';
}
