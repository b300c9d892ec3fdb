/** Which live cohort each declared one is: what tells two of them apart, and what is never guessed. */

import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Trace } from '../../../src/core/engine/trace.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import {
  aliasesOf,
  createFinder,
  findRetiredCohorts,
  matchAllCohorts,
  matchCohorts,
} from '../../../src/posthog/cohort/match.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';

const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const PRO = tree({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' });
const on = (value: string | number): JsonObject => tree({ type: 'cohort', value });

type Cohorts = Readonly<Record<string, JsonObject>>;

function declared(cohorts: Cohorts, ids: Readonly<Record<string, number>> = {}): DesiredState {
  const whole = Object.entries(cohorts).map(([alias, one]) => [
    alias,
    one['deleted'] === true ? one : { filters: PRO, ...one },
  ]);
  return desiredOf({ flags: {}, cohorts: Object.fromEntries(whole) }, ids);
}

const former = (key: string, id: number, evidence: 'recorded' | 'logged'): Trace => ({
  kind: 'former',
  key,
  id,
  evidence,
});

/** `alias: id` of those that are found. */
function found(
  desired: DesiredState,
  live: readonly Cohort[],
  { traces = [], base }: { readonly traces?: readonly Trace[]; readonly base?: DesiredState } = {},
): Record<string, unknown> {
  const { pairs } = matchCohorts(desired, { cohorts: live, traces: { cohorts: traces } }, base && (base.cohorts ?? []));
  return Object.fromEntries(pairs.map(({ desired: { key }, live: one }) => [key, one?.id]));
}

test.each<[string, Cohorts, readonly Cohort[], Record<string, unknown>]>([
  ['by their names, trimmed', { a: { name: ' A ' }, b: {} }, [cohort(1, 'b '), cohort(2, 'A')], { a: 2, b: 1 }],
  ['by a former name', { a: { name: 'New', previous_names: [' Old '] } }, [cohort(1, ' Old')], { a: 1 }],
  [
    'by the current name rather than a former one',
    { a: { name: 'New', previous_names: ['Old'] } },
    [cohort(1, 'Old'), cohort(2, 'New')],
    { a: 2 },
  ],
  ['not by the name of a deleted one', { a: {} }, [cohort(1, 'a', { deleted: true })], { a: undefined }],
  ['by the one in use of two', { a: {} }, [cohort(1, 'a', { deleted: true }), cohort(2, 'a')], { a: 2 }],
  ['not without a name', { a: {} }, [cohort(1, '', { name: null })], { a: undefined }],
])('cohorts are found %s', (_what, cohorts, live, expected) => {
  expect(found(declared(cohorts), live)).toEqual(expected);
});

test('a cohort with a configured id is found by it alone, whatever its name and whether it is deleted', () => {
  const desired = declared({ a: { name: 'A' }, b: { name: 'B' } }, { a: 7, b: 8 });
  const live = [cohort(7, 'Other'), cohort(8, 'B', { deleted: true }), cohort(9, 'A')];
  expect(found(desired, live)).toEqual({ a: 7, b: 8 });
});

describe('a cohort that has another name now', () => {
  const renamed = [cohort(7, 'By hand', { filters: PRO })];

  test('is known to a run that recorded it, and to the log only where it is as declared', () => {
    const desired = declared({ a: {} });
    expect(found(desired, renamed, { traces: [former('a', 7, 'logged')] })).toEqual({ a: 7 });
    const edited = [cohort(7, 'By hand', { filters: on(3) })];
    expect(found(desired, edited, { traces: [former('a', 7, 'logged')] })).toEqual({ a: undefined });
    expect(found(desired, edited, { traces: [former('a', 7, 'recorded')] })).toEqual({ a: 7 });
  });

  test('is as declared where it names another cohort, by the id of that one', () => {
    const desired = declared({ inner: {}, a: { filters: on('inner') } });
    const live = (id: number): readonly Cohort[] => [cohort(3, 'inner'), cohort(7, 'By hand', { filters: on(id) })];
    expect(found(desired, live(3), { traces: [former('a', 7, 'logged')] })).toEqual({ inner: 3, a: 7 });
    expect(found(desired, live(4), { traces: [former('a', 7, 'logged')] })).toEqual({ inner: 3, a: undefined });
  });

  test('is not deleted for what a log says', () => {
    const desired = declared({ a: { deleted: true } });
    expect(found(desired, renamed, { traces: [former('a', 7, 'logged')] })).toEqual({ a: undefined });
  });

  test('may have the declared name of a cohort that is known by its id, which needs none', () => {
    const desired = declared({ a: { name: 'A' }, b: {} }, { a: 5 });
    const live = [cohort(5, 'X'), cohort(7, 'A', { filters: PRO })];
    expect(found(desired, live, { traces: [former('b', 7, 'logged')] })).toEqual({ a: 5, b: 7 });
    const byName = declared({ a: { name: 'A' }, b: {} });
    expect(found(byName, live, { traces: [former('b', 7, 'logged')] })).toEqual({ a: 7, b: undefined });
  });

  test('is not looked for where the configuration gives an id', () => {
    const desired = declared({ a: { deleted: true } }, { a: 5 });
    expect(found(desired, renamed, { traces: [former('a', 7, 'recorded')] })).toEqual({ a: undefined });
  });
});

describe('what the base declared', () => {
  test('says which cohort an alias meant, by id where it is live, and by its current alias where not', () => {
    const base = declared({ kept: { name: 'Kept' }, moved: { name: 'Was' }, gone: { name: 'Gone' }, lost: {} });
    const desired = declared({ kept: { name: 'Kept' }, moved: { name: 'New' }, lost: {} });
    const live = [cohort(1, 'Kept'), cohort(2, 'Was'), cohort(3, 'Gone')];
    const { formerReferences } = matchCohorts(desired, { cohorts: live }, base.cohorts);
    expect(Object.fromEntries(formerReferences ?? [])).toEqual({ kept: 1, moved: 2, gone: 3, lost: 'lost' });
    expect(matchCohorts(desired, { cohorts: live }).formerReferences).toBeUndefined();
  });

  test('names other cohorts by what they are now', () => {
    const cohorts = { inner: {}, other: {}, outer: { filters: on('inner') } };
    const live = [cohort(1, 'inner'), cohort(2, 'outer', { filters: on(1) })];
    const { pairs } = matchCohorts(declared(cohorts), { cohorts: live }, declared(cohorts).cohorts);
    const outer = pairs.find(({ desired }) => desired.key === 'outer');
    expect([outer?.base, outer?.live?.key]).toMatchObject([{ fields: { filters: on(1) } }, 'outer']);
  });

  test('is released where it is live and no declaration continues it, each cohort once', () => {
    const base = declared({ a: { name: 'A' }, b: { name: 'B' }, c: { name: 'C' }, d: { name: 'D' } });
    const live = [cohort(1, 'A'), cohort(2, 'B'), cohort(3, 'C', { deleted: true }), cohort(4, 'D')];
    const { released } = matchCohorts(
      declared({ second: { name: 'B' }, d: { name: 'D' } }),
      { cohorts: live },
      base.cohorts,
    );
    expect(released.map(({ id, key }) => [id, key])).toEqual([[1, 'a']]);
  });
});

const problemsOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (error instanceof FlagwrightError && error.code === 'manifest_invalid') {
      return error.diagnostics?.map(({ code, args, place }) => [code, args, place?.line]);
    }
    throw error;
  }
  return [];
};

