import { describe, expect, it } from 'vitest';
import { type PlanOptions } from '../../../src/posthog/planning/build-plan.ts';
import { invertPlan } from '../../../src/posthog/planning/invert-plan.ts';
import type { JsonArray } from '../../../src/base/json.ts';
import type { Place } from '../../../src/base/place.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import { isPartial } from '../../../src/core/engine/change.ts';
import { disables } from '../../../src/posthog/flag/change.ts';
import { joinUpdates } from '../../../src/posthog/flag/split-change.ts';
import { planDocument, parseSavedPlan } from '../../../src/posthog/planning/plan-document.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, planOptions } from '../../helpers/states.ts';

const PLAIN = { groups: [{ properties: [], rollout_percentage: 100 }] };
const LIVE = [
  liveFlag(1, 'top', { filters: dependsOn('2') }),
  liveFlag(2, 'mid', { filters: dependsOn('3') }),
  liveFlag(3, 'base', { filters: PLAIN, can_edit: false, experiment_set: [7] }),
  liveFlag(4, 'idle', { active: false, filters: dependsOn('3') }),
];
const OFF = { ...dependsOn('idle'), payloads: { true: '1' } };

const DESIRED = [
  declared('top', { filters: PLAIN }),
  declared('mid', { active: false, filters: OFF }),
  declared('new-base', { name: 'off', active: false, filters: dependsOn('top') }, { previousKeys: ['base'] }),
];

/** Two flags are disabled while their dependencies are reversed: neither update fits in one place. */
function planWithExtra(): Plan {
  const groups = [...(dependsOn('3')['groups'] as JsonArray), ...(dependsOn('5')['groups'] as JsonArray)];
  const live = [
    ...LIVE.filter(({ key }) => key !== 'mid'),
    liveFlag(2, 'mid', { filters: { groups } }),
    liveFlag(5, 'extra'),
  ];
  return planFor(desiredState(...DESIRED, declared('extra', { active: false })), liveState(live));
}

function plan(options: Partial<PlanOptions> = {}): Plan {
  return planFor(desiredState(...DESIRED), liveState(LIVE), options);
}

const find = (ref: string, { changes }: Plan = plan()): Change => {
  const found = changes.find((change) => change.ref === ref);
  if (found === undefined) throw new Error(`There is no ${ref}.`);
  return found;
};

describe('an update in two writes', () => {
  it('disables the flag first, and each half has only the needs that it must', () => {
    expect(plan().changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:top', []],
      ['flag_active:mid', ['flag:top']],
      ['flag_active:new-base', ['flag_active:mid']],
      ['flag:new-base', ['flag_active:new-base', 'flag:top']],
      ['flag:mid', ['flag_active:mid', 'flag:new-base']],
    ]);
  });

  it('releases all former dependencies with the first', () => {
    const made = planWithExtra();
    expect(find('flag_active:mid', made).needs).toEqual(['flag:top']);
    expect(find('flag:extra', made).needs).toEqual(['flag_active:mid']);
  });

  it('has in each half the place of its own field', () => {
    const at = (line: number): Place => ({ file: 'flags/test.yaml', line, column: 1 });
    const children = { active: { place: at(3) }, filters: { place: at(2) } };
    const placed = DESIRED.map((flag) => ({ ...flag, places: { place: at(1), children } }));
    const made = planFor(desiredState(...placed), liveState(LIVE));
    expect(find('flag_active:mid', made).source).toEqual(at(3));
    expect(find('flag:mid', made).source).toEqual(at(2));
  });

  it('has active and the key in the first, and all other fields in the second', () => {
    expect(find('flag_active:new-base')).toMatchObject({
      action: 'update',
      id: 3,
      key: 'new-base',
      body: { active: false, key: 'new-base' },
      base: { version: 1, flag: { key: 'base', active: true }, former: { active: true, key: 'base' } },
    });
    expect(find('flag:new-base')).toMatchObject({
      action: 'update',
      id: 3,
      key: 'new-base',
      body: { name: 'off', filters: dependsOn('top') },
      base: { flag: { key: 'new-base', active: false }, former: { name: '', filters: PLAIN } },
    });
    const paths = (ref: string): string[] => {
      const change = find(ref);
      return change.resource === 'flag' ? change.fields.map(({ path }) => path) : [];
    };
    expect(paths('flag_active:new-base')).toEqual(['/key', '/active']);
    expect(paths('flag:new-base')[0]).toBe('/name');
    expect(
      paths('flag:new-base')
        .slice(1)
        .every((path) => path.startsWith('/filters/')),
    ).toBe(true);
    const { body, base } = find('flag:new-base') as Extract<Change, { action: 'update' }>;
    expect([Object.keys(body), Object.keys(base.former)]).toEqual([
      ['name', 'filters'],
      ['name', 'filters'],
    ]);
  });

  it('counts as one update and one disable', () => {
    const limits = { deletes: 5, deletes_percent: 30, updates: 0, updates_percent: 50, disables: 0 };
    const made = plan({ limits, protected: ['base'] });
    expect(made.summary).toMatchObject({ update: 3 });
    expect(made.hazards).toMatchObject([
      { code: 'updates', count: 3 },
      { code: 'disables', count: 2 },
      { code: 'protected', ref: 'flag_active:new-base', key: 'base', action: 'disable' },
    ]);
  });

  it('causes each warning once', () => {
    expect(plan().warnings).toEqual([
      { code: 'dependency_disabled', key: 'mid', dependency: 'idle' },
      { code: 'cannot_edit', key: 'new-base', id: 3 },
      { code: 'use_affected', key: 'new-base', id: 3, action: 'disable', linked: [7] },
      { code: 'use_affected', key: 'new-base', id: 3, action: 'rename', linked: [7] },
    ]);
  });

  it('is unchanged by saving and reading the plan', () => {
    expect(parseSavedPlan(JSON.stringify(planDocument(plan())))).toEqual(plan());
  });
});

