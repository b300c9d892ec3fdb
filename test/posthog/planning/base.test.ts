/** What the base says of resources that earlier applies left, and of declared ones that are not live. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { areNoneMissing, findMissingRetired, withEarlier, withTraced } from '../../../src/posthog/planning/base.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { cohort as liveCohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, liveState } from '../../helpers/states.ts';

const FILTERS = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
const cohort = (name: string, description = ''): JsonObject => ({ name, description, filters: FILTERS });

const namesIn = ({ flags, cohorts }: DesiredState): unknown => ({
  flags: flags.map(({ key }) => key),
  cohorts: cohorts?.map(({ key }) => key),
});

test.each<[string, JsonObject, string, unknown]>([
  ['one of two flags', { flags: { a: {}, b: {} } }, 'a', { flags: ['b'], cohorts: undefined }],
  [
    'one of two cohorts',
    { flags: {}, cohorts: { a: cohort('A'), b: cohort('B') } },
    'cohort:a',
    { flags: [], cohorts: ['b'] },
  ],
  ['the only cohort', { flags: { a: {} }, cohorts: { a: cohort('A') } }, 'cohort:a', { flags: ['a'], cohorts: [] }],
])('the base does not have %s that no apply ever made', (_name, declared, key, expected) => {
  expect(namesIn(withEarlier(desiredOf(declared), [{ key }]))).toEqual(expected);
});

test('a field that an earlier apply left is as it was then, of each resource for itself', () => {
  const then = desiredOf({ flags: { a: { description: 'then' } }, cohorts: { a: cohort('A', 'then') } });
  const later = desiredOf({ flags: { a: { description: 'later' } }, cohorts: { a: cohort('New', 'later') } });
  const { flags, cohorts } = withEarlier(later, [
    { key: 'a', fields: ['name'], desired: then },
    { key: 'cohort:a', fields: ['description'], desired: then },
  ]);
  expect(flags).toMatchObject([{ key: 'a', fields: { name: 'then' } }]);
  expect(cohorts).toMatchObject([{ key: 'a', fields: { name: 'New', description: 'then' } }]);
});

test('a kind of which the base declares nothing stays without declarations', () => {
  const base = withEarlier(desiredOf({ flags: { a: {} } }), [{ key: 'cohort:a' }, { key: 'early_access:a' }]);
  expect(base).not.toHaveProperty('cohorts');
  expect(base).not.toHaveProperty('early_access');
});

describe('a resource that an earlier apply left', () => {
  const then = desiredOf({ flags: { old: { description: 'then' } } });
  const renamed = { previous_keys: ['old'], description: 'later' };
  const base = (flags: JsonObject, fields?: readonly string[]) =>
    withEarlier(desiredOf({ flags }), [{ key: 'new', desired: then, ...(fields && { fields }) }]).flags.map((one) => [
      one.key,
      one.kind === 'declared' ? one.fields : one.kind,
    ]);

  test('has its former key as a whole, and its new one where only fields were left', () => {
    expect(base({ new: renamed })).toEqual([['old', { name: 'then' }]]);
    expect(base({ new: renamed }, ['name'])).toEqual([['new', { name: 'then' }]]);
  });

  test('is as it was applied then where the base no longer declares it', () => {
    const { flags } = withEarlier(desiredOf({ flags: { a: {} } }), [{ key: 'old', desired: then }]);
    expect(flags).toMatchObject([{ key: 'a' }, { key: 'old', fields: { name: 'then' } }]);
  });

  test('is none where another resource has its former key', () => {
    const later = desiredState(declared('new', {}, { previousKeys: ['old'] }), declared('old', { name: 'other' }));
    expect(withEarlier(later, [{ key: 'new', desired: then }]).flags).toMatchObject([
      { key: 'old', fields: { name: 'other' } },
    ]);
  });
});

describe('a deleted resource is missing', () => {
  const kept = desiredOf({ flags: { a: {}, b: {} }, cohorts: { c: cohort('C') } });
  const gone = desiredOf({
    flags: { a: { deleted: true }, b: { deleted: true }, never: { deleted: true } },
    cohorts: { c: { name: 'C', deleted: true } },
  });
  const live = { ...liveState([liveFlag(1, 'b')]), cohorts: [] };

  test('where the base declared it and nothing live has its name', () => {
    const missing = findMissingRetired(
      gone,
      { facts: { kind: 'none', reason: { code: 'not_recorded' } }, desired: kept },
      live,
    );
    expect(missing).toMatchObject({ flags: [{ key: 'a' }], cohorts: [{ key: 'c' }], early_access: [] });
    expect(areNoneMissing(missing)).toBe(false);
    expect(areNoneMissing({ ...missing, flags: [] })).toBe(false);
  });

  test('where nothing is known about the base, never', () => {
    for (const base of [undefined, { facts: { kind: 'none', reason: { code: 'not_recorded' } } } as const]) {
      const missing = findMissingRetired(gone, base, live);
      expect(missing).toEqual({ flags: [], cohorts: [], early_access: [] });
      expect(areNoneMissing(missing)).toBe(true);
    }
  });
});

describe('live state with traces', () => {
  const live = liveState([liveFlag(1, 'a')]);
  const trace = (key: string) =>
    ({ key, id: 2 }) as unknown as NonNullable<NonNullable<typeof live.traces>['flags']>[number];

  test('has the resources that were found, and every trace', () => {
    const first = withTraced(live, { section: 'flags', traces: [trace('b')], found: [liveFlag(2, 'b')] });
    const second = withTraced(first, { section: 'flags', traces: [trace('c')], found: [] });
    const third = withTraced(second, { section: 'cohorts', traces: [trace('d')], found: [] });
    expect(third.flags.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(third.traces).toEqual({ flags: [trace('b'), trace('c')], cohorts: [trace('d')] });
  });

  test('has no traces where none was found, and no family that was not read', () => {
    expect(withTraced(live, { section: 'flags', traces: [], found: [] })).toEqual(live);
    expect(withTraced(live, { section: 'cohorts', traces: [], found: [liveCohort(3, 'C')] })).toEqual(live);
  });
});
