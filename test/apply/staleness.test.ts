/** What counts as moved since the plan, for each kind of change and of field. */

import { describe, expect, it, test } from 'vitest';
import { indexLive, movedFlag, movedSince } from '../../src/apply/staleness.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FLAG_FIELDS } from '../../src/posthog/flag/fields.ts';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/flag.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import { buildPlan } from '../../src/engine/build-plan.ts';
import type { Change, FieldChange, UpdateFlag } from '../../src/posthog/plan.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';

const keyOfFlag = (): undefined => undefined;

/** The update of flag 1 that the declared fields ask for. */
function updateOf(fields: JsonObject, live: Flag): UpdateFlag {
  const plan = buildPlan(desiredState(declared('a', fields)), liveState([live]), planOptions());
  return plan.changes[0] as UpdateFlag;
}

const pathsOf = (moved: readonly FieldChange[]): string[] => moved.map(({ path }) => path);

/** What differs from it counts as another value of any field. */
const OTHER: Readonly<Record<string, JsonValue>> = {
  filters: { groups: [{ rollout_percentage: 3 }] },
  active: false,
  deleted: true,
  archived: true,
  created_at: '2001-01-01T00:00:00Z',
};

describe('a field that moves between plan and apply', () => {
  const owned = (owner: string): string[] => FLAG_FIELDS.filter((field) => field.owner === owner).map(({ api }) => api);

  it.each(owned('manifest'))('makes the flag stale: %s, which is known', (field) => {
    const live = liveFlag(1, 'a', { [field]: liveFlag(1, 'a')[field] ?? 'before' });
    const { base } = updateOf({ name: 'wanted' }, live);
    const now = { ...live, [field]: OTHER[field] ?? 'after' };
    expect(pathsOf(movedFlag(base, now, keyOfFlag))).toEqual([
      field === 'filters' ? '/filters/groups/0/rollout_percentage' : `/${field}`,
    ]);
  });

  it.each(owned('service'))('does not: %s, which the service computes', (field) => {
    const live = liveFlag(1, 'a', field === 'id' ? {} : { [field]: 'before' });
    const { base } = updateOf({ name: 'wanted' }, live);
    expect(movedFlag(base, { ...live, [field]: 'after' } as unknown as Flag, keyOfFlag)).toEqual([]);
  });

  const heat = (degrees: number): Flag => liveFlag(1, 'a', { heat: degrees });

  it('does not where nobody here knows it and nobody declares it', () => {
    expect(movedFlag(updateOf({ name: 'wanted' }, heat(1)).base, heat(2), keyOfFlag)).toEqual([]);
    const [deletion] = buildPlan(desiredState(retired('a')), liveState([heat(1)]), planOptions()).changes;
    expect(deletion).toMatchObject({ action: 'delete' });
    expect(deletion && movedSince(deletion, indexLive(liveState([heat(2)])), keyOfFlag)).toEqual([]);
  });

  it('does where a manifest declares it, changed by the plan or not', () => {
    for (const fields of [{ heat: 5 }, { name: 'wanted', heat: 1 }]) {
      expect(movedFlag(updateOf(fields, heat(1)).base, heat(2), keyOfFlag)).toEqual([
        { path: '/heat', before: 1, after: 2 },
      ]);
    }
  });

  it('does not where it came with a release, and does where a known one came', () => {
    const { base } = updateOf({ name: 'wanted' }, liveFlag(1, 'a'));
    expect(movedFlag(base, liveFlag(1, 'a', { heat: 1 }), keyOfFlag)).toEqual([]);
    expect(pathsOf(movedFlag(base, liveFlag(1, 'a', { evaluation_runtime: 'server' }), keyOfFlag))).toEqual([
      '/evaluation_runtime',
    ]);
  });

  it('counts as all of the flag where the flag is gone', () => {
    const { base } = updateOf({ name: 'wanted' }, liveFlag(1, 'a'));
    expect(movedFlag(base, undefined, keyOfFlag)).toEqual([{ path: '', before: base.flag }]);
  });
});

const keyOf = (id: number): string | undefined => ({ 1: 'a', 2: 'b' })[id];

function changesFor(live: LiveState, ...flags: DesiredFlag[]): readonly Change[] {
  return buildPlan(desiredState(...flags), live, planOptions()).changes;
}

/** What moved for the only change of a plan made against `before`, once live state is `after`. */
function moved(flags: readonly DesiredFlag[], before: LiveState, after: LiveState): readonly FieldChange[] {
  const changes = changesFor(before, ...flags);
  expect(changes).toHaveLength(1);
  return changes.flatMap((change) => movedSince(change, indexLive(after), keyOf));
}

const flagged = (fields: JsonObject = {}): LiveState => liveState([liveFlag(1, 'a', { name: 'old', ...fields })]);