describe('the two halves of an update', () => {
  const items = plan().changes.map((change) => ({ change, id: 1 }));

  it('are joined to the original update, and other changes are unchanged', () => {
    const whole = joinUpdates(items);
    expect(whole.map(({ change }) => change.ref)).toEqual(['flag:top', 'flag:new-base', 'flag:mid']);
    expect(whole[1]?.change).toMatchObject({
      body: { active: false, key: 'new-base', name: 'off', filters: dependsOn('top') },
      base: { flag: { key: 'base', active: true }, former: { active: true, key: 'base', name: '', filters: PLAIN } },
    });
    expect(whole[0]).toBe(items[0]);
  });

  it.each(['flag_active:new-base', 'flag:new-base'])('are unchanged if only one is given: %s', (ref) => {
    const one = items.filter(({ change }) => change.ref === ref);
    expect(joinUpdates(one)).toEqual(one);
  });

  it('are undone as one update', () => {
    const after = [
      liveFlag(1, 'top', { filters: PLAIN }),
      liveFlag(2, 'mid', { active: false, filters: { ...dependsOn('4'), payloads: { true: '1' } } }),
      liveFlag(3, 'new-base', { name: 'off', active: false, filters: dependsOn('1') }),
      liveFlag(4, 'idle', { active: false, filters: dependsOn('3') }),
    ];
    const undo = invertPlan(
      items.map(({ change }) => ({ change })),
      liveState(after),
      planOptions(),
    );
    expect(undo.refused).toEqual([]);
    expect(undo.plan.changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:base', []],
      ['flag:mid', ['flag:base']],
      ['flag_active:mid', ['flag:mid', 'flag:base']],
      ['flag:top', ['flag_active:mid', 'flag:mid']],
    ]);
    expect(find('flag:base', undo.plan)).toMatchObject({ body: { key: 'base', active: true, name: '' } });
    expect(find('flag:mid', undo.plan)).toMatchObject({ body: { filters: dependsOn('base') } });
  });
});

it('the first half of an update is partial, and only a change that disables its flag is a disable', () => {
  const { changes } = plan();
  expect(changes.map(isPartial)).toEqual([false, true, true, false, false]);
  expect(changes.map((change) => change.resource === 'flag' && disables(change))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});

describe('an update that enables a flag and removes its condition on a disabled flag', () => {
  const live = (active: boolean): Plan =>
    planFor(
      desiredState(declared('top', { name: 'on', active: true, filters: PLAIN })),
      liveState([liveFlag(1, 'base', { active }), liveFlag(2, 'top', { active: false, filters: dependsOn('1') })]),
    );

  it('is two: the rest, and then the switch, based on what the rest leaves', () => {
    const { changes, summary } = live(false);
    expect(changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['flag:top', []],
      ['flag_active:top', ['flag:top']],
    ]);
    expect(changes).toMatchObject([
      { body: { name: 'on', filters: PLAIN }, base: { flag: { filters: dependsOn('base') } } },
      { body: { active: true }, base: { flag: { name: 'on', active: false, filters: { groups: [{}] } } } },
    ]);
    expect(changes.map((change) => 'body' in change && Object.keys(change.body))).toEqual([
      ['name', 'filters'],
      ['active'],
    ]);
    expect(summary).toMatchObject({ update: 1 });
  });

  it('is one where the other flag is active, or the condition stays', () => {
    expect(live(true).changes.map(({ ref }) => ref)).toEqual(['flag:top']);
  });
});
