/** Attributions as a list in the document of a plan, which its fingerprint does not cover. */

import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { isJsonArray, isJsonObject } from '../base/json.ts';
import type { Attribution, Attributions } from './attribution.ts';
import { pageUrl } from './page-url.ts';
import type { Change, Plan } from './plan.ts';

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
