/** Refuses to make steps that were planned by a record which another run has replaced since then. */

import { FlagwrightError } from '../../base/errors.ts';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { BaseFacts } from '../../engine/base.ts';
import type { Plan } from '../../posthog/plan.ts';
import { isDue } from '../../posthog/rollouts/rollouts.ts';
import { escapeLine } from '../../report/escape.ts';
import { noBaseText, unreadText } from '../../report/words/base.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import { withCheckout } from './open-checkout.ts';
import { findRecorded } from './find-base.ts';

/**
 * Call this right before the first write. What another run writes afterwards is noticed when the flags are read again, or refused by the
 * service.
 * @throws {FlagwrightError} `plan_stale` if the plan makes steps, and the record is not the one that it was made with.
 */
export async function refuseMoved(
  session: Session,
  { config, project }: LoadedProject,
  { base, rollouts = [], changes }: Pick<Plan, 'base' | 'rollouts' | 'changes'>,
): Promise<void> {
  if (changes.length === 0 || !rollouts.some(isDue)) return;
  if (base === undefined || (base.kind === 'commit' && base.from === 'option')) return;
  const now = await withCheckout(session, config, async (checkout) =>
    findRecorded(session, { loaded: { config, project }, checkout }),
  );
  const old = now.kind === 'none' ? noBaseText(now.reason) : unreadText(now);
  if (old !== undefined && base.kind === 'commit' && unreadText(base) === undefined)
    throw refused('base_unreadable', `${old}, so it is not known whether another run made them`);
  if (base.kind === 'none' ? now.kind === 'none' : now.kind === 'commit' && isSame(base, now)) return;
  const name = escapeLine(project.name);
  throw refused('plan_stale', `Another run has recorded what it applied to ${name} since the plan was made`);
}

function refused(code: 'base_unreadable' | 'plan_stale', why: string): FlagwrightError {
  return new FlagwrightError(code, `The steps that are due were not made, and nothing else was written: ${why}.`, {
    remedy: 'Run `apply --due` again, or make a new plan: it makes what is still due.',
  });
}

type Known = Extract<BaseFacts, { readonly kind: 'commit' }>;

function isSame(one: Known, other: Known): boolean {
  const [former, current] = [one, other].map(({ commit, earlier = [], rollouts = [] }) => ({
    commit,
    earlier,
    rollouts,
  }));
  return jsonEquals(former as unknown as JsonValue, current as unknown as JsonValue);
}
