/** Reads plans of PostHog projects from their documents. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { checkExecutable, parsePlan, readPlan } from '../../engine/read-plan-document.ts';
import { parseAttributions, type PlanExtras } from './plan-document.ts';
import { KINDS } from '../kinds.ts';
import type { PostHog } from '../kind.ts';
import type { Plan } from '../plan.ts';
import type { Against } from '../snapshot-file/snapshot-file.ts';

/**
 * The plan in a document, ready to be applied.
 * @throws {FlagwrightError} `plan_invalid` as `parsePlanDocument`, when it was made against a snapshot, and when it
 * needs secrets that no file holds.
 */
export function parseSavedPlan(text: string): Plan {
  return parseSavedFile(text).plan;
}

/** The saved plan with the document's other members. */
export function parseSavedFile(text: string): ReturnType<typeof parsePlanFile> {
  const file = parsePlanFile(text);
  if (file.against !== undefined) {
    throw new FlagwrightError(
      'plan_invalid',
      'The saved plan cannot be used. It was made against a snapshot of the project, and not against the project.',
      { remedy: 'Make a new one with `flagwright plan --out FILE`, without --against.' },
    );
  }
  if (file.at !== undefined) {
    throw new FlagwrightError('plan_invalid', 'The saved plan cannot be used. It is of another time than now.', {
      remedy: 'Make a new one with `flagwright plan --out FILE`, without --at.',
    });
  }
  checkExecutable<PostHog>(file.plan, KINDS);
  return file;
}

/**
 * The plan in a document, to be shown.
 * @throws {FlagwrightError} `plan_invalid` when the document is not a plan, has another format version, is cut, or was edited.
 */
export function parsePlanDocument(text: string): Plan {
  return parsePlanFile(text).plan;
}

/** Does the same as `parsePlanDocument`, for a document that was parsed before. */
export function readPlanDocument(document: JsonObject): Plan {
  return readPlan(document).plan as unknown as Plan;
}

/** The saved plan with the document's other members. `policy`: the judgement of policies, as in the document. */
export function parsePlanFile(
  text: string,
): { readonly plan: Plan; readonly policy?: JsonObject; readonly at?: string } & PlanExtras {
  const { plan, forecast, attributions, policy, against, at } = parsePlan(text);
  return {
    plan: plan as unknown as Plan,
    ...defined({
      forecast,
      policy: policy as JsonObject | undefined,
      against: against as unknown as Against | undefined,
      at: at as string | undefined,
    }),
    ...(attributions === undefined ? {} : { attributions: parseAttributions(attributions) }),
  };
}
