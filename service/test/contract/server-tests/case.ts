/** A behaviour that PostHog's own tests demand, in a project of its own. */

import type { JsonObject } from '../../../../src/base/json.ts';
import type { SeededProject } from '../../../src/index.ts';
import type { Behaviour, Step } from '../behaviour.ts';

/** The name is that of PostHog's test, with its case where the test has several. */
export interface ServerTest extends Behaviour {
  /** Loaded into the first project. */
  readonly seed?: JsonObject;
  /** Default: the one project `1`. */
  readonly projects?: readonly SeededProject[];
}

/** The order of created flags, as lists show them: newest first. */
export function flagsSeed(...flags: readonly JsonObject[]): JsonObject {
  return { flags: flags.map((flag, index) => ({ id: index + 1, filters: { groups: [] }, ...flag })) };
}

/** A list with this query has exactly the flags with these keys, newest first. */
export function lists(query: string, ...keys: readonly string[]): Step {
  return {
    ask: `GET /feature_flags/${query}`,
    expect: { status: 200, body: { count: keys.length, results: keys.map((key) => ({ key })) } },
  };
}
