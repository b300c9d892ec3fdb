import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Exception } from '../../../src/core/engine/exceptions.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { rulesLiftedBy } from '../../../src/review/policy/broken-rules.ts';
import { holds } from '../../helpers/runs.ts';
import {
  allowing,
  declared,
  desiredState,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../../helpers/states.ts';

const KEYS = Array.from({ length: 12 }, (_, index) => `flag-${index}`);
const place = { file: 'exceptions.yaml', line: 2, column: 5 };

function given(rule: string, value: number | string): Exception {
  const what = typeof value === 'number' ? { keys: [], most: value } : { keys: [value] };
  const origin = {
    from: 'file',
    place,
    reason: 'cleaning up',
    until: '2026-12-31',
    grantedBy: 'ann',
    isInBase: true,
    isApproved: false,
  } as const;
  return { rules: [rule], ...what, origin };
}

/** Eight deletes, of which two are of protected flags, and four disables. */
function planWith(exceptions: readonly Exception[]): Plan {
  const flags = KEYS.map((key, index) => (index < 8 ? retired(key) : declared(key, { active: false })));
  const live = liveState(KEYS.map((key, index) => liveFlag(index + 1, key)));
  const limits = { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 3 };
  return planFor(desiredState(...flags), live, { limits, protected: ['flag-[01]'], exceptions });
}

const counted = fc.record({ rule: fc.constantFrom('deletes', 'updates', 'disables'), value: fc.nat(12) });
const keyed = fc.record({
  rule: fc.constantFrom('protected', 'dependents'),
  value: fc.constantFrom('flag-0', 'flag-1', 'flag-*', 'gone'),
});

describe('exceptions', () => {
  test('of a number lift what fits in it, those of a rule the flags that they name, and nothing else', () => {
    holds(200, [fc.array(fc.oneof(counted, keyed), { maxLength: 5 })], (written) => {
      const plan = planWith(written.map(({ rule, value }) => given(rule, value)));
      const most = (rule: string): number =>
        Math.max(0, ...written.flatMap((one) => (one.rule === rule ? Number(one.value) : [])));
      const named = written.filter(({ rule }) => rule === 'protected').map(({ value }) => String(value));
      const isNamed = (key: string): boolean => named.some((one) => one === key || one === 'flag-*');
      const whole = planWith([]).hazards;
      const isLifted = (hazard: (typeof whole)[number]): boolean =>
        hazard.code === 'protected'
          ? isNamed(hazard.key)
          : Number(hazard.permit?.value) <= most(String(hazard.permit?.kind));
      const names = (hazards: readonly (typeof whole)[number][]): unknown[] =>
        hazards.map((one) => [one.code, 'key' in one ? one.key : '']);
      expect(names(plan.hazards)).toEqual(names(whole.filter((one) => !isLifted(one))));
      expect(names((plan.lifted ?? []).map(({ hazard }) => hazard))).toEqual(names(whole.filter(isLifted)));
    });
  });

  test('lower no limit, and an option does', () => {
    const count = (exceptions: readonly Exception[]): number =>
      planFor(desiredState(retired('a'), retired('b')), liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]), { exceptions })
        .hazards.length;
    expect([count([]), count([given('deletes', 1)]), count([...allowing({ deletes: 1 })])]).toEqual([0, 0, 1]);
  });

  test('of conflict lift what --override lifts, and leave other flags refused', () => {
    const plan = planWithEdits([given('conflict', 'flag-0')]);
    expect(plan.hazards).toMatchObject([{ code: 'conflict', key: 'flag-1' }]);
    expect(plan.lifted).toMatchObject([{ hazard: { code: 'conflict', key: 'flag-0' }, by: { by: 'exception' } }]);
    expect(planWithEdits([given('switched_off', 'flag-*')]).hazards).toHaveLength(2);
  });

  test('of conflict revert the drift of a flag too, where drift is kept', () => {
    expect(planWithEdits([], true).changes.map(({ key }) => key)).toEqual(['flag-0', 'flag-1']);
    const plan = planWithEdits([given('conflict', 'flag-2')], true);
    expect(plan.changes.map(({ key }) => key)).toEqual(['flag-0', 'flag-1', 'flag-2']);
    const each = ['flag-2', 'flag-3'].map((key) => given('conflict', key));
    expect(planWithEdits(each, true)).not.toHaveProperty('left');
  });

  test('are as narrow as their rule, and an option stands for several', () => {
    expect(rulesLiftedBy('risky')).toContain('dependents');
    expect(allowing({ risky: ['a'] }).map(({ rules }) => rules)).toEqual([rulesLiftedBy('risky')]);
  });
});

test('a conflict names the values that it is about, and none where it is about the whole flag', () => {
  const base = {
    facts: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const,
    desired: desiredState(declared('gone', { name: 'former' }), declared('kept', { name: 'former', tags: ['former'] })),
  };
  const theirs = { name: 'theirs', tags: ['theirs'] };
  const wanted = desiredState(retired('gone'), declared('kept', { name: 'ours', tags: ['ours'] }));
  const live = liveState([liveFlag(1, 'gone', theirs), liveFlag(2, 'kept', theirs)]);
  const conflicts = buildPlan(wanted, live, { ...planOptions(), base }).hazards.filter(
    ({ code }) => code === 'conflict',
  );
  expect(conflicts).toMatchObject([
    { key: 'kept', action: 'update', paths: ['/name', '/tags'] },
    { key: 'gone', action: 'delete', paths: [] },
  ]);
});

/** Two flags that git and people renamed apart, and two that only people did. */
function planWithEdits(exceptions: readonly Exception[], keepDrift = false): Plan {
  const named = (name: string, last = name): DesiredState =>
    desiredState(
      ...['flag-0', 'flag-1'].map((key) => declared(key, { name })),
      ...['flag-2', 'flag-3'].map((key) => declared(key, { name: last })),
    );
  const live = liveState([0, 1, 2, 3].map((index) => liveFlag(index + 1, `flag-${index}`, { name: 'theirs' })));
  const base = {
    facts: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const,
    desired: named('former'),
  };
  return buildPlan(named('ours', 'former'), live, { ...planOptions({ exceptions }), base, keepDrift });
}
