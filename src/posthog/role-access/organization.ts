/** Reads what the organization of a project says about access: the names of its roles, and whether it has paid for them. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ServiceClient } from '../service-client.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Organization } from './access.ts';
import type { OrganizationRole } from './requests.ts';

/** An organization that was read, with what leads to who is in it. */
export interface OpenOrganization {
  readonly id: string;
  readonly roles: readonly OrganizationRole[];
  readonly organization: Organization;
}

/** @throws {ServiceError} also where the key may not read it. */
export async function openOrganization(client: ServiceClient): Promise<OpenOrganization> {
  const id = await findOrganization(client);
  const [asked, listed] = await Promise.allSettled([client.getOrganization(id), client.listRoles(id)]);
  // Both are answered by now: a request that goes on would count as one of what follows.
  const [organization, roles] = [valueOf(asked), valueOf(listed)];
  return {
    id,
    roles,
    organization: {
      roleNames: Object.fromEntries(roles.map((role) => [role.id, role.name])),
      lacksRoleAccess: lacksFeature(organization, 'role_based_access'),
    },
  };
}

function valueOf<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** Role ids by name; none if they cannot be read. */
export async function findRoleIds(client: ServiceClient): Promise<Readonly<Record<string, string>>> {
  try {
    const roles = await client.listRoles(await findOrganization(client));
    return Object.fromEntries(roles.map(({ id, name }) => [name, id]));
  } catch (error) {
    if (isOutOfReach(error)) return {};
    throw error;
  }
}

/** The id of the project's organization. */
export async function findOrganization(client: ServiceClient): Promise<string> {
  const { organization } = await client.getProject();
  return typeof organization === 'string' ? organization : '@current';
}

/** A service that does not list its features is taken to have them. */
function lacksFeature({ available_product_features: features }: JsonObject, name: string): boolean {
  return isJsonArray(features) && !features.some((feature) => isJsonObject(feature) && feature['key'] === name);
}

/** The key may not read it, or the service does not have it. */
export function isOutOfReach(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind);
}
