/** Finds who made the differences of a plan: in the activity logs of resources, and in the journal of this machine. */

import { memberOf } from '../../base/json.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import { readAttributions } from '../../posthog/reading/read-attributions.ts';
import { chooseInquiries } from '../../posthog/reading/attribution-queries.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { withTurnedOff } from '../../posthog/flag/attribution.ts';
import { attributeAccess } from '../../posthog/role-access/attribution.ts';
import { findOwnWrites } from '../runs/find-recorded.ts';
import type { Session } from '../session/session.ts';
import type { OpenProject } from '../project/open-project.ts';

export interface AttributionOptions {
  /** Absent: only if a base tells edits from what git changed. */
  readonly who?: boolean;
}

/** Costs at most one request for each resource with such differences, and more if its newest entries do not explain them. */
export async function findAttributions(
  session: Session,
  { plan, live, opened }: AttributionInput,
  { who = plan.base?.kind === 'commit' }: AttributionOptions,
): Promise<Attributions | undefined> {
  const asked = await askLogs(session, { plan, live, opened }, who);
  const found = withTurnedOff(asked ?? new Map(), plan, live.turnedOff);
  return found.size === 0 ? asked : found;
}

interface AttributionInput {
  readonly plan: Plan;
  readonly live: LiveState;
  readonly opened: OpenProject;
}

async function askLogs(
  session: Session,
  { plan, live, opened }: AttributionInput,
  who: boolean,
): Promise<Attributions | undefined> {
  if (!who) return undefined;
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
