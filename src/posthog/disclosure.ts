/** Decides which parts of a PostHog plan may leave the process: everything but the payloads that the service keeps encrypted. */

import { hideSecrets, keysWithoutSecrets } from '../engine/plan-document.ts';
import { KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { Change, Plan } from './plan.ts';

/** The same plan with digests where a request's body would hold such payloads. Idempotent. */
export function withoutSecrets<Content extends Pick<Plan, 'changes'>>(plan: Content): Content {
  return hideSecrets<PostHog, Content>(plan, KINDS);
}

/** Keys of the flags whose change cannot be applied from a document, because the document leaves secrets out. */
export function keysWithSecretsLeftOut(changes: readonly Change[]): readonly string[] {
  return keysWithoutSecrets<PostHog>(changes, KINDS);
}
