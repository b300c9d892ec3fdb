/** What counts as moved since the plan, for each field and each change of a flag. */

import { describe, expect, it, test } from 'vitest';
import { openRun } from '../../../src/posthog/run-state.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { FLAG_FIELDS } from '../../../src/posthog/flag/model/fields.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { findMovedFields } from '../../../src/posthog/flag/write.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import type { Change, FieldChange, UpdateFlag } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const noNames = { keyOf: (): undefined => undefined };

/** The update of flag 1 that the declared fields ask for. */
function updateOf(fields: JsonObject, live: Flag): UpdateFlag {
  const plan = planFor(desiredState(declared('a', fields)), liveState([live]));
  return plan.changes[0] as UpdateFlag;
}

function movedSince(change: Change, live: LiveState): readonly FieldChange[] {
  const standing = kindFor(change).writer.inspect(change, openRun(live, [change], { resumed: false }));
  return standing.kind === 'moved' ? standing.moved : [];
}

const pathsOf = (moved: readonly FieldChange[]): string[] => moved.map(({ path }) => path);

it('a base that an earlier release saved in another form has not moved', () => {
  const filters = (property: JsonObject): JsonObject => ({ groups: [{ properties: [property] }] });
  const plan = { key: 'plan', value: 'pro' };
  const complete = { ...plan, type: 'person', operator: 'exact' };
  const { base } = updateOf({ name: 'wanted' }, liveFlag(1, 'a', { filters: filters(complete) }));
  const earlier = { ...base, flag: { ...base.flag, filters: filters(plan) } };
  const moved = (property: JsonObject): string[] =>
    pathsOf(findMovedFields({ base: earlier }, liveFlag(1, 'a', { filters: filters(property) }), noNames));
  expect([moved(plan), moved(complete)]).toEqual([[], []]);
  expect(moved({ ...complete, operator: 'is_not' })).toEqual(['/filters/groups/0/properties/0/operator']);
});

/** A value that differs from the default of the field. */
const OTHER: Readonly<Record<string, JsonValue>> = {
  filters: { groups: [{ rollout_percentage: 3 }] },
  active: false,
  deleted: true,
  archived: true,
  created_at: '2001-01-01T00:00:00Z',
};

describe('a field that moves between plan and apply', () => {
  const owned = (ownership: string): string[] =>
    FLAG_FIELDS.filter((field) => field.ownership === ownership).map(({ api }) => api);

  it.each(owned('managed'))('makes the flag stale if it is known: %s', (field) => {
    const live = liveFlag(1, 'a', { [field]: liveFlag(1, 'a')[field] ?? 'before' });
    const { base } = updateOf({ name: 'wanted' }, live);
    const now = { ...live, [field]: OTHER[field] ?? 'after' };
    expect(pathsOf(findMovedFields({ base }, now, noNames))).toEqual([
      field === 'filters' ? '/filters/groups/0/rollout_percentage' : `/${field}`,
    ]);
  });

  it.each(owned('computed'))('does not make the flag stale if the service computes it: %s', (field) => {
    const live = liveFlag(1, 'a', field === 'id' ? {} : { [field]: 'before' });
    const { base } = updateOf({ name: 'wanted' }, live);
    expect(findMovedFields({ base }, { ...live, [field]: 'after' } as unknown as Flag, noNames)).toEqual([]);
  });

  const heat = (degrees: number): Flag => liveFlag(1, 'a', { heat: degrees });

  it('does not make the flag stale if it is unknown and undeclared', () => {
    expect(findMovedFields(updateOf({ name: 'wanted' }, heat(1)), heat(2), noNames)).toEqual([]);
    const [deletion] = planFor(desiredState(retired('a')), liveState([heat(1)])).changes;
    expect(deletion).toMatchObject({ action: 'delete' });
    expect(deletion && movedSince(deletion, liveState([heat(2)]))).toEqual([]);
  });

  it('makes the flag stale if a manifest declares it, whether the plan changes it or not', () => {
    for (const fields of [{ heat: 5 }, { name: 'wanted', heat: 1 }]) {
      expect(findMovedFields(updateOf(fields, heat(1)), heat(2), noNames)).toEqual([
        { path: '/heat', before: 1, after: 2 },
      ]);
    }
  });

  it('makes the flag stale if it is new and known, but not if it is new and unknown', () => {
    const { base } = updateOf({ name: 'wanted' }, liveFlag(1, 'a'));
    expect(findMovedFields({ base }, liveFlag(1, 'a', { heat: 1 }), noNames)).toEqual([]);
    expect(pathsOf(findMovedFields({ base }, liveFlag(1, 'a', { evaluation_runtime: 'server' }), noNames))).toEqual([
      '/evaluation_runtime',
    ]);
  });

  it('is the whole flag if the flag is missing', () => {
    const { base } = updateOf({ name: 'wanted' }, liveFlag(1, 'a'));
    expect(findMovedFields({ base }, undefined, noNames)).toEqual([{ path: '', before: base.flag }]);
  });
});

