/** Undo of some flags: their changes, and those of the flags that they depended on. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { limitRun } from '../../../src/loop/journal/undo.ts';
import type { Run } from '../../../src/loop/journal/read.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const ANY = { groups: [{ properties: [], rollout_percentage: 100 }] };
const APPLIED: Outcome = { outcome: 'applied', id: 9 };

const plan = planFor(
  desiredState(
    declared('top', { filters: ANY }),
    declared('middle', { filters: ANY, name: 'x' }),
    retired('base'),
    declared('other', { name: 'x' }, { roles: ['r'] }),
    declared('renamed', {}, { previousKeys: ['former'] }),
  ),
  liveState(
    [
      liveFlag(1, 'base'),
      liveFlag(2, 'middle', { filters: dependsOn('1') }),
      liveFlag(3, 'top', { filters: dependsOn('2') }),
      liveFlag(4, 'other'),
      liveFlag(5, 'former'),
    ],
    { '4': [] },
  ),
);
const outcomes = new Map(plan.changes.map(({ ref }) => [ref, APPLIED]));
const run: Run = { name: 'x', startedAt: 'T', plan, outcomes, applied: outcomes, sent: new Set() };
const refsOf = (targets: readonly string[]): string[] =>
  limitRun(run, targets)
    .run.plan.changes.map(({ ref }) => ref)
    .toSorted();

it.each<readonly [string, readonly string[], readonly string[]]>([
  ['a flag alone', ['base'], ['flag:base']],
  ['a flag with what it depended on', ['top'], ['flag:base', 'flag:middle', 'flag:top']],
  ['a flag with its role access', ['other'], ['flag:other', 'role_access:other:r']],
  ['a flag by its key from before the run', ['former'], ['flag:renamed']],
  ['flags by a glob', ['{o,r}*'], ['flag:other', 'flag:renamed', 'role_access:other:r']],
  ['nothing', ['nothing'], []],
])('the changes of %s', (_name, targets, refs) => {
  expect(refsOf(targets)).toEqual(refs);
});

it('targets that the run did not write are named, and so are the flags that it wrote', () => {
  const { unmatched, keys } = limitRun(run, ['top', 'nothing']);
  expect(unmatched).toEqual(['nothing']);
  expect(keys).toEqual(['base', 'former', 'middle', 'other', 'renamed', 'top']);
});

it('more targets never mean fewer changes, and all of them mean the whole run', () => {
  const all = limitRun(run, []).keys;
  holds(50, [fc.subarray([...all]), fc.subarray([...all])], (some, more) => {
    expect(refsOf([...some, ...more])).toEqual(expect.arrayContaining(refsOf(some)));
  });
  expect(refsOf(all)).toEqual(plan.changes.map(({ ref }) => ref).toSorted());
});

it('the changes of a flag come with those of the cohorts on which its conditions were, and of no other', () => {
  const definition = (value: string) => ({
    properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
  });
  const onCohort = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 7 }], rollout_percentage: 100 }] };
  const wanted = desiredOf({
    flags: { checkout: { rollout_percentage: 10 }, search: { rollout_percentage: 20 } },
    cohorts: {
      beta: { name: 'Beta', filters: definition('pro') },
      crew: { name: 'Crew', filters: definition('pro') },
    },
  });
  const live = {
    ...liveState([liveFlag(1, 'checkout', { filters: onCohort }), liveFlag(2, 'search')]),
    cohorts: [cohort(7, 'Beta', { filters: definition('free') }), cohort(8, 'Crew', { filters: definition('free') })],
  };
  const { changes, ...others } = planFor(wanted, live);
  const made = new Map(changes.map(({ ref }) => [ref, APPLIED]));
  const whole: Run = { ...run, plan: { ...others, changes }, outcomes: made, applied: made };
  const limited = (...targets: readonly string[]) => limitRun(whole, targets).run.plan.changes.map(({ ref }) => ref);
  expect(limited('checkout').toSorted()).toEqual(['cohort:beta', 'flag:checkout']);
  expect(limited('search')).toEqual(['flag:search']);
  expect(limited('cohort:crew')).toEqual(['cohort:crew']);
});
