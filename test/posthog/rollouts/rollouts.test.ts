/** Which rollouts of a plan wait for a person, and what a run may write that only makes due steps. */

import { describe, expect, test } from 'vitest';
import type { KnownRequest } from '../../../src/core/engine/change-request.ts';
import {
  waitingFlags,
  isDue,
  isOverdue,
  isRemarkable,
  leaveAllButDue,
  makesOnlySteps,
  rolloutsIn,
  undecidedOrRefused,
  withReasons,
} from '../../../src/posthog/rollouts/rollouts.ts';
import type { PlannedRollout } from '../../../src/core/rollout/rollout.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { liveFlag } from '../../helpers/states.ts';
import { momentAt, planAt, stateAt, steps } from './stepped.ts';

const A = `  a: { description: A, rollout_percentage: ${steps([1, 10], [3, 50])} }\n`;
const B = `  b: { description: B, rollout_percentage: ${steps([2, 20])} }\n`;
const PLAIN = '  c: { description: C, rollout_percentage: 5 }\n';
const ALL = A + B + PLAIN;

const PERCENTAGE = '/filters/groups/0/rollout_percentage';
const edit =
  (key: string, fields: object) =>
  (one: string): object =>
    one === key ? fields : {};
const changesOf = ({ changes }: Plan): string[] =>
  changes.flatMap((one) => ('fields' in one ? one.fields.map(({ path }) => `${one.action} ${one.key} ${path}`) : []));

/** What a run that only makes due steps writes. */
function dueAt(days: number, given: Parameters<typeof planAt>[1], asked?: ReadonlySet<string>): string[] {
  const { plan } = planAt(days, given);
  return changesOf(planAt(days, given, { leaving: [leaveAllButDue(plan, asked)] }).plan);
}

describe('a run that only makes due steps', () => {
  test('writes the steps whose time has come, and nothing else', () => {
    expect(dueAt(0.5, { flags: ALL })).toEqual([]);
    expect(dueAt(1.5, { flags: ALL })).toEqual([`update a ${PERCENTAGE}`]);
    expect(dueAt(2.5, { flags: ALL })).toEqual([`update a ${PERCENTAGE}`, `update b ${PERCENTAGE}`]);
  });

  test('leaves what git changed since the last apply, of the same flag and of others', () => {
    const flags = `${A.replace('description: A', 'description: New')}${PLAIN.replace('5', '6')}  d: { active: true }\n`;
    expect(dueAt(1.5, { flags, former: A + PLAIN })).toEqual([`update a ${PERCENTAGE}`]);
    expect(changesOf(planAt(1.5, { flags, former: A + PLAIN }).plan)).toContain('update a /name');
  });

  test.each<[string, object]>([
    ['changed another field of', { name: 'Changed by hand' }],
    ['changed the percentage of', { filters: { groups: [{ properties: [], rollout_percentage: 7 }] } }],
    ['deleted', { deleted: true }],
  ])('leaves the steps of a flag if somebody %s it, and makes those of the others', (_what, fields) => {
    expect(dueAt(2.5, { flags: ALL, changed: edit('a', fields) })).toEqual([`update b ${PERCENTAGE}`]);
  });

  test('makes the steps of a flag although somebody changed another one, which has none', () => {
    const changed = edit('c', { name: 'Changed by hand' });
    expect(dueAt(1.5, { flags: ALL, changed })).toEqual([`update a ${PERCENTAGE}`]);
  });

  test('leaves the steps of a flag that is switched off, unless the manifest says whether it is to be', () => {
    const off = edit('a', { active: false });
    expect(dueAt(2.5, { flags: ALL, changed: off })).toEqual([`update b ${PERCENTAGE}`]);
    const declared = A.replace('description: A', 'active: false');
    expect(dueAt(1.5, { flags: declared })).toEqual([`update a ${PERCENTAGE}`]);
  });

  test('leaves the step of a flag for which the service was asked already', () => {
    expect(dueAt(2.5, { flags: ALL }, new Set(['a']))).toEqual([`update b ${PERCENTAGE}`]);
  });
});

describe('the rollouts of a state', () => {
  test('have the key of their flag, and say whether it is switched off, also under a former key', () => {
    const state = stateAt(`${A}  b: { previous_keys: [old], rollout_percentage: ${steps([2, 20])} }\n`, momentAt(0));
    const of = (...off: string[]) =>
      rolloutsIn(state, {
        flags: ['a', 'old'].map((key, id) => liveFlag(id, key, { active: !off.includes(key) })),
      }).map(({ key, switched_off: isOff }) => [key, isOff]);
    expect(of()).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    expect(of('old')).toEqual([
      ['a', undefined],
      ['b', true],
    ]);
    expect(of('a')).toEqual([
      ['a', true],
      ['b', undefined],
    ]);
  });

  test('are none where the manifests declare none', () => {
    expect(rolloutsIn(stateAt(PLAIN, momentAt(0)), { flags: [] })).toEqual([]);
  });

  test('are remarkable where they are due, overdue or were found in the service', () => {
    const [one] = rolloutsIn(stateAt(A, momentAt(0)), { flags: [] });
    if (one === undefined) throw new Error('no rollout');
    const applied = { step: 0, at: '2026-12-02T08:00:00.000Z' };
    expect([isDue({ ...one, step: 1, applied }), isDue({ ...one, step: 0, applied }), isDue({ step: 1 })]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isOverdue({ ...one, overdue: true }), isOverdue(one)]).toEqual([true, false]);
    const quiet = { ...one, step: 0, applied };
    expect(isRemarkable(quiet)).toBe(false);
    expect(isRemarkable({ ...quiet, step: 1 })).toBe(true);
    expect(isRemarkable({ ...quiet, overdue: true })).toBe(true);
    expect(isRemarkable({ ...quiet, found_live: true })).toBe(true);
  });
});

