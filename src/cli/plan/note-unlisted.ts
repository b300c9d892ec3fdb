/** The note on the cost of access that cannot be read by role. */

import { memberOf } from '../../base/json.ts';
import type { UnlistedAccess } from '../../posthog/role-access/read.ts';
import { scopesOfKind } from '../../posthog/key-scopes.ts';
import type { Session } from '../session/session.ts';

export async function noteUnlisted(session: Session, { refusal, flags }: UnlistedAccess): Promise<void> {
  const isForbidden = refusal.failure.kind === 'forbidden';
  const why = isForbidden ? lackOf(refusal.operation) : 'since the service does not list it by role (404)';
  const text =
    `Reading the access to ${flags} flags took ${flags} requests, ${why}. ` +
    'Otherwise one for everyone, one for each role and one for each member would be enough.';
  const way = isForbidden ? `\n  ${session.palette.dim('→')} Give the key ${scopesText()}.` : '';
  await session.note(`${session.palette.warning('note')}  ${text}${way}\n`);
}

const ACCESS_SCOPE = 'access_control:read';

const SCOPES_OF_LISTS: Readonly<Record<string, string>> = {
  getProject: 'project:read',
  getOrganization: 'organization:read',
  listRoles: 'organization:read',
  listMembers: 'organization_member:read',
};

function lackOf(operation: string): string {
  return `since the API key lacks \`${memberOf(SCOPES_OF_LISTS, operation) ?? ACCESS_SCOPE}\``;
}

/** `access_control:read, organization:read, project:read and organization_member:read`. */
function scopesText(): string {
  const scopes = scopesOfKind('role_access').flatMap(({ scope, use }) => (use === 'applies' ? [] : [scope]));
  return `${scopes.slice(0, -1).join(', ')} and ${scopes.at(-1) ?? ACCESS_SCOPE}`;
}
