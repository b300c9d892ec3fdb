/** What of a plan may leave the process: everything but the payloads that the service keeps encrypted. */

import { canonicalFlag } from '../posthog/flag/canonical.ts';
import { hasEncryptedPayloads, holdsPayloadDigest, withMissingDigests } from '../posthog/flag/encrypted-payloads.ts';
import type { Change, Plan } from '../posthog/plan.ts';

/** The same plan with digests where a request's body would hold such payloads. Idempotent. */
export function withoutSecrets<Content extends Pick<Plan, 'changes'>>(plan: Content): Content {
  return plan.changes.some(isSecret) ? { ...plan, changes: plan.changes.map(disclosable) } : plan;
}

/** Keys of the flags whose change cannot be carried out from a document, because the document leaves secrets out. */
export function keysWithSecretsLeftOut(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) =>
    change.resource === 'flag' && holdsPayloadDigest(change.body) ? [change.key] : [],
  );
}

function disclosable(change: Change): Change {
  if (change.resource !== 'flag' || !isSecret(change)) return change;
  return { ...change, body: withMissingDigests(canonicalFlag(change.body)) };
}

function isSecret(change: Change): boolean {
  if (change.resource !== 'flag') return false;
  return hasEncryptedPayloads({ ...(change.action === 'create' ? {} : change.base.flag), ...change.body });
}
