/** Attributions as a list in the document of a plan, which its fingerprint does not cover. */

import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { isJsonArray, isJsonObject } from '../base/json.ts';
import type { ProjectIdentity } from '../engine/project.ts';
import type { Attribution, Attributions } from './attribution.ts';
import { flagUrl } from './flag-url.ts';
import type { Plan } from './plan.ts';

/** Each with the page of the flag in the web interface, where the service has one. */
export function formatAttributions(attributions: Attributions, { project, changes }: Plan): JsonArray {
  const ids = new Map(changes.map(({ ref, id }) => [ref, id]));
  return [...attributions].flatMap(([ref, ofChange]) =>
    [...ofChange].map(([path, attribution]): JsonObject => {
      const url = urlOf(project, ids.get(ref));
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

function urlOf(project: ProjectIdentity, id: number | undefined): string | undefined {
  return id === undefined ? undefined : flagUrl(project, id);
}
