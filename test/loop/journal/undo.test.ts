/** Which changes of a run can be undone, and what undoing them reads. */

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import type { Run } from '../../../src/loop/journal/read.ts';
import { appliedChanges, mayBeUndone, requestsOf, selectionForUndo } from '../../../src/loop/journal/undo.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const before = liveState([liveFlag(1, 'a'), liveFlag(2, 'b'), liveFlag(3, 'c')], { '3': [entry(5, 'r')] });
const plan = planFor(
  desiredState(
    declared('a', { name: 'new', tags: ['new'] }),
    retired('b'),
    declared('c', {}, { roles: ['s'] }),
    declared('d', { name: 'D' }, { roles: ['s'] }),
  ),
  before,
);
const UPDATE = 'flag:a';
const DELETE = 'flag:b';
const CREATE = 'flag:d';
const GRANT = 'role_access:c:s';
const REVOKE = 'role_access:c:r';
const GRANT_OF_NEW = 'role_access:d:s';

function runWith(settled: Readonly<Record<string, Outcome>>, sent: readonly string[] = []): Run {
  const outcomes = new Map(Object.entries(settled));
  const made = new Map([...outcomes].filter(([, { outcome }]) => outcome === 'applied'));
  return { name: 'x', startedAt: 'T', plan, outcomes, applied: made, sent: new Set(sent) };
}

const applied = (id?: number): Outcome => ({ outcome: 'applied', ...(id === undefined ? {} : { id }) });
const pending = (...written: readonly string[]): Outcome => ({
  outcome: 'pending',
  error: { code: 'approval_required', message: 'Wait.' },
  ...(written.length === 0 ? {} : { parts: { written, waiting: ['active'], unsent: [] } }),
});
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
    const made = liveState([liveFlag(1, 'a', { name: 'new', tags: ['new'] }), liveFlag(3, 'c')], { '3': [] });
    expect(refsOf(run, made)).toEqual(
      plan.changes.flatMap(({ ref }) => (ref === UPDATE ? [{ ref, id: 1 }] : ref === REVOKE ? [{ ref, id: 5 }] : [])),
    );
  });
});

describe('a change that waits for an approval', () => {
  const changesOf = (run: Run): unknown[] =>
    appliedChanges(run, before).map(({ change, id }) => [change.ref, 'body' in change && change.body, id]);

  it('is undone in the parts that were written, of an update and of a create, and else not at all', () => {
    expect(changesOf(runWith({ [UPDATE]: pending('tags') }))).toEqual([[UPDATE, { tags: ['new'] }, undefined]]);
    const created = pending('name') as Extract<Outcome, { readonly outcome: 'pending' }>;
    const parts = { written: ['key', 'name'], waiting: ['active'], unsent: [], id: 4 };
    expect(changesOf(runWith({ [CREATE]: { ...created, parts } }))).toEqual([[CREATE, { key: 'd', name: 'D' }, 4]]);
    expect(changesOf(runWith({ [UPDATE]: pending(), [CREATE]: pending() }))).toEqual([]);
  });

  it('is named with its request, and with none where the service named none', () => {
    const request = { id: 'r1', wasOpen: false };
    const waiting = { ...pending(), request } as Outcome;
    const failed: Outcome = { outcome: 'failed', error: { code: 'forbidden', message: 'No.' } };
    const run = runWith({ [UPDATE]: waiting, [CREATE]: pending(), [DELETE]: failed, [GRANT]: applied(6) });
    expect(requestsOf(run)).toEqual([{ key: 'a', request }]);
  });
});

it('a flag whose create was cut off before it was enabled is undone, and another flag with its key is not', () => {
  const enabled = planFor(desiredState(declared('d', { name: 'D', active: true })), liveState([]));
  const run: Run = { ...runWith({}, [CREATE]), plan: enabled };
  const idsWith = (fields: object): unknown[] =>
    appliedChanges(run, liveState([liveFlag(9, 'c'), liveFlag(4, 'd', { ...fields })])).map(({ id }) => id);
  expect(idsWith({ name: 'D', active: false })).toEqual([4]);
  expect(idsWith({ name: 'D', active: true })).toEqual([4]);
  expect(idsWith({ name: 'Theirs', active: false })).toEqual([]);
});

describe('a run', () => {
  it.each<[string, Run, boolean]>([
    ['without changes', runWith({}), false],
    ['whose changes were already in effect', runWith({ [UPDATE]: already(1), [DELETE]: already(2) }), false],
    ['that applied a change', runWith({ [UPDATE]: already(1), [DELETE]: applied(2) }), true],
    ['that sent a change without an answer', runWith({ [UPDATE]: already(1) }, [DELETE]), true],
    ['of which a part is written and the rest waits', runWith({ [UPDATE]: pending('tags') }), true],
    ['that waits with all that it changes', runWith({ [UPDATE]: pending() }), false],
  ])('%s can be undone: %o', (_name, run, may) => {
    expect(mayBeUndone(run)).toBe(may);
  });
});

describe('what undoing a run reads', () => {
  it('is nothing when nothing was sent', () => {
    expect(selectionForUndo(runWith({}))).toEqual({ flags: { keys: [], ids: [], declared: [] } });
  });

  it('is every flag by key and by id, with the lists of roles that were written', () => {
    const { flags, roleAccess } = selectionForUndo(
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
    expect(selectionForUndo(runWith({}, [CREATE])).flags.ids).toEqual([]);
    expect(selectionForUndo(runWith({ [CREATE]: applied() })).flags.ids).toEqual([]);
  });
});
