/** Cohorts among the changes of a plan: which limits count them, and what a delete leaves. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORT } from '../../../src/posthog/cohort/kind.ts';
import type { CohortChange } from '../../../src/posthog/cohort/change.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { snapshotCohorts } from '../../../src/posthog/cohort/cohort.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import { cohort, desiredOf, onPlan } from '../../helpers/cohorts.ts';
import { liveFlag, planFor, planOptions } from '../../helpers/states.ts';

const on = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });
const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const using = (...properties: JsonObject[]): JsonObject => ({ filters: { groups: [{ properties }] } });
const GONE = { name: 'Beta', deleted: true };
const LIVE = {
  flags: [liveFlag(1, 'a', using(on(7)))],
  roleAccess: {},
  cohorts: [cohort(7, 'Beta', { filters: tree(onPlan('pro')) }), cohort(8, 'Outer', { filters: tree(on(7)) })],
};

const planOf = (manifest: JsonObject, limits: object = {}): Plan =>
  buildPlan(desiredOf({ flags: {}, ...manifest }), LIVE, { ...planOptions(), ...limits });
const codes = ({ hazards }: Plan): string[] => hazards.map(({ code }) => code).sort();

test.each<[CohortChange['action'], readonly string[]]>([
  ['create', []],
  ['restore', []],
  ['update', ['update']],
  ['delete', ['delete']],
])('limits count a change that would %s a cohort as %j', (action, effects) => {
  expect(COHORT.effects({ action } as CohortChange)).toEqual(effects);
});

test('a delete of a cohort counts for the limit of deletes, and an update does not', () => {
  const limits = { limits: { deletes: 0, deletes_percent: 100, updates_percent: 100, disables: 5 } };
  const outer = { name: 'Outer', deleted: true };
  expect(codes(planOf({ cohorts: { outer } }, limits))).toEqual(['deletes']);
  expect(
    codes(planOf({ cohorts: { outer: { ...outer, deleted: false, filters: tree(onPlan('x')) } } }, limits)),
  ).toEqual([]);
});

describe('a delete of a cohort', () => {
  const outer = { name: 'Outer', deleted: true };
  const without = using(onPlan('beta'));
  test.each<[string, JsonObject, readonly string[]]>([
    ['is refused where a flag and a cohort use it', { cohorts: { beta: GONE } }, ['cohort_used']],
    ['is refused where a flag is left', { cohorts: { beta: GONE, outer } }, ['cohort_used']],
    [
      'is refused where a cohort is left',
      { cohorts: { beta: GONE }, flags: { a: { deleted: true } } },
      ['cohort_used'],
    ],
    ['harms nobody where both go, too', { cohorts: { beta: GONE, outer }, flags: { a: { deleted: true } } }, []],
    ['harms nobody where the flag no longer names it', { cohorts: { beta: GONE, outer }, flags: { a: without } }, []],
  ])('%s', (_what, manifest, expected) => {
    expect(codes(planOf(manifest))).toEqual(expected);
  });

  test('of a list that is deleted already is no change, and gives no warning', () => {
    const cohorts = [cohort(7, 'Beta', { is_static: true, deleted: true })];
    const { changes, warnings } = planFor(desiredOf({ flags: {}, cohorts: { beta: { deleted: true } } }, { beta: 7 }), {
      flags: [],
      roleAccess: {},
      cohorts,
    });
    expect([changes, warnings]).toEqual([[], []]);
  });
});

test('a value that is the alias of a cohort names none where the condition is on something else', () => {
  // Checks that nothing is reported.
  expect(desiredOf({ flags: { a: using(onPlan('nobody'), { ...onPlan('beta'), key: 'id' }) } }).flags).toHaveLength(1);
});

test('a delete says that the manifests ask for it', () => {
  const { changes } = planOf({ cohorts: { outer: { name: 'Outer', deleted: true } } });
  expect(changes).toMatchObject([{ action: 'delete', reason: 'retired', fields: [{ path: '/deleted', after: true }] }]);
});

test('the summary of a plan counts each action on cohorts', () => {
  const live = { ...LIVE, cohorts: [...LIVE.cohorts, cohort(9, 'Gone', { deleted: true }), cohort(10, 'Last')] };
  const cohorts = {
    fresh: { filters: tree(onPlan('a')) },
    second: { filters: tree(onPlan('b')) },
    outer: { name: 'Outer', filters: tree(onPlan('c')) },
    back: { name: 'Gone', filters: tree(onPlan('d')) },
    last: { name: 'Last', deleted: true },
  };
  const { summary } = planFor(desiredOf({ flags: {}, cohorts }, { back: 9 }), live);
  expect(summary).toMatchObject({ create: 2, update: 1, restore: 1, delete: 1 });
});

test('a cohort depends on each that its definition names, by alias, and on no unknown id', () => {
  const snapshot = takeSnapshot({ flags: [], roleAccess: {}, cohorts: [] });
  const cohorts = snapshotCohorts([], new Map([['seven', 7]]));
  const definition = tree(on('b'), on(7), on(8), onPlan('c'));
  const [a] = desiredOf({ cohorts: { a: { filters: definition }, b: { filters: tree() } } }).cohorts ?? [];
  if (a === undefined) throw new Error('declared');
  expect(COHORT.dependencies?.(a, { ...snapshot, cohorts })).toEqual(['cohort:b', 'cohort:seven']);
  expect(COHORT.dependencies?.(a)).toEqual(['cohort:b']);
  const [gone] = desiredOf({ flags: {}, cohorts: { a: { deleted: true } } }).cohorts ?? [];
  expect(gone && COHORT.dependencies?.(gone)).toEqual([]);
});

test('a list of people, and each that is held back with a shared name, counts as not planned', () => {
  const parts = (warning: object): unknown => COHORT.findUnwritableParts(warning as never);
  expect(parts({ code: 'cohort_static', key: 'cohort:a', id: 1 })).toEqual([{ key: 'cohort:a', isOutOfPlan: true }]);
  expect(parts({ code: 'cohort_name_shared', key: 'cohort:a', held: ['b', 'cohort:c'] })).toEqual(
    ['cohort:a', 'b', 'cohort:c'].map((key) => ({ key, isOutOfPlan: true })),
  );
  expect(parts({ code: 'cohort_renamed', key: 'cohort:a', id: 1 })).toEqual([]);
});

test('the definition of a change has what is there before and after it', () => {
  const base = { cohort: { name: 'A', description: 'D' }, former: {} };
  const common = { resource: 'cohort', ref: 'cohort:a', key: 'a', fields: [], needs: [] };
  const definitionOf = (change: object): unknown =>
    COHORT.definition?.({ ...common, ...change } as unknown as CohortChange);
  expect(definitionOf({ action: 'create', body: { name: ' A ' } })).toEqual({ after: { name: 'A' } });
  expect(definitionOf({ action: 'update', id: 7, body: { name: 'B' }, base })).toEqual({
    before: base.cohort,
    after: { name: 'B', description: 'D' },
  });
  expect(definitionOf({ action: 'delete', id: 7, body: { deleted: true }, base })).toEqual({ before: base.cohort });
});

test('a cohort with an id is read by it, since the list leaves out deleted ones', () => {
  const { reads } = COHORT;
  const wanted = desiredOf({ cohorts: { a: { filters: tree() }, b: { filters: tree() } } }, { b: 8 }).cohorts ?? [];
  const idsOf = (read: object): unknown => (read as { cohorts?: { ids: unknown } }).cohorts?.ids;
  expect(wanted.map((one) => idsOf(reads.toPlan(one)))).toEqual([[], [8]]);
  const [create, update] = [{ action: 'create' }, { action: 'update', id: 7 }] as unknown as [
    CohortChange,
    CohortChange,
  ];
  expect([create, update].map((one) => idsOf(reads.toApply(one, {} as never)))).toEqual([[], [7]]);
  const undone = [reads.toUndo(create, undefined), reads.toUndo(create, 9), reads.toUndo(update, 9)];
  expect(undone.map(idsOf)).toEqual([[], [9], [7]]);
});
