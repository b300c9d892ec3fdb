/**
 * Fills missing initial properties from the current ones, since the service stores them with a delay: without
 * `$initial_browser`, a condition on it uses `$browser`.
 */

import { memberOf, setMember, type JsonObject, type JsonValue } from '../base/json.ts';

/** The properties whose first value the service keeps. */
const TRACKED: readonly string[] = [
  ...['$app_build', '$app_name', '$app_namespace', '$app_version', '$browser', '$browser_version', '$device_type'],
  ...['$current_url', '$pathname', '$os', '$os_version', '$referring_domain', '$referrer', '$screen_height'],
  ...['$screen_width', '$viewport_height', '$viewport_width', '$raw_user_agent'],
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  ...['gclid', 'gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'li_fat_id'],
  ...['mc_cid', 'igshid', 'ttclid', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid', '_kx'],
];

/** The name of the first value of each. Built once: every evaluation passes here. */
const INITIAL: ReadonlyMap<string, string> = new Map(
  TRACKED.map((name) => [name, `$initial_${name.replace(/^\$/, '')}`]),
);

export function withInitialProperties(properties: JsonObject): JsonObject {
  let filled: Record<string, JsonValue | undefined> | undefined;
  for (const name of Object.keys(properties)) {
    const initial = INITIAL.get(name);
    if (initial === undefined || Object.hasOwn(properties, initial)) continue;
    filled ??= { ...properties };
    setMember(filled, initial, memberOf(properties, name));
  }
  return filled ?? properties;
}
