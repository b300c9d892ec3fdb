/** Missing initial properties of a person are filled from the current ones. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { withInitialProperties } from '../../src/evaluation/scope.ts';

/** The names in PostHog's SDKs and ingestion. */
const OF_THE_VISIT = [
  ['$app_build', '$initial_app_build'],
  ['$app_name', '$initial_app_name'],
  ['$app_namespace', '$initial_app_namespace'],
  ['$app_version', '$initial_app_version'],
  ['$browser', '$initial_browser'],
  ['$browser_version', '$initial_browser_version'],
  ['$device_type', '$initial_device_type'],
  ['$current_url', '$initial_current_url'],
  ['$pathname', '$initial_pathname'],
  ['$os', '$initial_os'],
  ['$os_version', '$initial_os_version'],
  ['$referring_domain', '$initial_referring_domain'],
  ['$referrer', '$initial_referrer'],
  ['$screen_height', '$initial_screen_height'],
  ['$screen_width', '$initial_screen_width'],
  ['$viewport_height', '$initial_viewport_height'],
  ['$viewport_width', '$initial_viewport_width'],
  ['$raw_user_agent', '$initial_raw_user_agent'],
] as const;

const OF_CAMPAIGNS = [
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  ...['gclid', 'gad_source', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'twclid', 'li_fat_id'],
  ...['mc_cid', 'igshid', 'ttclid', 'rdt_cid', 'epik', 'qclid', 'sccid', 'irclid', '_kx'],
].map((name) => [name, `$initial_${name}`] as const);

describe('withInitialProperties', () => {
  it.each([...OF_THE_VISIT, ...OF_CAMPAIGNS])('fills the initial property of %s', (name, initial) => {
    expect(withInitialProperties({ plan: 'pro', [name]: 'now' })).toEqual({
      plan: 'pro',
      [name]: 'now',
      [initial]: 'now',
    });
    expect(withInitialProperties({ [name]: 'now', [initial]: 'then' })).toEqual({ [name]: 'now', [initial]: 'then' });
    // Null is a stored value.
    expect(withInitialProperties({ [name]: 'now', [initial]: null })).toEqual({ [name]: 'now', [initial]: null });
    expect(withInitialProperties({ [name]: null })).toEqual({ [name]: null, [initial]: null });
  });

  it.each(['plan', 'email', 'browser', 'os', '$utm_source', '$lib', '$initial_browser', 'a$os'])(
    'fills no initial property of %s',
    (name) => expect(withInitialProperties({ [name]: 'now' })).toEqual({ [name]: 'now' }),
  );

  it('does not change its input', () => {
    const properties = { $os: 'Linux' };
    withInitialProperties(properties);
    expect(properties).toEqual({ $os: 'Linux' });
    expect(withInitialProperties({})).toEqual({});
  });

  it('ignores inherited members of objects', () => {
    expect(Object.keys(withInitialProperties(Object.create({ $os: 'Linux' }) as JsonObject))).toEqual([]);
  });
});
