import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonArray } from '../../../src/base/json.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { KINDS } from '../../../src/posthog/kinds.ts';
import type { PostHog } from '../../../src/posthog/kind.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import { orderChanges } from '../../../src/core/engine/order.ts';
import { invertPlan, type AppliedChange } from '../../../src/posthog/planning/invert-plan.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import { planDocument, parseSavedPlan } from '../../../src/posthog/planning/plan-document.ts';
import { desiredGraph, graphs, isReversed, liveGraph, ModelService } from '../../helpers/flag-graphs.ts';
import { holds, runs } from '../../helpers/runs.ts';
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
} from '../../helpers/states.ts';

const OPTIONS = planOptions({ limits: { deletes: 99, deletes_percent: 100, updates_percent: 100 } });
const refs = (made: Pick<Plan, 'changes'>): string[] => made.changes.map(({ ref }) => ref);

interface Carried {
  readonly model: ModelService;
  readonly applied: readonly AppliedChange[];
}

/** Carries a plan out: `chance` picks each next change among the changes that the needs allow. */
function carryOut(
  { changes }: Plan,
  flags: readonly Flag[],
  { chance, strict }: { readonly chance: () => number; readonly strict: boolean },
): Carried {
  const model = new ModelService(flags);
  const ids = new Map(flags.flatMap(({ id, key, deleted }) => (deleted === true ? [] : [[key, id] as const])));
  for (const change of changes) if (change.resource === 'flag' && 'id' in change) ids.set(change.key, change.id);
  const applied = new Map<string, AppliedChange>();
  const left = [...changes];
  while (left.length > 0) {
    const ready = left.filter(({ needs }) => needs.every((ref) => applied.has(ref)));
    const change = ready[Math.floor(chance() * ready.length)] as Change;
    if (change.resource !== 'flag') throw new Error('no roles here');
    const id = model.write(change, { idOf: (key) => ids.get(key), strict });
    ids.set(change.key, id);
    applied.set(change.ref, { change, id });
    left.splice(left.indexOf(change), 1);
  }
  return { model, applied: changes.map(({ ref }) => applied.get(ref) as AppliedChange) };
}

const NAMING = { prefix: 'f', count: 6 };
const pair = fc.tuple(graphs(6), graphs(6));
const seed = fc.integer({ min: 1, max: 2 ** 31 - 2 });

/** Pseudorandom numbers from 0 to below 1: the generator of Park and Miller. */
function drawing(from: number): () => number {
  let state = from;
  return () => (state = (state * 48271) % (2 ** 31 - 1)) / (2 ** 31 - 1);
}

/** The content of a graph without ids. */
function facts(flags: Iterable<Flag>): unknown {
  const all = [...flags];
  const keys = new Map(all.map(({ id, key }) => [String(id), key]));
  const text = (flag: Flag): string =>
    JSON.stringify(flag.filters).replaceAll(/"key":"(\d+)"/g, (_, id: string) => `"key":"${keys.get(id)}"`);
  return all.flatMap((flag) => (flag.deleted === true ? [] : [`${flag.key} ${flag.active} ${text(flag)}`])).sort();
}

describe('a plan from any sound graph to any other', () => {
  it('has no write that the service refuses, in any order that the needs allow, and its undo restores the first graph', () =>
    holds(150, [pair, seed], ([before, after], from) => {
      const chance = drawing(from);
      const live = liveGraph(before, NAMING);
      const desired = desiredGraph(after, NAMING, before);
      const plan = buildPlan(desired, liveState(live), OPTIONS);
      expect(parseSavedPlan(JSON.stringify(planDocument(plan)))).toEqual(plan);
      const { model, applied } = carryOut(plan, live, { chance, strict: false });
      expect(model.refusals).toEqual([]);
      const reached = [...model.flags.values()];
      expect(buildPlan(desired, liveState(reached), OPTIONS).changes).toEqual([]);

      const undo = invertPlan(applied, liveState(reached), OPTIONS);
      expect(undo.refused).toEqual([]);
      const back = carryOut(undo.plan, reached, { chance, strict: false });
      expect(back.model.refusals).toEqual([]);
      expect(facts(back.model.flags.values())).toEqual(facts(live));
    }));

  it('writes a dependency only while the flag depended on is active, even for an inactive flag, if possible', () =>
    holds(150, [pair, seed], ([before, after], from) => {
      const live = liveGraph(before, NAMING);
      const plan = buildPlan(desiredGraph(after, NAMING, before), liveState(live), OPTIONS);
      const { model } = carryOut(plan, live, { chance: drawing(from), strict: true });
      // A dependency on a flag that is never active cannot be written at all.
      const everOn = new Set([...before, ...after].filter(({ active }) => active).map(({ number }) => number));
      fc.pre(after.every((flag) => flag.dependsOn.every((number) => everOn.has(number))));
      fc.pre(!isReversed(before, after));
      expect(model.refusals).toEqual([]);
    }));
});

