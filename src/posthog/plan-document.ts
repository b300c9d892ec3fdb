/** Plans of PostHog projects as documents. */

import type { JsonObject } from '../base/json.ts';
import { formatPlan } from '../engine/plan-document.ts';
import { KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { Plan } from './plan.ts';

/** The document of plan and drift, described by `schemas/plan.schema.json`. */
export function planDocument(plan: Plan, forecast?: object): JsonObject {
  return formatPlan<PostHog>(plan, KINDS, forecast);
}
