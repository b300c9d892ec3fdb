/** The cohorts that an evaluation of manifests or live flags knows. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { knownCohorts } from '../../../src/review/expectations/world.ts';
import { liveFlag } from '../../helpers/states.ts';

const of = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const inCohort = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });

test('are those that flags and definitions name, without the retired ones', () => {
  const definition = of(inCohort(9), { key: 'age', type: 'person', value: 5 }, inCohort(3));
  const flags = [liveFlag(1, 'a', { filters: { groups: [{ properties: [inCohort(8), inCohort(3)] }] } })];
  expect(knownCohorts({ flags, definitions: [[7, definition]], retired: [3] })).toEqual({
    7: { kind: 'dynamic', properties: definition['properties'] },
    8: { kind: 'static' },
    9: { kind: 'static' },
  });
});

test('without a known definition have the members that people name', () => {
  expect(knownCohorts({ flags: [], definitions: [[7, undefined]], retired: [] })).toEqual({ 7: { kind: 'static' } });
});
