/** The engine treats all kinds of resources alike: plans of a kind that exists only here. */

import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/core/engine/change.ts';
import { invertChanges } from '../../../src/core/engine/invert-plan.ts';
import type { DesiredResource } from '../../../src/core/engine/desired.ts';
import { kindOf, type Kind, type Model } from '../../../src/core/engine/kind.ts';
import { makePlan, type PlanOptions } from '../../../src/core/engine/make-plan.ts';
import { matchResources } from '../../../src/core/engine/match.ts';
import type { Plan } from '../../../src/core/engine/plan.ts';
import { indexResources, type LiveResource, type Snapshot } from '../../../src/core/engine/snapshot.ts';
import { planOptions } from '../../helpers/states.ts';

interface Cohort extends LiveResource {
  readonly size: number;
}

interface DesiredCohort {
  readonly kind: 'declared';
  readonly key: string;
  readonly previousKeys: readonly string[];
  readonly size: number;
  readonly within?: string;
}

interface CohortChange extends Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly resource: 'cohort';
  readonly size?: number;
  readonly within?: string;
}

interface Cohorts extends Model {
  readonly change: CohortChange;
  readonly desired: DesiredCohort;
  readonly live: Cohort;
  readonly snapshot: Snapshot<Cohort>;
}

const change = (action: CohortChange['action'], key: string, rest: Partial<CohortChange> = {}): CohortChange => ({
  action,
  resource: 'cohort',
  ref: `cohort:${key}`,
  key,
  needs: [],
  ...rest,
});

const COHORT: Kind<Cohorts> = {
  name: 'cohort',
  actions: ['create', 'update', 'delete'],
  compare: ({ desired: { key, size, within }, live }) => {
    const fields = { size, ...(within === undefined ? {} : { within }) };
    if (live === undefined) return { changes: [change('create', key, fields)], warnings: [] };
    const same = live.size === size && live.key === key;
    return { changes: same ? [] : [change('update', key, { ...fields, id: live.id })], warnings: [] };
  },
  prune: ({ live: { id, key } }) => change('delete', key, { id }),
  dependencies: ({ within }) => (within === undefined ? [] : [within]),
  findNeeds: (changes) =>
    new Map(changes.map(({ ref, within }) => [ref, within === undefined ? [] : [`cohort:${within}`]])),
  effects: ({ action }) => (action === 'delete' ? ['delete', 'prune'] : action === 'update' ? ['update'] : []),
  parts: () => [],
  liveKey: ({ key }) => key,
  assess: () => ({ risks: [], warnings: [] }),
  invert: ({ change: { key }, id }) =>
    id === undefined ? { ref: key, key, refusal: 'gone', moved: [] } : change('delete', key, { id }),
  rename: (made) => made,
};
const KINDS = [COHORT];

const wanted = (key: string, size: number, rest: Partial<DesiredCohort> = {}): DesiredCohort => ({
  kind: 'declared',
  key,
  previousKeys: [],
  size,
  ...rest,
});

function plan(desired: readonly DesiredCohort[], live: readonly Cohort[], options = planOptions()): Plan<Cohorts> {
  const snapshot = indexResources(live);
  return makePlan<Cohorts>(matchResources(desired, snapshot), { kinds: KINDS, snapshot, live }, options);
}

describe('a plan of another kind', () => {
  const live = [
    { id: 1, key: 'same', size: 1 },
    { id: 2, key: 'grown', size: 2 },
    { id: 3, key: 'stray', size: 3 },
  ];
  const desired = [wanted('same', 1), wanted('grown', 4), wanted('a', 1, { within: 'z' }), wanted('z', 9)];

  it('matches resources, orders changes by needs, counts them and reports unmanaged resources', () => {
    const { changes, summary, unmanaged } = plan(desired, live);
    expect(changes.map(({ ref }) => ref)).toEqual(['cohort:z', 'cohort:a', 'cohort:grown']);
    expect(changes[1]?.needs).toEqual(['cohort:z']);
    const counts = { create: 2, update: 1, delete: 0, unchanged: 1 };
    expect(summary).toEqual({ ...counts, unmanaged: 1, kinds: { cohort: counts } });
    expect(unmanaged).toEqual(['stray']);
  });

  it('prunes, respects targets and applies the safety rules', () => {
    const pruned = plan([], live, planOptions({ prune: true, protected: ['same'] }));
    expect(pruned.summary.delete).toBe(3);
    expect(pruned.hazards.map(({ code }) => code)).toEqual(['manifests_shrunk', 'protected']);
    const targeted = plan(desired, live, planOptions({ targets: ['a'] }));
    expect(targeted.changes.map(({ key }) => key)).toEqual(['z', 'a']);
  });

  it('is inverted change by change, and lists refused inversions', () => {
    const applied = [{ change: change('create', 'a'), id: 7 }, { change: change('create', 'b') }];
    const world = { kinds: KINDS, snapshot: indexResources<Cohort>([]) };
    const { changes, refused } = invertChanges<Cohorts>(applied, world, () => undefined);
    expect(changes).toEqual([change('delete', 'a', { id: 7 })]);
    expect(refused.map(({ refusal }) => refusal)).toEqual(['gone']);
  });
});