test('an id that the project lacks is refused, but for a cohort that is to be deleted', () => {
  const live = { cohorts: [cohort(7, 'A')] };
  const desired = declared({ a: {}, b: {}, c: { deleted: true } }, { a: 7, b: 8, c: 9 });
  expect(problemsOf(() => matchCohorts(desired, live))).toEqual([['cohort-missing', { alias: 'b', id: 8 }, 1]]);
  expect(found(declared({ c: { deleted: true } }, { c: 9 }), live.cohorts)).toEqual({ c: undefined });
});

test('a name that several cohorts have is refused only where each alias must mean one', () => {
  const live = { cohorts: [cohort(9, 'A'), cohort(7, 'A'), cohort(8, 'A', { deleted: true }), cohort(6, 'B')] };
  const desired = declared({ a: { name: 'A' }, b: { name: 'B' } });
  expect(problemsOf(() => matchAllCohorts(desired, live))).toEqual([
    ['cohort-ambiguous', { alias: 'a', name: 'A', ids: [7, 9] }, 1],
  ]);
  const matches = matchCohorts(desired, live);
  expect(matches.shared.map(({ desired: one, ids }) => [one.key, ids])).toEqual([['a', [7, 9]]]);
  expect(Object.fromEntries(aliasesOf(matches))).toEqual({ b: 6 });
  expect(Object.fromEntries(aliasesOf(matchAllCohorts(declared({ b: { name: 'B' }, n: {} }), live)))).toEqual({ b: 6 });
});

test('the cohorts that a declaration may mean are all with its name, or the one with its id', () => {
  const find = createFinder([cohort(9, 'A'), cohort(7, ' A'), cohort(6, 'B'), cohort(5, 'A', { deleted: true })]);
  const idsOf = (desired: DesiredState): unknown => desired.cohorts?.map((one) => find(one).map(({ id }) => id));
  expect(idsOf(declared({ a: { name: 'A' }, c: { name: 'C', previous_names: ['B'] }, none: {} }))).toEqual([
    [7, 9],
    [6],
    [],
  ]);
  expect(idsOf(declared({ a: { name: 'B' } }, { a: 9 }))).toEqual([[9]]);
});

describe('a deleted cohort is looked for under other names', () => {
  const base = declared({ a: { name: 'A', previous_names: ['Old'] }, b: {}, fixed: {} });
  const gone = (more: JsonObject = {}, ids = {}): DesiredState => declared({ a: { deleted: true, ...more } }, ids);
  const soughtIn = (desired: DesiredState, live: readonly Cohort[] | undefined, of: DesiredState = base): unknown =>
    findRetiredCohorts(desired, of, { flags: [], roleAccess: {}, ...(live && { cohorts: live }) });

  test('with every name that it had', () => {
    expect(soughtIn(gone({ name: 'X' }), [cohort(1, 'Other')])).toEqual([{ key: 'a', names: ['X', 'A', 'Old'] }]);
  });

  test.each<[string, DesiredState, readonly Cohort[] | undefined, DesiredState?]>([
    ['it is live under its name', gone({ name: 'A' }), [cohort(1, 'A')]],
    ['it is live under the name that the base declared', gone(), [cohort(1, 'A')]],
    ['it is live under a former name', gone(), [cohort(1, 'Old')]],
    ['cohorts were not read', gone(), undefined],
    ['it has an id', gone({}, { a: 7 }), []],
    ['the base did not declare it', declared({ c: { deleted: true } }), []],
    ['the base deleted it, too', gone(), [], gone()],
    ['it is not deleted', declared({ a: { name: 'A' } }), []],
  ])('not where %s', (_what, desired, live, of) => {
    expect(soughtIn(desired, live, of)).toEqual([]);
  });
});
