import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GivenPermit, Permit } from '../../../src/core/engine/safety.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions, retired } from '../../helpers/states.ts';

const KEYS = Array.from({ length: 12 }, (_, index) => `flag-${index}`);
const source = { file: 'permits.yaml', line: 2, column: 5 };

function given(permit: Permit, isExpired = false): GivenPermit {
  return { permit, reason: 'cleaning up', expires: '2026-12-31', isExpired, source };
}

/** Eight deletes, of which two are of protected flags, and four disables. */
function planWith(permits: readonly GivenPermit[], allow: Parameters<typeof planOptions>[0] = {}): Plan {
  const flags = KEYS.map((key, index) => (index < 8 ? retired(key) : declared(key, { active: false })));
  const live = liveState(KEYS.map((key, index) => liveFlag(index + 1, key)));
  const limits = { deletes: 5, deletes_percent: 30, updates_percent: 50, disables: 3 };
  return planFor(desiredState(...flags), live, { limits, protected: ['flag-[01]'], permits, ...allow });
}

const permit = fc.oneof(
  fc.record({ kind: fc.constantFrom('deletes', 'updates', 'disables'), value: fc.nat(12) }),
  fc.record({
    kind: fc.constantFrom('protected', 'risky'),
    value: fc.constantFrom('flag-0', 'flag-1', 'flag-*', 'gone'),
  }),
) as fc.Arbitrary<Permit>;

describe('permits', () => {
  test('allow what the options of the same name and value allow, and nothing once expired', () => {
    holds(200, [fc.array(permit, { maxLength: 5 })], (permits) => {
      const numbers = (kind: string): number[] =>
        permits.filter((one) => one.kind === kind).map(({ value }) => Number(value));
      const keys = (kind: string): string[] =>
        permits.filter((one) => one.kind === kind).map(({ value }) => String(value));
      const largest = (kind: string): object =>
        numbers(kind).length === 0 ? {} : { [kind]: Math.max(...numbers(kind)) };
      const allow = {
        ...largest('deletes'),
        ...largest('updates'),
        ...largest('disables'),
        protected: keys('protected'),
        risky: keys('risky'),
      };
      const byOptions = planWith([], { allow });
      expect(planWith(permits.map((one) => given(one))).hazards).toEqual(byOptions.hazards);
      expect(planWith(permits.map((one) => given(one, true))).hazards).toEqual(planWith([]).hazards);
    });
  });

  test.each<[string, GivenPermit, object]>([
    [
      'lifts a rule',
      given({ kind: 'deletes', value: 8 }),
      { code: 'permit_used', key: 'deletes', rules: ['deletes', 'deletes_percent'] },
    ],
    [
      'lifts a rule for one flag',
      given({ kind: 'protected', value: 'flag-0' }),
      { code: 'permit_used', key: 'flag-0', rules: ['protected'] },
    ],
    ['is not needed', given({ kind: 'updates', value: 3 }), { code: 'permit_unused', key: 'updates' }],
    [
      'is for a flag that the plan does not harm',
      given({ kind: 'risky', value: 'flag-1' }),
      { code: 'permit_unused', key: 'flag-1' },
    ],
    [
      'is for an unknown flag',
      given({ kind: 'protected', value: 'flog-*' }),
      { code: 'permit_unmatched', key: 'flog-*' },
    ],
    ['has expired', given({ kind: 'deletes', value: 8 }, true), { code: 'permit_expired', key: 'deletes' }],
  ])('the plan says that a permit %s', (_, one, expected) => {
    const { isExpired: _isExpired, ...facts } = one;
    expect(planWith([one]).warnings).toEqual([{ ...facts, ...expected }]);
  });

  test('of a flag lift what --override lifts, and leave other flags refused', () => {
    const plan = planWithEdits([given({ kind: 'override', value: 'flag-0' })]);
    expect(plan.hazards).toMatchObject([{ code: 'conflict', key: 'flag-1' }]);
    expect(plan.overridden).toMatchObject([{ code: 'conflict', key: 'flag-0' }]);
    expect(plan.warnings).toMatchObject([{ code: 'permit_used', key: 'flag-0', rules: ['conflict'] }]);
    expect(planWithEdits([given({ kind: 'override', value: 'flag-*' }, true)]).hazards).toHaveLength(2);
  });

  test('of a flag revert its drift too, where drift is kept', () => {
    const permits = [given({ kind: 'override', value: 'flag-2' })];
    expect(planWithEdits([], true).changes.map(({ key }) => key)).toEqual(['flag-0', 'flag-1']);
    const plan = planWithEdits(permits, true);
    expect(plan.changes.map(({ key }) => key)).toEqual(['flag-0', 'flag-1', 'flag-2']);
    expect(plan.warnings).toEqual([]);
    expect(planWithEdits([given({ kind: 'override', value: 'flag-2' }, true)], true).left).toMatchObject([
      { key: 'flag-2' },
      { key: 'flag-3' },
    ]);
    const each = ['flag-2', 'flag-3'].map((value) => given({ kind: 'override', value }));
    expect(planWithEdits(each, true)).not.toHaveProperty('left');
    expect(planWithEdits(each, true).warnings).toEqual([]);
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
function planWithEdits(permits: readonly GivenPermit[], keepDrift = false): Plan {
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
  return buildPlan(named('ours', 'former'), live, { ...planOptions({ permits }), base, keepDrift });
}
