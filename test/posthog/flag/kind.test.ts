/** Flags among the changes of a plan: which limits count them, what is read for each, and what a plan leaves out of them. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { FlagChange } from '../../../src/posthog/flag/change.ts';
import { FLAG } from '../../../src/posthog/flag/kind.ts';
import { snapshotCohorts } from '../../../src/posthog/cohort/cohort.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import { declared, dependsOn, retired } from '../../helpers/states.ts';

const COMMON = { resource: 'flag', ref: 'flag:a', key: 'a', fields: [], needs: [], body: {} };
/** A change with what a test says of it. */
const change = (given: object): FlagChange => ({ ...COMMON, ...given }) as unknown as FlagChange;
const base = (flag: JsonObject, former: JsonObject = {}): object => ({ base: { version: 1, flag, former } });

describe('limits count', () => {
  test.each<[string, object, readonly string[]]>([
    ['no create', { action: 'create', body: { active: false } }, []],
    ['no restore', { action: 'restore' }, []],
    ['a delete', { action: 'delete', reason: 'retired' }, ['delete']],
    ['a prune as a delete, too', { action: 'delete', reason: 'pruned' }, ['delete', 'prune']],
    ['an update', { action: 'update', body: { name: 'x' } }, ['update']],
    ['a disable', { action: 'update', body: { active: false }, ...base({ active: true }) }, ['update', 'disable']],
    ['a rename', { action: 'update', body: { key: 'b' } }, ['update', 'rename']],
    ['the second part of an update once', { action: 'update', ref: 'flag_active:a', body: { key: 'b' } }, ['rename']],
  ])('%s', (_, given, effects) => {
    expect(FLAG.effects(change(given))).toEqual(effects);
  });
});

describe('right before a change is applied', () => {
  const keysOf = (given: object): unknown =>
    FLAG.reads.toApply(change(given), { liveKey: (key) => `live ${key}`, created: new Set(['made']) }).flags;

  test('the flag is read, by its id too where the list leaves it out', () => {
    expect(keysOf({ action: 'create' })).toEqual({ keys: [], ids: [] });
    expect(keysOf({ action: 'update', id: 7 })).toEqual({ keys: ['live a'], ids: [] });
    expect(keysOf({ action: 'delete', id: 7 })).toEqual({ keys: ['live a'], ids: [7] });
    expect(keysOf({ action: 'restore', id: 7 })).toEqual({ keys: ['live a'], ids: [7] });
  });

  test('so are the flags that its conditions name, except those that the plan makes', () => {
    expect(keysOf({ action: 'create', body: { filters: dependsOn('b') } })).toEqual({ keys: ['live b'], ids: [] });
    expect(keysOf({ action: 'create', body: { filters: dependsOn('made') } })).toEqual({ keys: [], ids: [] });
  });
});

test('to plan a flag, its names are read, and the flags that its conditions name', () => {
  const wanted = declared('a', { filters: dependsOn('b') }, { previousKeys: ['old'] });
  expect(FLAG.reads.toPlan(wanted)).toEqual({ flags: { keys: ['a', 'old', 'b'] } });
  expect(FLAG.reads.toPlan(retired('a'))).toEqual({ flags: { keys: ['a'] } });
});

test('to undo a change, the flag is read by what the service answered, with what it depended on', () => {
  const former = base({}, { filters: dependsOn('b') });
  const read = (given: object, answered?: number): unknown => FLAG.reads.toUndo(change(given), answered).flags;
  expect(read({ action: 'create' })).toEqual({ keys: ['a'], ids: [] });
  expect(read({ action: 'create' }, 9)).toEqual({ keys: ['a'], ids: [9] });
  expect(read({ action: 'update', id: 7, ...former }, 9)).toEqual({ keys: ['a', 'b'], ids: [7] });
});

test('what a plan cannot write is left out of it: a flag, some fields, or what the service does not support', () => {
  const parts = (warning: object): unknown => FLAG.findUnwritableParts({ key: 'a', ...warning } as never);
  expect(parts({ code: 'create_opaque' })).toEqual([{ key: 'a', isOutOfPlan: true }]);
  expect(parts({ code: 'not_enabled' })).toEqual([{ key: 'a', fields: ['active'], isOutOfPlan: true }]);
  expect(parts({ code: 'field_unsupported', field: 'tags' })).toEqual([{ key: 'a', fields: ['tags'] }]);
  expect(parts({ code: 'filters_opaque', omitted: ['filters'] })).toEqual([
    { key: 'a', fields: ['filters'], isOutOfPlan: true },
  ]);
  expect(parts({ code: 'filters_opaque', omitted: [] })).toEqual([]);
  expect(parts({ code: 'cannot_edit', omitted: ['filters'] })).toEqual([]);
});