describe('in the order of changes', () => {
  const needs = (made: Pick<Plan, 'changes'>): Record<string, readonly string[]> =>
    Object.fromEntries(made.changes.map((change) => [change.ref, change.needs]));
  const PLAIN = { groups: [{ properties: [], rollout_percentage: 100 }] };

  it('a dependency is removed before its reverse is written, regardless of keys', () => {
    for (const [first, second] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const live = liveState([liveFlag(1, first, { filters: dependsOn('2') }), liveFlag(2, second)]);
      const desired = desiredState(
        declared(first, { filters: PLAIN }),
        declared(second, { filters: dependsOn(first) }),
      );
      const made = buildPlan(desired, live, OPTIONS);
      expect(needs(made)).toEqual({ [`flag:${first}`]: [], [`flag:${second}`]: [`flag:${first}`] });
    }
  });

  it('a flag waits for the write that breaks a cycle, even a cycle through flags that are not written', () => {
    // Before: end → start. After: start → middle → end, where middle → end exists already.
    const live = liveState([
      liveFlag(1, 'start'),
      liveFlag(2, 'middle', { filters: dependsOn('3') }),
      liveFlag(3, 'z-end', { filters: dependsOn('1') }),
    ]);
    const desired = desiredState(
      declared('start', { filters: dependsOn('middle') }),
      declared('z-end', { filters: PLAIN }),
    );
    const made = buildPlan(desired, live, OPTIONS);
    expect(needs(made)).toEqual({ 'flag:z-end': [], 'flag:start': ['flag:z-end'] });
  });

  it('a flag does not wait for a write outside of the cycle', () => {
    const both = [...(dependsOn('z-end')['groups'] as JsonArray), ...(dependsOn('free')['groups'] as JsonArray)];
    const live = liveState([
      liveFlag(1, 'start'),
      liveFlag(2, 'free', { filters: dependsOn('4') }),
      liveFlag(3, 'z-end', { filters: dependsOn('1') }),
      liveFlag(4, 'last'),
    ]);
    const desired = desiredState(
      declared('start', { filters: { groups: both } }),
      declared('free', { filters: PLAIN }),
      declared('z-end', { filters: PLAIN }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({
      'flag:free': [],
      'flag:z-end': [],
      'flag:start': ['flag:z-end'],
    });
  });

  it('changes of flags that no cycle can contain do not wait for each other', () => {
    const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b'), liveFlag(3, 'c')]);
    const desired = desiredState(
      declared('a', { filters: dependsOn('b') }),
      declared('b', { filters: dependsOn('c') }),
      declared('c', { filters: { groups: [] } }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({ 'flag:a': [], 'flag:b': [], 'flag:c': [] });
  });

  it('the disable of a flag waits for the create of its new dependency', () => {
    const desired = desiredState(declared('a', { active: false, filters: dependsOn('new') }), declared('new'));
    const made = buildPlan(desired, liveState([liveFlag(1, 'a')]), OPTIONS);
    expect(needs(made)).toEqual({ 'flag:new': [], 'flag:a': ['flag:new'] });
  });

  it('the disable of a flag waits for an inactive flag that gets a dependency on it', () => {
    const live = liveState([liveFlag(1, 'base'), liveFlag(2, 'top', { active: false })]);
    const desired = desiredState(declared('base', { active: false }), declared('top', { filters: dependsOn('base') }));
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({ 'flag:top': [], 'flag:base': ['flag:top'] });
  });

  it('the disable of a flag does not wait for an update that keeps a dependency on it', () => {
    const live = liveState([liveFlag(1, 'base'), liveFlag(2, 'off', { active: false, filters: dependsOn('1') })]);
    const desired = desiredState(declared('base', { active: false }), declared('off', { name: 'renewed' }));
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({ 'flag:off': [], 'flag:base': [] });
  });

  it('a restore waits for the enable of a dependency', () => {
    const live = liveState([
      liveFlag(1, 'back', { deleted: true, filters: dependsOn('2') }),
      liveFlag(2, 'z', { active: false }),
    ]);
    const made = buildPlan(desiredState(declared('back'), declared('z', { active: true })), live, OPTIONS);
    expect(needs(made)).toEqual({ 'flag:z': [], 'flag:back': ['flag:z'] });
  });

  it('a dependency between two disabled flags is reversed in one write each', () => {
    const live = liveState([liveFlag(1, 'x', { filters: dependsOn('2') }), liveFlag(2, 'v')]);
    const desired = desiredState(
      declared('x', { active: false, filters: PLAIN }),
      declared('v', { active: false, filters: dependsOn('x') }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({ 'flag:x': [], 'flag:v': ['flag:x'] });
  });

  it('an update is split in two writes if the flag must be disabled first and its dependencies written last', () => {
    // Before: top → mid → base ← idle. After: mid → idle → base → top. mid and base are disabled, idle is inactive.
    const live = liveState([
      liveFlag(1, 'top', { filters: dependsOn('2') }),
      liveFlag(2, 'mid', { filters: dependsOn('3') }),
      liveFlag(3, 'base'),
      liveFlag(4, 'idle', { active: false, filters: dependsOn('3') }),
    ]);
    const desired = desiredState(
      declared('top', { filters: PLAIN }),
      declared('mid', { active: false, filters: dependsOn('idle') }),
      declared('base', { active: false, filters: dependsOn('top') }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({
      'flag:top': [],
      'flag_active:mid': ['flag:top'],
      'flag_active:base': ['flag_active:mid'],
      'flag:base': ['flag_active:base', 'flag:top'],
      'flag:mid': ['flag_active:mid', 'flag:base'],
    });
  });

  it('an update of active alone is one write, even between updates that are split', () => {
    // Before: top → mid → plain → base, idle → plain. After: mid → idle → plain → base → top. idle is inactive.
    const live = liveState([
      liveFlag(1, 'top', { filters: dependsOn('2') }),
      liveFlag(2, 'mid', { filters: dependsOn('3') }),
      liveFlag(3, 'plain', { filters: dependsOn('4') }),
      liveFlag(4, 'base'),
      liveFlag(5, 'idle', { active: false, filters: dependsOn('3') }),
    ]);
    const desired = desiredState(
      declared('top', { filters: PLAIN }),
      declared('mid', { active: false, filters: dependsOn('idle') }),
      declared('plain', { active: false }),
      declared('base', { active: false, filters: dependsOn('top') }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({
      'flag:top': [],
      'flag_active:mid': ['flag:top'],
      'flag:plain': ['flag_active:mid'],
      'flag_active:base': ['flag:plain'],
      'flag:base': ['flag_active:base', 'flag:top'],
      'flag:mid': ['flag_active:mid', 'flag:base'],
    });
  });

  it('an update that does not disable its flag is not split, even in a cycle of the manifests', () => {
    const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]);
    const desired = desiredState(
      declared('a', { filters: dependsOn('b') }),
      declared('b', { filters: dependsOn('a') }),
    );
    expect(refs(buildPlan(desired, live, OPTIONS))).toEqual(['flag:b', 'flag:a']);
  });

  it('a cycle in the manifests is broken, and the plan can be saved', () => {
    const desired = desiredState(
      declared('a', { filters: dependsOn('b') }),
      declared('b', { filters: dependsOn('a') }),
    );
    const made = buildPlan(desired, liveState([]), OPTIONS);
    expect(needs(made)).toEqual({ 'flag:b': [], 'flag:a': ['flag:b'] });
    expect(parseSavedPlan(JSON.stringify(planDocument(made)))).toEqual(made);
  });

  it('changes are sorted by action, then by key, then by role', () => {
    const live = liveState(
      [
        liveFlag(1, 'a-gone'),
        liveFlag(2, 'b-roles'),
        liveFlag(3, 'c-off'),
        liveFlag(4, 'd-on', { active: false }),
        liveFlag(5, 'e-back', { deleted: true }),
        liveFlag(6, 'd-changed'),
        liveFlag(7, 'z-roles'),
      ],
      { 2: [entry(1, 'r3')], 7: [entry(2, 'r3')] },
    );
    const desired = desiredState(
      retired('a-gone'),
      declared('b-roles', {}, { roles: ['r2', 'r1', 'r3'] }),
      declared('z-roles', {}, { roles: [] }),
      declared('c-off', { active: false }),
      declared('d-on', { active: true }),
      declared('d-changed', { name: 'x' }),
      declared('e-back'),
      declared('f-new'),
    );
    const backwards = { flags: desired.flags.toReversed() };
    expect(refs(buildPlan(backwards, live, OPTIONS))).toEqual([
      'flag:f-new',
      'flag:e-back',
      'flag:d-changed',
      'flag:d-on',
      'flag:c-off',
      'role_access:b-roles:r1',
      'role_access:b-roles:r2',
      'role_access:z-roles:r3',
      'flag:a-gone',
    ]);
  });

  it('a grant waits for the create or restore of its flag, and for no other change', () => {
    const live = liveState([liveFlag(1, 'on', { active: false }), liveFlag(2, 'back', { deleted: true })], {
      1: [],
      2: [],
    });
    const desired = desiredState(
      declared('new', {}, { roles: ['r'] }),
      declared('back', {}, { roles: ['r'] }),
      declared('on', { active: true }, { roles: ['r'] }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))).toEqual({
      'flag:new': [],
      'flag:back': [],
      'flag:on': [],
      'role_access:new:r': ['flag:new'],
      'role_access:back:r': ['flag:back'],
      'role_access:on:r': [],
    });
  });

  it('a flag that depends on itself does not wait for itself', () => {
    const desired = desiredState(declared('a', { filters: dependsOn('a') }));
    expect(needs(buildPlan(desired, liveState([]), OPTIONS))).toEqual({ 'flag:a': [] });
    const live = liveState([liveFlag(1, 'a', { filters: dependsOn('1') })]);
    expect(needs(buildPlan(desiredState(declared('a', { active: false })), live, OPTIONS))).toEqual({ 'flag:a': [] });
  });

  it('a delete waits for the active flags that drop their dependency on it, and for no others', () => {
    const live = liveState([
      liveFlag(1, 'gone'),
      liveFlag(2, 'freed', { filters: dependsOn('1') }),
      liveFlag(3, 'freed-off', { active: false, filters: dependsOn('1') }),
      liveFlag(4, 'keeps', { filters: dependsOn('1') }),
      liveFlag(5, 'unrelated'),
    ]);
    const desired = desiredState(
      retired('gone'),
      declared('freed', { filters: PLAIN }),
      declared('freed-off', { filters: PLAIN }),
      declared('keeps', { name: 'x' }),
      declared('unrelated', { filters: { groups: [] } }),
    );
    expect(needs(buildPlan(desired, live, OPTIONS))['flag:gone']).toEqual(['flag:freed']);
  });

  it('a chain of 7,000 flags is reversed', () => {
    const count = Math.min(7000, runs(7000));
    const key = (index: number): string => `f${index}`;
    const numbers = Array.from({ length: count }, (_, index) => index);
    const live = numbers.map((index) =>
      liveFlag(index + 1, key(index), index === 0 ? {} : { filters: dependsOn(String(index)) }),
    );
    const desired = numbers.map((index) =>
      declared(key(index), { filters: index === count - 1 ? PLAIN : dependsOn(key(index + 1)) }),
    );
    const made = buildPlan({ flags: desired }, liveState(live), { ...OPTIONS, targets: ['f0'] });
    expect(refs(made)).toEqual(numbers.toReversed().map((index) => `flag:${key(index)}`));
    expect(made.changes.every((change) => change.needs.length <= 1)).toBe(true);
  });
});

it('changes that do not wait for each other are sorted by action and key, regardless of the input order', () => {
  const flags = ['a', 'b', 'c', 'd'].map((key, index) => liveFlag(index + 1, key));
  const made = planFor(
    desiredState(...flags.map(({ key }) => declared(key, { name: 'new' })), declared('e'), declared('f')),
    liveState(flags),
  );
  const world = { kinds: KINDS, snapshot: takeSnapshot({ flags: [], roleAccess: {} }) };
  expect(refs(made)).toEqual(['flag:e', 'flag:f', 'flag:a', 'flag:b', 'flag:c', 'flag:d']);
  holds(20, [fc.shuffledSubarray([...made.changes], { minLength: made.changes.length })], (shuffled) => {
    expect(refs({ changes: orderChanges<PostHog>(shuffled, world) })).toEqual(refs(made));
  });
});
