/** The note of what it costs that the access to flags cannot be read by role. */

import { memberOf } from '../../base/json.ts';
import type { UnlistedAccess } from '../../posthog/role-access/read-wanted.ts';
import type { Session } from '../session/session.ts';

export async function noteUnlisted(session: Session, { refusal, flags }: UnlistedAccess): Promise<void> {
  const why =
    refusal.failure.kind === 'forbidden'
      ? lackOf(refusal.operation)
      : 'since the service does not list it by role (404)';
  const text =
    `The access to ${flags} flags took a request each, ${flags} in all, ${why}. ` +
    'Else one for everyone, one for each role and one for each member would do.';
  const scopes = 'Give the key access_control:read, organization:read, project:read and organization_member:read.';
  const way = refusal.failure.kind === 'forbidden' ? `\n  ${session.palette.dim('→')} ${scopes}` : '';
  await session.note(`${session.palette.warning('note')}  ${text}${way}\n`);
}

function lackOf(operation: string): string {
  return `since the API key lacks \`${memberOf(SCOPES, operation) ?? 'access_control:read'}\``;
}

/** Of the operations that the lists need. */
const SCOPES: Readonly<Record<string, string>> = {
  getProject: 'project:read',
  getOrganization: 'organization:read',
  listRoles: 'organization:read',
  listMembers: 'organization_member:read',
};