/** A second family, whose resources hold what those of the first need. */
interface Shelf extends LiveResource {
  readonly wide: boolean;
}

interface ShelfChange extends Change {
  readonly action: 'update' | 'delete';
  readonly resource: 'shelf';
}

interface Both extends Model {
  readonly change: CohortChange | ShelfChange;
  readonly desired: DesiredCohort | (DesiredResource & { readonly kind: 'declared' });
  readonly live: Cohort | Shelf;
  readonly snapshot: Snapshot<Cohort>;
}

const SHELF: Kind<Both, ShelfChange> = {
  name: 'shelf',
  keyless: true,
  actions: ['update', 'delete'],
  compare: ({ desired: { key }, live }) => ({
    changes:
      live === undefined
        ? []
        : [{ ...change('update', key), action: 'update', resource: 'shelf', ref: `shelf:${key}`, id: live.id }],
    warnings: [],
  }),
  findNeeds: (changes) =>
    new Map(changes.flatMap(({ ref, resource }) => (resource === 'cohort' ? [[ref, ['shelf:b']]] : []))),
  effects: () => ['update'],
  parts: () => [],
  liveKey: ({ key }) => `shelf:${key}`,
  assess: () => ({ risks: [], warnings: [] }),
  invert: ({ change: made, id = 0 }) => ({ ...made, action: 'delete', id }),
  rename: (made) => made,
};

describe('a plan of two families', () => {
  const kinds: readonly Kind<Both>[] = [{ ...COHORT, dependencies: () => ['shelf:b'] } as Kind<Both>, SHELF];
  const cohorts = [{ id: 1, key: 'b', size: 1 }];
  const shelves = [{ id: 1, key: 'b', wide: true }];
  const shelf = { kind: 'declared', key: 'b', previousKeys: [] } as const;

  function planBoth(options: Partial<PlanOptions>): Plan<Both> {
    const snapshot = indexResources<Cohort>(cohorts);
    const matches = matchResources([wanted('b', 2)], snapshot);
    const further = [
      { name: 'shelf', matches: matchResources([shelf], indexResources<Shelf>(shelves)), live: shelves },
    ];
    return makePlan<Both>(matches, { kinds, snapshot, live: cohorts, further }, planOptions(options));
  }

  it('compares each resource by the kinds of its family, and joins what both families need', () => {
    const { changes, summary } = planBoth({});
    expect(changes.map(({ ref, needs }) => [ref, needs])).toEqual([
      ['shelf:b', []],
      ['cohort:b', ['shelf:b']],
    ]);
    expect(summary).toEqual({
      create: 0,
      update: 2,
      delete: 0,
      unchanged: 0,
      unmanaged: 0,
      kinds: {
        cohort: { create: 0, update: 1, delete: 0, unchanged: 0 },
        shelf: { update: 1, delete: 0, unchanged: 0 },
      },
    });
  });

  it('is limited to targets, which name resources outside the main family with their kind', () => {
    expect(planBoth({ targets: ['b'] }).changes).toHaveLength(2);
    expect(planBoth({ targets: ['shelf:b'] }).changes.map(({ ref }) => ref)).toEqual(['shelf:b']);
    expect(planBoth({ targets: ['shelf:c'] }).warnings).toEqual([{ code: 'target_unknown', key: 'shelf:c' }]);
  });

  it('is inverted without mixing up ids of different families', () => {
    const shelfChange: ShelfChange = { ...change('delete', 'b'), action: 'delete', resource: 'shelf', ref: 'shelf:b' };
    const applied = [
      { change: shelfChange, id: 1 },
      { change: change('create', 'b'), id: 1 },
    ];
    const world = { kinds, snapshot: indexResources<Cohort>(cohorts) };
    const { renamed } = invertChanges<Both>(applied, world, () => 'b');
    expect([...renamed]).toEqual([[1, 'b']]);
  });
});

it('a change of an unlisted kind throws a TypeError', () => {
  expect(() => kindOf(KINDS, { resource: 'other' })).toThrow(TypeError);
});
