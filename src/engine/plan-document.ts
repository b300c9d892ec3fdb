/** A plan as a document: what `plan --format json` prints, and what `plan --out` saves for `apply`. */

import type { JsonObject } from '../base/json.ts';
import { withoutSecrets } from './disclosure.ts';
import type { Forecast } from './forecast.ts';
import type { Plan } from '../posthog/plan.ts';

/** The major version grows when readers of the old form would misread the new one. */
export const PLAN_FORMAT_VERSION = '1.0';

/** The document of plan and drift, described by `schemas/plan.schema.json`. The forecast is no part of what is sealed. */
export function planDocument(plan: Plan, forecast?: Forecast): JsonObject {
  return {
    format_version: PLAN_FORMAT_VERSION,
    ...(withoutSecrets(plan) as unknown as JsonObject),
    ...(forecast === undefined ? {} : { forecast: { ...forecast } }),
  };
}
