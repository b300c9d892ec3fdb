/** Replaces the secrets of a plan by digests; everything else may leave the process. */

import { kindOf, type Kind, type Model } from './kind.ts';

/** The same plan with digests where a request's body would hold secrets. Idempotent. */
export function hideSecrets<M extends Model, Content extends { readonly changes: readonly M['change'][] }>(
  plan: Content,
  kinds: readonly Kind<M>[],
): Content {
  const changes = plan.changes.map((change) => kindOf(kinds, change).hideSecrets?.(change) ?? change);
  return changes.every((change, index) => change === plan.changes[index]) ? plan : { ...plan, changes };
}

/** Keys of the resources whose change cannot be applied from a document, because the document leaves secrets out. */
export function keysWithoutSecrets<M extends Model>(
  changes: readonly M['change'][],
  kinds: readonly Kind<M>[],
): readonly string[] {
  return changes
    .filter((change) => kindOf(kinds, change).lacksSecrets?.(change) === true)
    .map((change: M['change']) => change.key);
}
