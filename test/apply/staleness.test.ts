import { describe, expect, it } from 'vitest';
import { indexLive, movedFlag, movedSince } from '../../src/apply/staleness.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FLAG_FIELDS } from '../../src/model/flag-fields.ts';
import type { Flag } from '../../src/model/flag.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import type { FieldChange, UpdateFlag } from '../../src/plan/plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';

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