describe('the changes of a flag are its next steps and nothing else', () => {
  test.each<[string, boolean, Parameters<typeof planAt>]>([
    ['where its step is due', true, [1.5, { flags: ALL }]],
    ['where nothing changes', true, [0.5, { flags: ALL }]],
    ['where another flag changed too', true, [1.5, { flags: ALL.replace('C', 'New'), former: ALL }]],
    [
      'not where git changed something else',
      false,
      [1.5, { flags: ALL.replace('description: A', 'description: N'), former: ALL }],
    ],
    ['not where somebody else changed it', false, [1.5, { flags: ALL, changed: edit('a', { name: 'x' }) }]],
    ['not where somebody deleted it', false, [1.5, { flags: ALL, changed: edit('a', { deleted: true }) }]],
    ['where it jumps, as declared', true, [4, { flags: ALL.replace('{ steps', '{ catch_up: latest, steps') }]],
  ])('%s', (_, expected, given) => expect(makesOnlySteps(planAt(...given).plan, 'a')).toBe(expected));
});

describe('a rollout waits', () => {
  const [one] = rolloutsIn(stateAt(A, momentAt(0)), { flags: [] }) as [PlannedRollout];
  const commit = 'c'.repeat(40);
  const differing = (resource: string, key: string, divergence: string): NonNullable<Plan['left']> =>
    [{ resource, ref: `${resource}:${key}`, key, action: 'update', fields: [{ path: '/x', divergence }] }] as never;
  type Given = Partial<Parameters<typeof withReasons>[1]>;
  const NOTHING = { changes: [], otherNames: () => [], kept: new Map(), isContinued: () => false };
  const waits = (given: Given, more: Partial<PlannedRollout> = {}): string | undefined =>
    withReasons([{ ...one, ...more }], { ...NOTHING, ...given })[0]?.waits;

  test.each<[string, string | undefined, Given, Partial<PlannedRollout>]>([
    ['not where nothing differs', undefined, {}, {}],
    ['where somebody changed its flag', 'edited', { left: differing('flag', 'a', 'drifted') }, {}],
    ['where somebody changed access to it', 'edited', { left: differing('role_access', 'a', 'conflict') }, {}],
    [
      'where somebody changed its early access',
      'edited',
      {
        left: differing('early_access', 'beta', 'drifted'),
        otherNames: (name) => (name === 'early_access:beta' ? ['a'] : []),
      },
      {},
    ],
    ['not for what git changed', undefined, { left: differing('flag', 'a', 'pending') }, {}],
    ['not for another flag', undefined, { left: differing('flag', 'b', 'drifted') }, {}],
    ['not for a cohort of this name', undefined, { left: differing('cohort', 'a', 'drifted') }, {}],
    ['where its flag is switched off', 'switched_off', {}, { switched_off: true }],
    [
      'where the last apply left it',
      'unrecorded',
      { commit, base: { kind: 'commit', commit, from: 'ref' } },
      { applied: { step: 0, at: '2026-12-02T08:00:00.000Z' } },
    ],
    ['where its last step is recorded later than now', 'recorded_later', {}, { recorded_later: true }],
    ['where a person wants it off', 'held_back', { kept: new Map([['a', 7]]) }, {}],
    ['not where a person lets it go on', undefined, { kept: new Map([['a', 7]]), isContinued: () => true }, {}],
    ['where a rule refuses its step', 'refused', { refused: new Set(['a']) }, {}],
  ])('%s', (_, reason, given, more) => expect(waits(given, more)).toBe(reason));
});

test('a flag is held that was left because somebody changed it', () => {
  const { plan } = planAt(1.5, { flags: ALL, changed: edit('a', { name: 'x' }) }, { keepDrift: true });
  expect([...waitingFlags(plan)]).toEqual([['a', 'edited']]);
});

test('a request that waits or was refused keeps a step from being asked for again; one that expired or failed does not', () => {
  const requests = ['open', 'rejected', 'withdrawn', 'expired', 'failed', 'applied'].map(
    (kind) => ({ key: kind, standing: { kind } }) as unknown as KnownRequest,
  );
  expect([...undecidedOrRefused(requests)]).toEqual(['open', 'rejected', 'withdrawn']);
});
