/** Finds resources that manifests delete although they are not live under their names, and that the base declared: people may have renamed them. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import { findMissingRetired, type MissingRetired } from '../../src/posthog/planning/base.ts';
import { cohort, desiredOf } from '../helpers/cohorts.ts';
import { liveFlag } from '../helpers/states.ts';

const FILTERS = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
const DECLARED = { flags: { a: {} }, cohorts: { beta: { name: 'Beta', filters: FILTERS } } };
const DELETED = { flags: { a: { deleted: true } }, cohorts: { beta: { deleted: true } } };
const GONE: LiveState = { flags: [liveFlag(1, 'b')], roleAccess: {}, cohorts: [cohort(7, 'Other')] };
const NOTHING = { flags: [], cohorts: [], early_access: [] };

const missing = (desired: JsonObject, base: JsonObject | undefined, live = GONE, ids = {}): MissingRetired =>
  findMissingRetired(
    desiredOf(desired, ids),
    base && { facts: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' }, desired: desiredOf(base, ids) },
    live,
  );

test('what git deletes and nobody finds under its name is looked for, a cohort also by the name of the base', () => {
  expect(missing(DELETED, DECLARED)).toEqual({
    flags: [{ key: 'a' }],
    cohorts: [{ key: 'beta', names: ['beta', 'Beta'] }],
    early_access: [],
  });
});

test.each<[string, JsonObject, JsonObject | undefined, LiveState]>([
  ['without a base', DELETED, undefined, GONE],
  ['that the base deleted already', DELETED, DELETED, GONE],
  ['that is declared', DECLARED, DECLARED, GONE],
  ['that is live', DELETED, DECLARED, { ...GONE, flags: [liveFlag(1, 'a')], cohorts: [cohort(7, 'Beta')] }],
])('nothing is looked for %s', (_name, desired, base, live) => {
  expect(missing(desired, base, live)).toEqual(NOTHING);
});

test('a cohort with an id in the configuration is found by it, and one that was not read is not missing', () => {
  expect(missing(DELETED, DECLARED, GONE, { beta: 9 }).cohorts).toEqual([]);
  expect(missing(DELETED, DECLARED, { flags: [], roleAccess: {} }).cohorts).toEqual([]);
});
