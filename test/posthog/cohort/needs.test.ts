/** The order between cohorts and what uses them: which changes of a plan wait for which others. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { allOf, cohort, desiredOf, onPlan } from '../../helpers/cohorts.ts';
import { liveFlag, planFor } from '../../helpers/states.ts';

const on = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });
const EVENTS = { type: 'behavioral', key: 'paid', value: 'performed_event', event_type: 'events' };
const using = (...properties: JsonObject[]): JsonObject => ({ filters: { groups: [{ properties }] } });

/** Live: flags `a` on 7, `b` on 8 and 7, `off` on 7; cohorts 7 (inner), 8 (outer, on 7). */
const LIVE = {
  flags: [liveFlag(1, 'a', using(on(7))), liveFlag(2, 'b', using(on(8), on(7))), liveFlag(3, 'c', using(onPlan('x')))],
  roleAccess: {},
  cohorts: [cohort(7, 'inner', allOf(onPlan('pro'))), cohort(8, 'outer', allOf(on(7)))],
};

interface Declared {
  readonly flags?: JsonObject;
  readonly cohorts: JsonObject;
}

/** `change: what it waits for`, of changes that wait for something. */
function waitsIn({ flags = {}, cohorts }: Declared): Record<string, readonly string[]> {
  const { changes } = planFor(desiredOf({ flags, cohorts }), LIVE);
  return Object.fromEntries(
    changes.filter(({ needs }) => needs.length > 0).map(({ ref, needs }) => [ref, needs.toSorted()]),
  );
}

const NEW = { fresh: allOf(onPlan('new')) };
const INNER_GOES = { inner: { deleted: true }, outer: allOf(onPlan('pro')) };

test.each<[string, Declared, Record<string, readonly string[]>]>([
  [
    'a flag waits for the new cohort of its condition, and another flag does not',
    { cohorts: NEW, flags: { a: using(on('fresh')), c: using(onPlan('y')) } },
    { 'flag:a': ['cohort:fresh'] },
  ],
  [
    'a new flag waits for each cohort that it names',
    {
      cohorts: { ...NEW, second: allOf(onPlan('2')), third: allOf(onPlan('3')) },
      flags: { n: using(on('fresh'), on('third')) },
    },
    { 'flag:n': ['cohort:fresh', 'cohort:third'] },
  ],
  [
    'a flag waits for a cohort that is changed, but not for its use elsewhere',
    { cohorts: { inner: allOf(onPlan('y')) }, flags: { c: using(on('inner')), a: { description: 'New' } } },
    { 'flag:c': ['cohort:inner'] },
  ],
  [
    'a cohort waits for the new one that it names',
    { cohorts: { ...NEW, outer: allOf(on('fresh')) } },
    { 'cohort:outer': ['cohort:fresh'] },
  ],
  [
    'a delete waits for all that no longer name the cohort',
    { cohorts: INNER_GOES, flags: { a: using(onPlan('z')), b: using(on('outer')) } },
    { 'flag:b': ['cohort:outer'], 'cohort:inner': ['cohort:outer', 'flag:a', 'flag:b'] },
  ],
  [
    'a delete waits for a flag that is disabled or deleted, and not for one that is only described',
    { cohorts: INNER_GOES, flags: { a: { active: false }, b: { deleted: true }, c: { description: 'New' } } },
    { 'cohort:inner': ['cohort:outer', 'flag:a', 'flag:b'] },
  ],
  [
    'a flag that keeps its condition lets nothing wait for it',
    { cohorts: INNER_GOES, flags: { a: { description: 'New' }, b: { deleted: true } } },
    { 'cohort:inner': ['cohort:outer', 'flag:b'] },
  ],
  [
    'a flag that gets a condition on a cohort that goes, which is refused anyway, does not wait for it',
    { cohorts: { inner: { deleted: true } }, flags: { c: using(on(7)) } },
    {},
  ],
  [
    'a definition that begins to depend on events waits until nobody uses it, and another one does not',
    { cohorts: { inner: allOf(EVENTS), outer: allOf(on('inner'), onPlan('p')) }, flags: { a: using(onPlan('z')) } },
    { 'cohort:outer': ['cohort:inner'], 'cohort:inner': ['flag:a'] },
  ],
  [
    'any other definition waits for nobody',
    { cohorts: { inner: allOf(onPlan('other')) }, flags: { a: using(onPlan('z')) } },
    {},
  ],
  ['without a change of a cohort, nothing waits', { cohorts: {}, flags: { a: using(onPlan('z')) } }, {}],
])('%s', (_what, declared, expected) => {
  expect(waitsIn(declared)).toEqual(expected);
});
