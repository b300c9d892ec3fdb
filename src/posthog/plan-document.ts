/** Plans of PostHog projects as documents. */

import type { JsonObject } from '../base/json.ts';
import type { Forecast } from '../engine/forecast.ts';
import { formatPlan } from '../engine/plan-document.ts';
import { formatAttributions } from './attribution-document.ts';
import type { Attributions } from './attribution.ts';
import { KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { Plan } from './plan.ts';

/** What a plan's document has beside the plan: its fingerprint does not cover it. */
export interface BesidePlan {
  readonly forecast?: Forecast;
  readonly attributions?: Attributions;
}

/** The document of plan and drift, described by `schemas/plan.schema.json`. */
export function planDocument(plan: Plan, { forecast, attributions }: BesidePlan = {}): JsonObject {
  return formatPlan<PostHog>(plan, KINDS, {
    ...(forecast === undefined ? {} : { forecast: { ...forecast } }),
    ...(attributions === undefined ? {} : { attributions: formatAttributions(attributions, plan) }),
  });
}
