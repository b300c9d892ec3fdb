/** Finds the format of `filters`: conditions, or rules, which PostHog is building and which only some of its writes accept. */

import type { JsonObject } from '../../../src/base/json.ts';

/** `rules` is format version 2; `unknown` is any other version that is not 1. */
export type FilterFormat = 'conditions' | 'rules' | 'unknown';

export function formatOf(filters: JsonObject): FilterFormat {
  if (!Object.hasOwn(filters, 'version')) return 'conditions';
  const version = filters['version'];
  // A string or a boolean never names a version.
  if (version === 1) return 'conditions';
  return version === 2 ? 'rules' : 'unknown';
}
