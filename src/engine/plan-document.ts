/** A plan as a document: what `plan` and `drift` print, `plan --out` writes, and a journal begins with. */

import type { JsonObject } from '../base/json.ts';
import { hideSecrets } from './disclosure.ts';
import type { Kind, Model } from './kind.ts';
import type { Plan } from './plan.ts';

/** The major number grows when readers of the old form would misread the new one. */
export const PLAN_FORMAT_VERSION = '1.0';

/** Follows `schemas/plan.schema.json`. `beside`: members that the fingerprint does not cover. */
export function formatPlan<M extends Model>(
  plan: Plan<M>,
  kinds: readonly Kind<M>[],
  extras: JsonObject = {},
): JsonObject {
  return {
    format_version: PLAN_FORMAT_VERSION,
    ...(hideSecrets(plan, kinds) as unknown as JsonObject),
    ...extras,
  };
}
