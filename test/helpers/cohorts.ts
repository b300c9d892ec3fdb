/** Desired and live cohorts for tests, in few words. */

import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Cohort } from '../../src/posthog/cohort/cohort.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';

/** The desired state of a valid manifest. `ids`: of the configuration, by alias. */
export function desiredOf(manifest: JsonObject, ids: Readonly<Record<string, number>> = {}): DesiredState {
  const { file, diagnostics } = parseManifest('flags/main.yaml', JSON.stringify(manifest));
  const resolved = resolveManifests([file], { name: 'test', roles: {}, cohorts: ids }, ['test', 'other']);
  expect([...diagnostics, ...resolved.diagnostics]).toEqual([]);
  return resolved.desired;
}

/** A live dynamic cohort. */
export function cohort(id: number, name: string, fields: JsonObject = {}): Cohort {
  return { id, name, is_static: false, deleted: false, ...fields };
}
