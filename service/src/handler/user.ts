/** The users of the embedded service. Every accepted key acts as the embedded user, except the keys that a seed gives to members. */

import type { JsonObject } from '../../../src/base/json.ts';

export const EMBEDDED_DISTINCT_ID = 'embedded-user';

export const EMBEDDED_USER: JsonObject = {
  id: 1,
  uuid: '018a0000-0000-7000-8000-0000000000e0',
  distinct_id: EMBEDDED_DISTINCT_ID,
  first_name: 'Embedded',
  email: 'embedded@example.org',
};

/** The user's membership in the organization, of which the user is the owner. */
export const EMBEDDED_MEMBER_ID = '018a0000-0000-7000-8000-0000000000e1';

/** The organization of every project of the service. */
export const EMBEDDED_ORGANIZATION_ID = '018a0000-0000-7000-8000-0000000000e2';

/** The user who makes the request. */
export function userOf({ user = EMBEDDED_USER }: { readonly user?: JsonObject }): JsonObject {
  return user;
}
