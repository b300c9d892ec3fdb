/** Reads plans of PostHog projects from their documents. */

import { defined } from '../base/optional.ts';
import { checkExecutable, parsePlan } from '../engine/saved-plan.ts';
import { parseAttributions } from './attribution-document.ts';
import { KINDS } from './kinds.ts';
import type { PostHog } from './model.ts';
import type { BesidePlan } from './plan-document.ts';
import type { Plan } from './plan.ts';

/**
 * The plan in a document, ready to be applied.
 * @throws {FlagwrightError} `plan_invalid` as `parsePlanDocument`, and when the plan needs secrets that no file holds.
 */
export function parseSavedPlan(text: string): Plan {
  const plan = parsePlanDocument(text);
  checkExecutable<PostHog>(plan, KINDS);
  return plan;
}

/**
 * The plan in a document, to be shown.
 * @throws {FlagwrightError} `plan_invalid` when the document is not a plan, has another format version, is cut, or was edited.
 */
export function parsePlanDocument(text: string): Plan {
  return parsePlanFile(text).plan;
}

/** As `parsePlanDocument`, with what the document has beside the plan. */
export function parsePlanFile(text: string): { readonly plan: Plan } & BesidePlan {
  const { plan, forecast, attributions } = parsePlan(text);
  return {
    plan: plan as Plan,
    ...defined({ forecast }),
    ...(attributions === undefined ? {} : { attributions: parseAttributions(attributions) }),
  };
}
