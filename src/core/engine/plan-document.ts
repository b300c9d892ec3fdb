/** A plan as a document, and its fingerprint: what `plan` and `drift` print, `plan --out` writes, and a journal begins with. */

import { createHash } from 'node:crypto';
import { canonicalText, type JsonObject, type JsonValue } from '../../base/json.ts';
import { type Kind, kindOf, type Model } from './kind.ts';
import type { Plan } from './plan.ts';

/** The major number grows when readers of the old form would misread the new one. */
export const PLAN_FORMAT_VERSION = '1.0';

/** Follows `schemas/plan.schema.json`. `beside`: additional members that the fingerprint does not cover. */
export function formatPlan<M extends Model>(plan: Plan<M>, kinds: readonly Kind<M>[], extras: JsonObject): JsonObject {
  return {
    format_version: PLAN_FORMAT_VERSION,
    ...(hideSecrets(plan, kinds) as unknown as JsonObject),
    ...extras,
  };
}

/**
 * Replaces the secrets of a plan by digests; everything else may leave the process.
 *
 * The same plan with digests where a request's body would hold secrets. Idempotent.
 */
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

/** Equal plans have equal fingerprints, and that of an edited plan does not match. */
export function fingerprintOf(value: JsonValue): string {
  return `sha256:${createHash('sha256').update(canonicalText(value)).digest('hex')}`;
}
