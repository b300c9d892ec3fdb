/**
 * Finds who made the differences of a plan, in the activity logs of resources and in the journal of this machine, and notes what reading the
 * access of roles costs.
 */

import { memberOf } from '../../base/json.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import { withTurnedOff } from '../../posthog/flag/attribution.ts';
import { scopesOfKind } from '../../posthog/key-scopes.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { chooseInquiries } from '../../posthog/reading/attribution-queries.ts';
import { readAttributions } from '../../posthog/reading/read-attributions.ts';
import { attributeAccess } from '../../posthog/role-access/attribution.ts';
import type { UnlistedAccess } from '../../posthog/role-access/read.ts';
import type { OpenProject } from '../project/open-project.ts';
import { findOwnWrites } from '../runs/find-recorded.ts';
import type { Session } from '../session/session.ts';

/**
 * Costs at most one request for each resource with such differences, and more if its newest entries do not explain them. `who`: absent: only
 * if a base tells edits from what git changed.
 */
export async function findAttributions(
  session: Session,
  given: { readonly plan: Plan; readonly live: LiveState; readonly opened: OpenProject },
  who: boolean = given.plan.base?.kind === 'commit',
): Promise<Attributions | undefined> {
  const asked = who ? await askLogs(session, given) : undefined;
  const found = withTurnedOff(asked ?? new Map(), given.plan, given.live.turnedOff);
  return found.size === 0 ? asked : found;
}

async function askLogs(
  session: Session,
  { plan, live, opened }: Parameters<typeof findAttributions>[1],
): Promise<Attributions | undefined> {
  const { logged: inquiries, access } = chooseInquiries(plan, live);
  if (inquiries.length + access.length === 0) return undefined;
  const writes = await findOwnWrites(session, opened.identity);
  const asked = inquiries.map(({ logged, sought }) => ({ logged, sought: [...sought.values()].flat() }));
  const answers = await readAttributions(opened.client, asked, writes);
  const found = new Map<string, ReadonlyMap<string, Attribution>>();
  inquiries.forEach(({ sought }, index) => {
    for (const [ref, ofChange] of sought) found.set(ref, only(answers[index], ofChange));
  });
  for (const change of access) {
    const held = memberOf(live.roleAccess, String(change.id));
    found.set(change.ref, new Map([['', attributeAccess(change, held, writes)]]));
  }
  return found;
}

function only(
  answers: ReadonlyMap<string, Attribution> | undefined,
  sought: readonly { readonly path: string }[],
): ReadonlyMap<string, Attribution> {
  return new Map(
    sought.flatMap(({ path }) => {
      const answer = answers?.get(path);
      return answer === undefined ? [] : [[path, answer] as const];
    }),
  );
}

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
