/**
 * Properties of a person's first visit that stand in for themselves until the service has stored them: a condition
 * on `$initial_browser` sees `$browser` meanwhile.
 */

import type { JsonObject, JsonValue } from '../base/json.ts';

/** The properties that the service keeps a first value of. */
const TRACKED: readonly string[] = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$screen_height'],
  ...['$screen_width', '$viewport_height', '$viewport_width', '$raw_user_agent'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  ...['gclid', 'gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'li_fat_id'],
  ...['mc_cid', 'igshid', 'ttclid', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid', '_kx'],
];

export function withInitialProperties(properties: JsonObject): JsonObject {
  const filled: Record<string, JsonValue | undefined> = { ...properties };
  for (const name of TRACKED) {
    const initial = `$initial_${name.replace(/^\$/, '')}`;
    if (Object.hasOwn(properties, name) && !Object.hasOwn(properties, initial)) filled[initial] = properties[name];
  }
  return filled;
}
