import { describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../src/posthog/desired.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import {
  declaredFamilies,
  joinSelections,
  listing,
  type LiveSelection,
  selectionOfTargets,
  selectionOf,
  selectionToApply,
  selectionToUndo,
} from '../../src/posthog/live-selection.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { check, ENGINEERING } from '../core/manifest/check.ts';
import {
  declared,
  dependsOn,
  desiredState,
  entry,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../helpers/states.ts';

interface Wanted {
  readonly keys: readonly string[];
  readonly roleAccessOf: readonly string[];
  readonly ids: readonly number[];
}

function reading(desired: DesiredFlag, live: LiveState): Wanted {
  return toWanted(selectionToApply(planFor(desiredState(desired), live).changes));
}

function toWanted({ flags: { keys = [], ids = [] }, roleAccess }: LiveSelection): Wanted {
  return { keys, roleAccessOf: roleAccess?.keys ?? [], ids };
}

it.each<[string, DesiredFlag, LiveState, Wanted]>([
  ['a create', declared('a', {}), liveState([]), { keys: [], roleAccessOf: [], ids: [] }],
  [
    'an update',
    declared('a', { name: 'x' }),
    liveState([liveFlag(1, 'a')]),
    { keys: ['a'], roleAccessOf: [], ids: [] },
  ],
  ['a delete', retired('a'), liveState([liveFlag(1, 'a')]), { keys: ['a'], roleAccessOf: [], ids: [1] }],
  [
    'a rename',
    declared('b', {}, { previousKeys: ['a'] }),
    liveState([liveFlag(1, 'a')]),
    { keys: ['a'], roleAccessOf: [], ids: [] },
  ],
  [
    'a grant',
    declared('a', {}, { roles: ['r'] }),
    liveState([liveFlag(1, 'a')], { '1': [] }),
    { keys: ['a'], roleAccessOf: ['a', 'a'], ids: [] },
  ],
  [
    'a grant and a rename, with both keys for the list of roles',
    declared('b', {}, { previousKeys: ['a'], roles: ['r', 's'] }),
    liveState([liveFlag(1, 'a')], { '1': [entry(1, 'r')] }),
    { keys: ['a', 'a'], roleAccessOf: ['b', 'a'], ids: [] },
  ],
  [
    'a create with a grant',
    declared('a', {}, { roles: ['r'] }),
    liveState([]),
    { keys: ['a'], roleAccessOf: ['a', 'a'], ids: [] },
  ],
])('an apply reads only the state that it needs for %s', (_, desired, live, expected) => {
  expect(reading(desired, live)).toEqual(expected);
});

it('an apply of a restore reads the flag by its key and id', () => {
  const { changes } = planFor(desiredState(retired('a')), liveState([liveFlag(1, 'a')]));
  const live = liveState([liveFlag(1, 'a', { deleted: true })]);
  const { plan } = invertPlan([{ change: changes[0] as never }], live, planOptions());
  expect(toWanted(selectionToApply(plan.changes))).toMatchObject({ keys: ['a'], roleAccessOf: [], ids: [1] });
});

it('an apply reads the dependencies in its requests by their current keys, except created flags', () => {
  const desired = desiredState(
    declared('a', { filters: dependsOn('renamed') }),
    declared('b', { filters: dependsOn('created') }),
    declared('c', { filters: dependsOn('there') }),
    declared('created', {}),
    declared('renamed', {}, { previousKeys: ['old'] }),
  );
  const live = liveState([
    ...['a', 'b', 'c', 'there'].map((key, index) => liveFlag(index + 1, key)),
    liveFlag(9, 'old'),
  ]);
  const { keys } = toWanted(selectionToApply(planFor(desired, live).changes));
  expect([...new Set(keys)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['a', 'b', 'c', 'old', 'there']);
});

it('an apply reads a flag without a recorded key by its planned key', () => {
  const { changes } = planFor(
    desiredState(declared('a', { name: 'x' }, { roles: ['r'] })),
    liveState([liveFlag(1, 'a')], { '1': [] }),
  );
  const [update] = changes.filter((change) => change.resource === 'flag' && change.action === 'update');
  if (update === undefined) throw new Error('an update');
  const withoutKey = { ...update, base: { ...update.base, flag: { name: '' } } };
  const grants = changes.filter(({ action }) => action === 'grant');
  expect(toWanted(selectionToApply([withoutKey, ...grants]))).toMatchObject({
    keys: ['a', 'a'],
    roleAccessOf: ['a', 'a'],
    ids: [],
  });
});

describe('what a plan reads', () => {
  const FLAGS =
    'flags:\n  a: { role_access: [engineering], active: true }\n  b: { role_access: [engineering] }\n  c: {}\n';
  const COHORTS = 'cohorts:\n  people: { filters: { properties: { type: OR, values: [] } } }\n';
  const FEATURES = 'early_access:\n  c: { stage: beta }\n';
  const desiredBy = (text: string) => check(text).desired;
  const rolesOf = ({ roleAccess }: LiveSelection): unknown =>
    roleAccess?.expected?.map(({ keys, roles }) => [keys, roles?.map(({ id }) => id)]);

  it('are the flags alone where nothing else is declared', () => {
    expect(selectionOf(desiredBy('flags:\n  c: {}\n'))).toMatchObject({ flags: {} });
    expect(selectionOf(desiredBy('flags:\n  c: {}\n'))).not.toHaveProperty('roleAccess');
    expect(selectionOf({ flags: [] })).toEqual({ flags: {} });
  });

  it('are the access to the flags that declare it, and each family that is declared', () => {
    const selection = selectionOf(desiredBy(FLAGS + COHORTS + FEATURES));
    expect(rolesOf(selection)).toEqual([
      [['a'], [ENGINEERING]],
      [['b'], [ENGINEERING]],
    ]);
    expect(selection).toMatchObject({
      cohorts: { declared: [{ key: 'people' }] },
      early_access: { declared: [{ key: 'c' }] },
    });
    expect(selectionOf(desiredBy(FLAGS))).not.toHaveProperty('cohorts');
    expect(selectionOf(desiredBy(COHORTS))).not.toHaveProperty('roleAccess');
  });

  it('are the access to the targets alone, and the rest as ever, where a plan has targets', () => {
    const desired = desiredBy(FLAGS + COHORTS);
    const { roleAccess, ...rest } = selectionOfTargets(desired, ['b']);
    const { roleAccess: all, ...whole } = selectionOf(desired);
    expect(rest).toEqual(whole);
    expect(rolesOf({ flags: {}, ...(roleAccess === undefined ? {} : { roleAccess }) })).toEqual([
      [['b'], [ENGINEERING]],
    ]);
    expect(selectionOfTargets(desired, ['c'])).not.toHaveProperty('roleAccess');
    expect(selectionOfTargets(desired, undefined).roleAccess).toEqual(all);
  });
});

it('the further families are those of which resources are declared', () => {
  const filters = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
  const desired = desiredOf({ flags: {}, cohorts: { beta: { filters } }, early_access: { a: { stage: 'draft' } } });
  expect(declaredFamilies(desired)).toEqual(['cohorts', 'early_access']);
  expect(declaredFamilies({ ...desired, early_access: [] })).toEqual(['cohorts']);
  expect(declaredFamilies(undefined)).toEqual([]);
  expect(listing(['flags', 'cohorts'])).toEqual({ cohorts: {} });
});

it('what a run may have written is read to revert it, by the id that the service answered where the plan knows none', () => {
  const desired = desiredState(declared('new'), declared('old', { name: 'x' }, { roles: ['r'] }));
  const plan = planFor(desired, liveState([liveFlag(1, 'old')], { 1: [entry(2, 'q')] }));
  const selection = selectionToUndo(
    plan.changes.map((change) => ({ change, id: change.action === 'create' ? 9 : undefined })),
  );
  expect(new Set(selection.flags.ids)).toEqual(new Set([1, 9]));
  expect(new Set(selection.roleAccess?.ids)).toEqual(new Set([1]));
  expect(selectionToUndo([])).toEqual({ flags: { keys: [], ids: [], declared: [] } });
});

it('joined selections have everything that one of them selects', () => {
  expect(
    joinSelections([
      { flags: { keys: ['a'] }, cohorts: {} },
      { flags: { keys: ['b'], ids: [1] }, roleAccess: { keys: ['a'], organization: true } },
    ] as Parameters<typeof joinSelections>[0]),
  ).toMatchObject({
    flags: { keys: ['a', 'b'], ids: [1] },
    cohorts: { keys: [], ids: [] },
    roleAccess: { keys: ['a'], organization: true },
  });
  expect(joinSelections([{ roleAccess: { keys: [] } }] as never).roleAccess).not.toHaveProperty('organization');
});
