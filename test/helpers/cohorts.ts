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
  expect([...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error')).toEqual([]);
  return resolved.desired;
}

/** A live dynamic cohort. */
export function cohort(id: number, name: string, fields: JsonObject = {}): Cohort {
  return { id, name, is_static: false, deleted: false, ...fields };
}

/** A leaf of a definition: persons with this value of the property `plan`. */
export function onPlan(value: string): JsonObject {
  return { key: 'plan', type: 'person', operator: 'exact', value };
}

/** Declared fields whose definition asks for all of these leaves. */
export function allOf(...values: JsonObject[]): JsonObject {
  return { filters: { properties: { type: 'AND', values } } };
}
