/** Plans of PostHog projects as documents. */

import type { JsonObject } from '../base/json.ts';
import type { Forecast } from '../engine/forecast.ts';
import { formatPlan } from '../engine/plan-document.ts';
import { formatAttributions } from './attribution-document.ts';
import type { Attributions } from './attribution.ts';
import { KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { Plan } from './plan.ts';
import type { Against } from './snapshot-file/snapshot-file.ts';

/** The members of a plan's document that the fingerprint does not cover. */
export interface PlanExtras {
  readonly forecast?: Forecast;
  readonly attributions?: Attributions;
  /** Absent if the plan was made against the service. */
  readonly against?: Against;
}

/** The document of plan and drift, described by `schemas/plan.schema.json`. */
export function planDocument(plan: Plan, { forecast, attributions, against }: PlanExtras = {}): JsonObject {
  return formatPlan<PostHog>(plan, KINDS, {
    ...(against === undefined ? {} : { against: { ...against } }),
    ...(forecast === undefined ? {} : { forecast: { ...forecast } }),
    ...(attributions === undefined ? {} : { attributions: formatAttributions(attributions, plan) }),
  });
}
