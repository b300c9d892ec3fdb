/** A service that lies about writes, one after the other, for tests of kinds that are written alike. */

import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import type { Liar, Lie } from '../helpers/liar.ts';
import type { Reply } from './client/support/server.ts';

export const PAGE: Reply = { status: 200, body: '<html>' };
export const FORBIDDEN: Reply = { status: 403, body: { detail: 'No.' } };

/** The n-th write gets the n-th lie; `meanwhile` happens at the first one. With `blind`, reads fail from then on. */
export function lies(
  replies: readonly Lie[],
  { blind = false, meanwhile }: { readonly blind?: boolean; readonly meanwhile?: () => Promise<unknown> } = {},
): (write: number) => Promise<Lie | undefined> {
  let isWritten = false;
  return async (write) => {
    isWritten ||= write > 0;
    if (write === 0) return isWritten && blind ? { reply: FORBIDDEN, carriedOut: false } : undefined;
    if (write === 1) await meanwhile?.();
    return replies[write - 1];
  };
}

export const dropped = (reply: Reply): Lie => ({ reply, carriedOut: false });
export const LOST: Lie = dropped(PAGE);
export const failed = (code: string): object => ({ outcome: 'failed', error: { code } });
export const unknown = (code: string): object => ({ outcome: 'unknown', error: { code } });

export function run(plan: Plan, { client }: Liar): Promise<ApplyResult> {
  return applyPlan(plan, client, { concurrency: 1 });
}

/** The requests that write, by method and by what follows the name of the resource. */
export function writesTo(resource: string, { seen }: Liar): string[] {
  return seen.flatMap(({ method, url }) => (method === 'GET' ? [] : [`${method} ${url.split(`/${resource}/`)[1]}`]));
}