const names = { keyOf: (id: number): string | undefined => ({ 1: 'a', 2: 'b' })[id] };

function changesFor(live: LiveState, ...flags: DesiredFlag[]): readonly Change[] {
  return planFor(desiredState(...flags), live).changes;
}

/** What moved for the only change of a plan made against `before`, once live state is `after`. */
function moved(flags: readonly DesiredFlag[], before: LiveState, after: LiveState): readonly FieldChange[] {
  const changes = changesFor(before, ...flags);
  expect(changes).toHaveLength(1);
  return changes.flatMap((change) => movedSince(change, after));
}

const flagged = (fields: JsonObject = {}): LiveState => liveState([liveFlag(1, 'a', { name: 'old', ...fields })]);

describe('an update', () => {
  const RENAMED = [declared('a', { name: 'new' })];

  test.each<[string, JsonObject, JsonObject, readonly FieldChange[]]>([
    ['nothing if it is unchanged', {}, {}, []],
    ['the field that is written', {}, { name: 'theirs' }, [{ path: '/name', before: 'old', after: 'theirs' }]],
    ['a field that the plan does not change', {}, { tags: ['x'] }, [{ path: '/tags', after: ['x'] }]],
    ['the key', {}, { key: 'z' }, [{ path: '/key', before: 'a', after: 'z' }]],
    [
      'nothing for fields that the service computes',
      {},
      { version: 7, updated_at: '2026-01-01', usage_dashboard: 4 },
      [],
    ],
    ['nothing for an unknown field that was absent before', {}, { brand_new: 1 }, []],
  ])('reports as moved %s', (_name, before, after, expected) => {
    expect(moved(RENAMED, flagged(before), flagged(after))).toEqual(expected);
  });

  test('reports the whole flag if the service no longer lists it', () => {
    const change = changesFor(flagged(), ...RENAMED)[0] as Extract<Change, { resource: 'flag'; action: 'update' }>;
    const expected = [{ path: '', before: change.base.flag }];
    expect(movedSince(change, liveState([]))).toEqual(expected);
    expect(movedSince(change, liveState([liveFlag(2, 'a')]))).toEqual(expected);
    expect(findMovedFields({ base: change.base }, undefined, names)).toEqual(expected);
    expect(findMovedFields({ base: change.base }, flagged().flags[0] as Flag, names)).toEqual([]);
  });
});

describe('a create', () => {
  const WANTED = [declared('a', { name: 'new' })];
  const TAKEN: readonly FieldChange[] = [{ path: '/key', after: 'a' }];

  test.each<[string, readonly Flag[], readonly FieldChange[]]>([
    ['has not moved if its key is free', [liveFlag(2, 'b')], []],
    ['has moved if its key was taken', [liveFlag(2, 'b'), liveFlag(3, 'a')], TAKEN],
    ['has not moved if its key belongs to a deleted flag', [liveFlag(3, 'a', { deleted: true })], []],
    [
      'has moved if its key belongs to a deleted flag and to a live one',
      [liveFlag(3, 'a', { deleted: true }), liveFlag(4, 'a')],
      TAKEN,
    ],
  ])('%s', (_name, flags, expected) => {
    expect(moved(WANTED, liveState([]), liveState(flags))).toEqual(expected);
  });
});

test('a delete has moved if another user edited the flag', () => {
  expect(moved([retired('a')], flagged(), flagged({ active: false }))).toEqual([
    { path: '/active', before: true, after: false },
  ]);
});
