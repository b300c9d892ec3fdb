/** Which changes of a run can be undone, and what undoing them reads. */

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/apply/result.ts';
import type { Run } from '../../src/journal/read.ts';
import { appliedChanges, mayBeUndone, wantedForUndo } from '../../src/journal/undo.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';

const before = liveState([liveFlag(1, 'a'), liveFlag(2, 'b'), liveFlag(3, 'c')], { '3': [entry(5, 'r')] });
const plan = buildPlan(
  desiredState(
    declared('a', { name: 'new' }),
    retired('b'),
    declared('c', {}, { roles: ['s'] }),
    declared('d', { name: 'D' }, { roles: ['s'] }),
  ),
  before,
  planOptions(),
);
const UPDATE = 'flag:a';
const DELETE = 'flag:b';
const CREATE = 'flag:d';
const GRANT = 'role_access:c:s';
const REVOKE = 'role_access:c:r';
const GRANT_OF_NEW = 'role_access:d:s';

function runWith(applied: Readonly<Record<string, Outcome>>, sent: readonly string[] = []): Run {
  const outcomes = new Map(Object.entries(applied));
  return { name: 'x', startedAt: 'T', plan, outcomes, applied: outcomes, sent: new Set(sent) };
}

const applied = (id?: number): Outcome => ({ outcome: 'applied', ...(id === undefined ? {} : { id }) });
const already = (id: number): Outcome => ({ outcome: 'applied', id, already: true });

it('the plan holds one change of each kind', () => {
  expect(plan.changes.map((change) => change.ref).toSorted()).toEqual(
    [UPDATE, DELETE, CREATE, GRANT, REVOKE, GRANT_OF_NEW].toSorted(),
  );
});

describe('an applied change', () => {
  const refsOf = (run: Run, live = before): unknown[] =>
    appliedChanges(run, live).map(({ change, ...rest }) => ({ ref: change.ref, ...rest }));

  it('is what the journal says, with its id', () => {
    const run = runWith({ [UPDATE]: applied(1), [CREATE]: applied(4), [GRANT]: applied(6), [DELETE]: applied() });
    expect(refsOf(run)).toEqual(
      plan.changes.flatMap(({ ref }): object[] => {
        const id = { [UPDATE]: 1, [CREATE]: 4, [GRANT]: 6 }[ref];
        return id === undefined ? (ref === DELETE ? [{ ref }] : []) : [{ ref, id }];
      }),
    );
  });

  it('is no change that was already in effect', () => {
    expect(refsOf(runWith({ [UPDATE]: already(1), [GRANT]: applied(6) }))).toEqual([{ ref: GRANT, id: 6 }]);
  });

  it('is looked up when it was sent without an answer', () => {
    const run = runWith({}, [UPDATE, CREATE, REVOKE]);
    expect(refsOf(run)).toEqual([]);
    const made = liveState([liveFlag(1, 'a', { name: 'new' }), liveFlag(3, 'c')], { '3': [] });
    expect(refsOf(run, made)).toEqual(
      plan.changes.flatMap(({ ref }) => (ref === UPDATE ? [{ ref, id: 1 }] : ref === REVOKE ? [{ ref, id: 5 }] : [])),
    );
  });
});

describe('a run', () => {
  it.each<[string, Run, boolean]>([
    ['without changes', runWith({}), false],
    ['whose changes were already in effect', runWith({ [UPDATE]: already(1), [DELETE]: already(2) }), false],
    ['that applied a change', runWith({ [UPDATE]: already(1), [DELETE]: applied(2) }), true],
    ['that sent a change without an answer', runWith({ [UPDATE]: already(1) }, [DELETE]), true],
  ])('%s can be undone: %o', (_name, run, may) => {
    expect(mayBeUndone(run)).toBe(may);
  });
});

describe('what undoing a run reads', () => {
  it('is nothing when nothing was sent', () => {
    expect(wantedForUndo(runWith({}))).toEqual({ flags: { keys: [], ids: [], declared: [] } });
  });

  it('is every flag by key and by id, with the lists of roles that were written', () => {
    const { flags, roleAccess } = wantedForUndo(
      runWith({ [CREATE]: applied(4), [DELETE]: applied(2), [GRANT]: applied(6) }, [UPDATE, GRANT_OF_NEW]),
    );
    expect({
      keys: flags.keys?.toSorted(),
      roleAccessOf: roleAccess?.keys?.toSorted(),
      roleAccessOfIds: roleAccess?.ids,
      ids: flags.ids?.toSorted((a, b) => a - b),
    }).toEqual({ keys: ['a', 'b', 'c', 'd', 'd'], roleAccessOf: ['c', 'd'], roleAccessOfIds: [3], ids: [1, 2, 4] });
  });

  it('has no id for a flag whose create was not answered', () => {
    expect(wantedForUndo(runWith({}, [CREATE])).flags.ids).toEqual([]);
    expect(wantedForUndo(runWith({ [CREATE]: applied() })).flags.ids).toEqual([]);
  });
});