describe('an update', () => {
  const RENAMED = [declared('a', { name: 'new' })];

  test.each<[string, JsonObject, JsonObject, readonly FieldChange[]]>([
    ['nothing', {}, {}, []],
    ['the field that is written', {}, { name: 'theirs' }, [{ path: '/name', before: 'old', after: 'theirs' }]],
    ['a field that the plan leaves alone', {}, { tags: ['x'] }, [{ path: '/tags', after: ['x'] }]],
    ['the key', {}, { key: 'z' }, [{ path: '/key', before: 'a', after: 'z' }]],
    ['what the service counts by itself', {}, { version: 7, updated_at: '2026-01-01', usage_dashboard: 4 }, []],
    ['a field that nobody knows and that was not there', {}, { brand_new: 1 }, []],
  ])('%s', (_name, before, after, expected) => {
    expect(moved(RENAMED, flagged(before), flagged(after))).toEqual(expected);
  });

  test('a flag that the service no longer lists is all that moved', () => {
    const change = changesFor(flagged(), ...RENAMED)[0] as Extract<Change, { action: 'update' }>;
    const expected = [{ path: '', before: change.base.flag }];
    expect(movedSince(change, indexLive(liveState([])), keyOf)).toEqual(expected);
    expect(movedSince(change, indexLive(liveState([liveFlag(2, 'a')])), keyOf)).toEqual(expected);
    expect(movedFlag(change.base, undefined, keyOf)).toEqual(expected);
    expect(movedFlag(change.base, flagged().flags[0] as Flag, keyOf)).toEqual([]);
  });
});

describe('a create', () => {
  const WANTED = [declared('a', { name: 'new' })];
  const TAKEN: readonly FieldChange[] = [{ path: '/key', after: 'a' }];

  test.each<[string, readonly Flag[], readonly FieldChange[]]>([
    ['whose key is free', [liveFlag(2, 'b')], []],
    ['whose key was taken', [liveFlag(2, 'b'), liveFlag(3, 'a')], TAKEN],
    ['whose key belongs to a deleted flag', [liveFlag(3, 'a', { deleted: true })], []],
    [
      'whose key belongs to a deleted flag and to a live one',
      [liveFlag(3, 'a', { deleted: true }), liveFlag(4, 'a')],
      TAKEN,
    ],
  ])('%s', (_name, flags, expected) => {
    expect(moved(WANTED, liveState([]), liveState(flags))).toEqual(expected);
  });
});

test('a delete of a flag that somebody edited', () => {
  expect(moved([retired('a')], flagged(), flagged({ active: false }))).toEqual([
    { path: '/active', before: true, after: false },
  ]);
});

describe('a change of role access', () => {
  const flags = [liveFlag(1, 'a')];
  const roles = (...ids: readonly string[]): LiveState =>
    liveState(flags, { '1': ids.map((role, index) => entry(index + 1, role)) });
  const GRANTED = [declared('a', {}, { roles: ['r1', 'r2'] })];

  test.each<[string, LiveState, readonly FieldChange[]]>([
    ['nothing', roles('r1'), []],
    ['the order of the list, and an entry that is there twice', roles('r1', 'r1'), []],
    ['another role', roles('r1', 'r3'), [{ path: '/role_access', before: ['r1'], after: ['r1', 'r3'] }]],
    ['a role that is gone', roles(), [{ path: '/role_access', before: ['r1'], after: [] }]],
    ['the list, which was not read', liveState(flags), [{ path: '', before: 'a' }]],
  ])('%s', (_name, after, expected) => {
    expect(moved(GRANTED, roles('r1'), after)).toEqual(expected);
  });

  test('of a flag that the same plan creates cannot have moved', () => {
    const changes = changesFor(liveState([]), declared('a', { name: 'new' }, { roles: ['r1'] }));
    const grant = changes.find(({ action }) => action === 'grant') as Change;
    expect(movedSince(grant, indexLive(roles('r9')), keyOf)).toEqual([]);
  });

  test('what the run that is being finished may have done itself is no move, what others did is', () => {
    const changes = changesFor(roles('r1'), declared('a', {}, { roles: ['r2', 'r3'] }));
    expect(changes.map(({ action }) => action).sort()).toEqual(['grant', 'grant', 'revoke']);
    const movedIn = (live: LiveState, resumed: readonly Change[]): readonly number[] =>
      changes.map((change) => movedSince(change, indexLive(live, resumed), keyOf).length);
    const half = roles('r2');
    expect(movedIn(half, changes)).toEqual([0, 0, 0]);
    expect(movedIn(half, []).every((count) => count > 0)).toBe(true);
    expect(movedIn(roles('r2', 'r9'), changes).every((count) => count > 0)).toBe(true);
  });
});
