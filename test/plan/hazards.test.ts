import { describe, expect, it } from 'vitest';
import { buildPlan, type PlanOptions } from '../../src/plan/build-plan.ts';
import type { Hazard } from '../../src/plan/plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `flag-${index}`);

function hazards(
  options: { deletes?: number; updates?: number; kept?: number },
  plan: Partial<PlanOptions> = {},
): readonly Hazard[] {
  const keys = numbered((options.deletes ?? 0) + (options.updates ?? 0) + (options.kept ?? 0));
  const flags = keys.map((key, index) => {
    if (index < (options.deletes ?? 0)) return retired(key);
    return declared(key, index < (options.deletes ?? 0) + (options.updates ?? 0) ? { name: 'changed' } : {});
  });
  const live = liveState(keys.map((key, index) => liveFlag(index + 1, key)));
  return buildPlan(desiredState(...flags), live, planOptions(plan)).hazards;
}

const codesOf = (found: readonly Hazard[]): string[] => found.map((hazard) => hazard.code);

describe('limits', () => {
  it.each([
    ['few deletes of many flags', { deletes: 5, kept: 100 }, []],
    ['one delete over the limit', { deletes: 6, kept: 100 }, ['deletes']],
    ['a large share of deletes', { deletes: 4, kept: 6 }, ['deletes_percent']],
    ['a large share of a handful', { deletes: 4, kept: 5 }, []],
    ['half of all updated', { updates: 5, kept: 5 }, []],
    ['more than half updated', { updates: 6, kept: 4 }, ['updates_percent']],
  ])('%s', (_name, counts, expected) => expect(codesOf(hazards(counts))).toEqual(expected));

  it('are waived by naming the number', () => {
    expect(hazards({ deletes: 6, kept: 4 }, { allow: { deletes: 6, protected: [] } })).toEqual([]);
    expect(codesOf(hazards({ deletes: 6, kept: 100 }, { allow: { deletes: 5, protected: [] } }))).toEqual(['deletes']);
    expect(hazards({ updates: 9, kept: 1 }, { allow: { updates: 9, protected: [] } })).toEqual([]);
  });

  it('name the option that permits them', () => {
    expect(hazards({ deletes: 6, kept: 100 })).toEqual([
      { code: 'deletes', count: 6, limit: 5, permit: { option: '--allow-deletes', value: '6' } },
    ]);
  });
});

describe('protected flags', () => {
  const live = liveState([liveFlag(1, 'billing-new')]);
  const rules = { protected: ['billing-*'] };
  const found = (flag: Parameters<typeof desiredState>[0], options: Partial<PlanOptions> = {}): readonly Hazard[] =>
    buildPlan(desiredState(flag), live, planOptions({ ...rules, ...options })).hazards;

  it.each([
    ['deleted', retired('billing-new'), 'delete'],
    ['disabled', declared('billing-new', { active: false }), 'disable'],
    ['renamed', declared('payment-new', {}, { previousKeys: ['billing-new'] }), 'rename'],
  ])('are not %s', (_name, flag, action) => {
    expect(found(flag)).toMatchObject([
      { code: 'protected', key: 'billing-new', action, permit: { option: '--allow-protected', value: 'billing-new' } },
    ]);
    expect(found(flag, { allow: { protected: ['billing-new'] } })).toEqual([]);
    expect(found(flag, { allow: { protected: ['billing-old'] } })).toHaveLength(1);
  });

  it('are pruned no more than deleted, although nothing in a manifest names them', () => {
    expect(buildPlan(desiredState(), live, planOptions({ ...rules, prune: true })).hazards).toMatchObject([
      { action: 'delete' },
    ]);
  });

  it('may be edited otherwise', () => expect(found(declared('billing-new', { name: 'x' }))).toEqual([]));
});
