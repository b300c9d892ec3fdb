/** Plans of PostHog projects as documents. */

import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Forecast } from '../../engine/forecast.ts';
import { formatPlan, hideSecrets, keysWithoutSecrets } from '../../engine/plan-document.ts';
import type { Attribution, Attributions } from '../authors/attribution.ts';
import { KINDS } from '../kinds.ts';
import type { PostHog } from '../kind.ts';
import { pageUrl } from '../names/page-url.ts';
import type { Change, Plan } from '../plan.ts';
import type { Against } from '../snapshot-file/snapshot-file.ts';

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
