import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Hazard, Plan } from '../../../src/posthog/plan.ts';
import { graphs, liveGraph, ModelService } from '../../helpers/flag-graphs.ts';
import { runs } from '../../helpers/runs.ts';
import {
  allowing,
  declared,
  dependsOn,
  desiredState,
  liveFlag,
  liveState,
  of2023,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

const ANY = ['*'];
const OPTIONS = planOptions({
  limits: { deletes: 99, deletes_percent: 100, updates_percent: 100 },
  exceptions: allowing({ protected: ANY, risky: ANY, override: ANY }),
});
const planOf = (flags: readonly Flag[], ...desired: DesiredFlag[]): Plan =>
  buildPlan(desiredState(...desired), liveState(flags), OPTIONS);

/** What the model of today's service refuses of a plan, in the plan's order. */
function refusalsOf({ changes }: Plan, flags: readonly Flag[]): readonly string[] {
  const model = new ModelService(flags);
  const ids = new Map(flags.map(({ id, key }) => [key, id]));
  for (const change of changes) {
    if (change.resource !== 'role_access') model.write(change, { idOf: (key) => ids.get(key), strict: true });
  }
  return model.refusals;
}

type Prepared = Extract<Hazard, { readonly first?: unknown }>;
const isPrepared = (hazard: Hazard): hazard is Prepared => 'first' in hazard;

const WISHES: readonly ((key: string) => DesiredFlag)[] = [
  (key) => declared(key, { active: false }),
  (key) => declared(key, { active: true }),
  (key) => retired(key),
];

describe('with every permission', () => {
  const cases = fc.tuple(graphs(7), fc.nat(6), fc.constantFrom(...WISHES)).map(([graph, index, wish]) => {
    const live = liveGraph(graph, { prefix: 'f', count: 7 });
    return { live, wish, key: live[index % live.length]?.key };
  });

  it('a plan is refused exactly where the service refuses the disable, the delete or the enable', () => {
    let refused = 0;
    fc.assert(
      fc.property(cases, ({ live, wish, key }) => {
        if (key === undefined) return;
        const plan = planOf(live, wish(key));
        const isRefused = refusalsOf(plan, live).length > 0;
        expect(plan.hazards.length > 0).toBe(isRefused);
        if (isRefused) refused += 1;
      }),
      { numRuns: runs(400), seed: 1 },
    );
    expect(refused).toBeGreaterThan(5);
  });

  it('what the refusal names first makes the service accept it, by hand in that order and in one plan', () => {
    let prepared = 0;
    fc.assert(
      fc.property(cases, ({ live, wish, key }) => {
        if (key === undefined) return;
        const [hazard] = planOf(live, wish(key)).hazards.filter(isPrepared);
        if (hazard === undefined) return;
        prepared += 1;
        const first = hazard.first ?? [];
        const active = hazard.code === 'dependencies_disabled';
        const plan = planOf(live, wish(key), ...first.map((other) => declared(other, { active })));
        expect(plan.hazards).toEqual([]);
        expect(refusalsOf(plan, live)).toEqual([]);
        const byHand = first.flatMap((other) => planOf(live, declared(other, { active })).changes);
        expect(refusalsOf({ ...plan, changes: [...byHand, ...planOf(live, wish(key)).changes] }, live)).toEqual([]);
      }),
      { numRuns: runs(400), seed: 1 },
    );
    expect(prepared).toBeGreaterThan(5);
  });
});

describe('a service of 2023', () => {
  const live = [
    liveFlag(1, 'base'),
    liveFlag(2, 'off', { active: false }),
    liveFlag(3, 'top', { filters: dependsOn('1') }),
    liveFlag(4, 'idle', { active: false, filters: dependsOn('2') }),
  ].map(of2023);

  it('accepts what --allow-risky permits', () => {
    const hazards = (allow: readonly string[]): readonly Hazard[] =>
      planFor(desiredState(declared('base', { active: false }), declared('idle', { active: true })), liveState(live), {
        exceptions: allowing({ risky: allow }),
      }).hazards;
    expect(hazards([])).toMatchObject([{ code: 'dependents', permit: { kind: 'risky', value: 'base' } }]);
    expect(hazards(ANY)).toEqual([]);
  });
});

describe('a delete of a flag with experiments', () => {
  it.each([
    ['one of them runs: nothing lifts it', [{ id: 7, is_running: true }], 1],
    ['none of them runs: a permission lifts it', [{ id: 7, is_running: false }], 0],
  ])('%s', (_name, metadata, count) => {
    const live = [liveFlag(1, 'a', { experiment_set: [7], experiment_set_metadata: metadata })];
    expect(planOf(live, retired('a')).hazards).toHaveLength(count);
  });
});

describe('0% in every condition', () => {
  const base = (filters: object): Flag =>
    liveFlag(1, 'base', { filters: { ...liveFlag(1, 'base').filters, ...filters } });
  const conditions = (filters: object): unknown => {
    const live = [base(filters), liveFlag(2, 'top', { filters: dependsOn('1') })];
    const [hazard] = planOf(live, declared('base', { active: false })).hazards;
    return hazard !== undefined && 'conditions' in hazard ? hazard.conditions : undefined;
  };

  it.each<readonly [string, object, number | undefined]>([
    ['is offered where conditions decide', {}, 1],
    ['is not offered with early access', { feature_enrollment: true }, undefined],
    ['is not offered with a holdout', { holdout: { id: 1, exclusion_percentage: 10 } }, undefined],
    ['is not offered without conditions', { groups: [] }, undefined],
    ['is offered where the parts of others are empty', { super_groups: [], holdout: null }, 1],
  ])('%s', (_name, filters, expected) => expect(conditions(filters)).toBe(expected));
});
