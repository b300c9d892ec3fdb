/** Plans of PostHog projects as documents. */

import { stringifyJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Forecast } from '../../core/engine/forecast.ts';
import { formatPlan, hideSecrets, keysWithoutSecrets, PLAN_FORMAT_VERSION } from '../../core/engine/plan-document.ts';
import type { Attribution, Attributions } from '../authors/attribution.ts';
import type { CohortNames } from '../cohort/names.ts';
import { KINDS } from '../kinds.ts';
import type { PostHog } from '../kind.ts';
import { pageUrl } from '../names/resource-name.ts';
import type { Change, Plan } from '../plan.ts';
import type { Against } from '../snapshot-file/snapshot-file.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import {
  checkExecutable,
  parseDocument as parsePlanJson,
  parsePlan,
  readPlan,
} from '../../core/engine/read-plan-document.ts';

/** The members of a plan's document that the fingerprint does not cover. */
export interface PlanExtras {
  readonly forecast?: Forecast;
  readonly attributions?: Attributions;
  /** For people; absent where conditions name no cohort by id, or none whose name is known. */
  readonly cohortNames?: CohortNames;
  /** Absent if the plan was made against the service. */
  readonly against?: Against;
}

/** The document of plan and drift, described by `schemas/plan.schema.json`. */
export function planDocument(
  plan: Plan,
  { forecast, attributions, cohortNames, against }: PlanExtras = {},
): JsonObject {
  return formatPlan<PostHog>(plan, KINDS, {
    ...(against === undefined ? {} : { against: { ...against } }),
    ...(forecast === undefined ? {} : { forecast: { ...forecast } }),
    ...(attributions === undefined ? {} : { attributions: formatAttributions(attributions, plan) }),
    ...(cohortNames === undefined ? {} : { cohort_names: { ...cohortNames } }),
  });
}

/** Each with the page of the resource in the web interface, where the service has one. */
export function formatAttributions(
  attributions: Attributions,
  { project, changes, left = [] }: Pick<Plan, 'project' | 'changes' | 'left'>,
): JsonArray {
  const subjects = [...changes, ...left.map((one) => ({ ...one, resource: one.resource as Change['resource'] }))];
  const byRef = new Map(subjects.map((one) => [one.ref, one]));
  return [...attributions].flatMap(([ref, ofChange]) =>
    [...ofChange].map(([path, attribution]): JsonObject => {
      const change = byRef.get(ref);
      const url = change === undefined ? undefined : pageUrl(project, change);
      return { ref, path, ...(attribution as unknown as JsonObject), ...(url === undefined ? {} : { url }) };
    }),
  );
}

/** `document` is valid by the schema of plans. */
export function parseAttributions(document: JsonValue | undefined): Attributions {
  const attributions = new Map<string, Map<string, Attribution>>();
  for (const item of isJsonArray(document) ? document.filter(isJsonObject) : []) {
    const { ref, path, url: _url, ...attribution } = item;
    if (typeof ref !== 'string' || typeof path !== 'string') continue;
    const ofChange = attributions.get(ref) ?? new Map<string, Attribution>();
    attributions.set(ref, ofChange.set(path, attribution as unknown as Attribution));
  }
  return attributions;
}

/**
 * Decides which parts of a PostHog plan may leave the process: everything but the payloads that the service keeps encrypted.
 *
 * The same plan with digests where a request's body would hold such payloads. Idempotent.
 */
export function withoutSecrets<Content extends Pick<Plan, 'changes'>>(plan: Content): Content {
  return hideSecrets<PostHog, Content>(plan, KINDS);
}

/** Keys of the flags whose change cannot be applied from a document, because the document leaves secrets out. */
export function keysWithSecretsLeftOut(changes: readonly Change[]): readonly string[] {
  return keysWithoutSecrets<PostHog>(changes, KINDS);
}

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
      'The saved plan cannot be used. It was made against a snapshot, not against the project.',
      { remedy: 'Make a new one with `flagwright plan --out FILE`, without --against.' },
    );
  }
  if (file.at !== undefined) {
    throw new FlagwrightError('plan_invalid', 'The saved plan cannot be used. It was made for another time (--at).', {
      remedy: 'Make a new one with `flagwright plan --out FILE`, without --at.',
    });
  }
  checkExecutable<PostHog>(file.plan, KINDS);
  return file;
}

/** The document of a file with the plans of several projects. `selection`: which differences they cover; absent for all. */
export function plansDocument(plans: readonly JsonObject[], selection: JsonObject | undefined): JsonObject {
  return { format_version: PLAN_FORMAT_VERSION, plans, ...defined({ selection }) };
}

export interface SavedPlans {
  readonly texts: readonly string[];
  readonly selection?: JsonValue;
}

/** The plans in a file with those of several projects; `undefined` for any other file. */
export function savedPlansIn(text: string): SavedPlans | undefined {
  if (!MAY_HAVE_PLANS.test(text)) return undefined;
  const { plans, selection } = parsePlanJson(text);
  return isJsonArray(plans)
    ? { texts: plans.map((plan) => stringifyJson(plan)), ...defined({ selection }) }
    : undefined;
}

const MAY_HAVE_PLANS = /^\s*\{\s*"format_version"\s*:\s*"[^"]*"\s*,\s*"plans"\s*:/;

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

/** The saved plan with the document's other members. `policy`, `exceptions` and `approvers`: as in the document. */
export function parsePlanFile(text: string): {
  readonly plan: Plan;
  readonly policy?: JsonObject;
  readonly exceptions?: JsonArray;
  readonly approvers?: readonly string[];
  readonly at?: string;
} & PlanExtras {
  const { plan, forecast, attributions, cohort_names, policy, exceptions, approvers, against, at } = parsePlan(text);
  return {
    plan: plan as unknown as Plan,
    ...defined({
      forecast,
      policy: policy as JsonObject | undefined,
      exceptions: exceptions as JsonArray | undefined,
      approvers: approvers as readonly string[] | undefined,
      against: against as unknown as Against | undefined,
      at: at as string | undefined,
      cohortNames: cohort_names as CohortNames | undefined,
    }),
    ...(attributions === undefined ? {} : { attributions: parseAttributions(attributions) }),
  };
}