test('a flag depends on the flags and cohorts that its conditions name, and on no unknown id', () => {
  const of = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });
  const groups = [{ properties: [of('beta'), of(7), of(8)] }, ...(dependsOn('b')['groups'] as JsonObject[])];
  const wanted = declared('a', { filters: { groups } });
  const cohorts = snapshotCohorts([], new Map([['seven', 7]]));
  const snapshot = { ...takeSnapshot({ flags: [], roleAccess: {} }), cohorts };
  expect(FLAG.dependencies?.(wanted, snapshot)).toEqual(['b', 'cohort:beta', 'cohort:seven']);
  expect(FLAG.dependencies?.(wanted)).toEqual(['b', 'cohort:beta']);
  expect(FLAG.dependencies?.(retired('a'))).toEqual([]);
});

test('only changes that may touch dependencies are ordered by them', () => {
  const snapshot = takeSnapshot({ flags: [], roleAccess: {} });
  const isOrdered = (given: object): boolean => FLAG.findNeeds?.([change(given)], snapshot, new Set()).size === 1;
  const depending = { body: { filters: dependsOn('b') } };
  expect(isOrdered({ action: 'create', ...depending })).toBe(true);
  expect(isOrdered({ action: 'create', body: { filters: { groups: [] } } })).toBe(false);
  expect(isOrdered({ action: 'restore', ...base({ filters: dependsOn('b') }) })).toBe(true);
  expect(isOrdered({ action: 'delete', ...depending, ...base({ filters: dependsOn('b') }) })).toBe(false);
  expect(isOrdered({ resource: 'cohort', action: 'create', ...depending })).toBe(false);
});

test('a change has the live key of its flag, and a create that of the manifest', () => {
  const keyOf = (given: object): unknown => FLAG.liveKey?.(change(given));
  expect(keyOf({ action: 'create' })).toBe('a');
  expect(keyOf({ action: 'update', ...base({ key: 'old' }) })).toBe('old');
  expect(keyOf({ action: 'update', ...base({}) })).toBe('a');
});

test('encrypted payloads are hidden where the flag was or becomes one with secrets', () => {
  const filters = { groups: [], payloads: { true: '"secret"' } };
  const hidden = (given: object): boolean => {
    const text = JSON.stringify(FLAG.hideSecrets?.(change({ ...given })));
    return !text.includes('secret');
  };
  const body = { filters };
  const isSecret = { has_encrypted_payloads: true };
  expect(hidden({ action: 'create', body })).toBe(false);
  expect(hidden({ action: 'create', body: { ...body, ...isSecret } })).toBe(true);
  expect(hidden({ action: 'update', body, ...base(isSecret) })).toBe(true);
  expect(hidden({ action: 'update', body, ...base({}) })).toBe(false);
});

test('a change under new keys has them wherever it names flags', () => {
  const filters = dependsOn('b');
  const renamed = FLAG.rename?.(
    change({ action: 'update', body: { filters }, ...base({ filters }, { filters }) }),
    (key) => `${key} new`,
  );
  const expected = dependsOn('b new');
  expect(renamed).toMatchObject({
    body: { filters: expected },
    base: { version: 1, flag: { filters: expected }, former: { filters: expected } },
  });
  expect(FLAG.rename?.(change({ action: 'create', body: { filters } }), (key) => `${key} new`)).toEqual(
    change({ action: 'create', body: { filters: expected } }),
  );
});

test('a change without fields is one part, with what made it', () => {
  const field = { path: '/active', before: false, after: true };
  expect(FLAG.parts?.(change({ fields: [field] }))).toEqual([field]);
  expect(FLAG.parts?.(change({}))).toEqual([{ path: '' }]);
  expect(FLAG.parts?.(change({ divergence: 'drifted' }))).toEqual([{ path: '', divergence: 'drifted' }]);
});
