/** The operation behind a method of a path. */

import type { Handler } from './call.ts';
import type { AccessRoutes, Profile } from './profile.ts';

export interface Operation {
  /** The `operationId` in the OpenAPI document. */
  readonly id: string;
  readonly handler: Handler;
  /** The only profile with this operation; absent: both. */
  readonly profile?: Profile;
  /** The only routes of access with this operation; absent: both. */
  readonly access?: AccessRoutes;
}

export type Methods = Readonly<Record<string, Operation>>;

/** An operation that only today's service has. */
export function today(id: string, handler: Handler): Operation {
  return { id, handler, profile: 'posthog' };
}
