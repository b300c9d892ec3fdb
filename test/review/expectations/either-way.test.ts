/** Which flags only the service can decide, for some people at least. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { KnownCohort } from '../../../src/evaluation/input.ts';
import { findOpenFlags } from '../../../src/review/expectations/either-way.ts';
import { flagWith } from '../../evaluation/support.ts';

const EVENT = { key: '$pageview', type: 'behavioral', value: 'performed_event' };
const PLAN = { key: 'plan', type: 'person', value: 'pro' };

function inCohort(value: number): JsonObject & { readonly key: string } {
  return { key: 'id', type: 'cohort', value };
}

function cohort(...values: readonly JsonObject[]): KnownCohort {
  return { kind: 'dynamic', properties: { type: 'AND', values } };
}

/** Cohort N refers twice to cohort N + 1; the last one has the leaf. */
function doubling(length: number, leaf: JsonObject): Record<string, KnownCohort> {
  const chain = Array.from({ length }, (_, id) => [id, cohort(inCohort(id + 1), inCohort(id + 1))] as const);
  return Object.fromEntries([...chain, [length, cohort(leaf)]]);
}

describe('a flag on a cohort', () => {
  const flag = flagWith({ groups: [{ properties: [inCohort(0)] }] });
  it.each<[name: string, cohorts: Record<string, KnownCohort>, open: boolean]>([
    ['of properties', { 0: cohort(PLAN) }, false],
    ['of events', { 0: cohort(PLAN, EVENT) }, true],
    ['that is a list', { 0: { kind: 'static' } }, false],
    ['without a definition', {}, false],
    ['in a circle', { 0: cohort(inCohort(1)), 1: cohort(inCohort(0)) }, false],
    ['in a circle with events', { 0: cohort(inCohort(1)), 1: cohort(inCohort(0), EVENT) }, true],
    ['with many ways to properties', doubling(60, PLAN), false],
    ['with many ways to events', doubling(60, EVENT), true],
  ])('%s', (_, cohorts, open) => {
    expect([...findOpenFlags({ flags: [flag], cohorts }).keys()]).toEqual(open ? [flag.key] : []);
  });
});
