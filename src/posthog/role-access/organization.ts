/** Reads what the organisation of a project says about access: the names of its roles, and whether it has paid for them. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ServiceClient } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import type { Organization } from './access.ts';

/** `undefined` where the key may not read it, or the service has none: names are then ids, and a refusal comes with the write. */
export async function readOrganization(client: ServiceClient): Promise<Organization | undefined> {
  try {
    const id = await findOrganization(client);
    const [organization, roles] = await Promise.all([client.getOrganization(id), client.listRoles(id)]);
    return {
      roleNames: Object.fromEntries(roles.map((role) => [role.id, role.name])),
      lacksRoleAccess: lacksFeature(organization, 'role_based_access'),
    };
  } catch (error) {
    if (isOutOfReach(error)) return undefined;
    throw error;
  }
}

/** Role ids by name; none where they cannot be read. */
export async function findRoleIds(client: ServiceClient): Promise<Readonly<Record<string, string>>> {
  try {
    const roles = await client.listRoles(await findOrganization(client));
    return Object.fromEntries(roles.map(({ id, name }) => [name, id]));
  } catch (error) {
    if (isOutOfReach(error)) return {};
    throw error;
  }
}

/** The id of the organisation that the project belongs to. */
export async function findOrganization(client: ServiceClient): Promise<string> {
  const { organization } = await client.getProject();
  return typeof organization === 'string' ? organization : '@current';
}

/** A service that does not list its features is taken to have them. */
function lacksFeature({ available_product_features: features }: JsonObject, name: string): boolean {
  return isJsonArray(features) && !features.some((feature) => isJsonObject(feature) && feature['key'] === name);
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind);
}
