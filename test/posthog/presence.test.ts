/** A kind that a project has nothing of changes nothing in a plan, so that it need not be asked. */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { DesiredState } from '../../src/posthog/desired.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { KINDS } from '../../src/posthog/kinds.ts';
import type { KnownStates } from '../../src/posthog/kind.ts';
import type { KindName } from '../../src/posthog/kind-types.ts';
import type { LiveState } from '../../src/posthog/live.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import { declaresAccess } from '../../src/posthog/role-access/access.ts';
import { takeSnapshot } from '../../src/posthog/snapshot.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { cohort, desiredOf } from '../helpers/cohorts.ts';
import { declared, desiredState, dependsOn, entry, liveFlag, liveState, retired } from '../helpers/states.ts';

const NO_LIVE = liveState([]);
const FEATURE = { id: 1, feature_id: 'f', name: 'Search', stage: 'beta' };

function presentIn(states: KnownStates): KindName[] {
  return KINDS.filter((kind) => kind.isPresent(states)).map(({ name }) => name);
}

describe('a kind is present', () => {
  const place = { file: 'a.yaml', line: 1, column: 1 };
  const withAccess = desiredState(declared('a', {}, { roles: ['r1'] }));
  const withCohort = desiredOf({ cohorts: { beta: { filters: { properties: { type: 'AND', values: [] } } } } });
  const withFeature = desiredOf({ early_access: { a: { stage: 'draft' } } });
  test.each<[string, DesiredState, LiveState, DesiredState | undefined, KindName[]]>([
    ['nothing', desiredState(), NO_LIVE, undefined, ['flag']],
    ['flags alone', desiredState(declared('a')), liveState([liveFlag(1, 'a')]), desiredState(), ['flag']],
    ['declared roles', withAccess, NO_LIVE, undefined, ['flag', 'role_access']],
    ['no roles, declared', desiredState(declared('a', {}, { roles: [] })), NO_LIVE, undefined, ['flag', 'role_access']],
    [
      'a declared level of everyone',
      desiredState({ ...declared('a'), everyone: { level: null, place } }),
      NO_LIVE,
      undefined,
      ['flag', 'role_access'],
    ],
    [
      'roles that were read',
      desiredState(),
      liveState([liveFlag(1, 'a')], { '1': [entry(1, 'r1')] }),
      undefined,
      ['flag', 'role_access'],
    ],
    ['roles of the base', desiredState(), NO_LIVE, withAccess, ['flag', 'role_access']],
    ['a declared cohort', withCohort, NO_LIVE, undefined, ['flag', 'cohort']],
    [
      'a cohort that was read',
      desiredState(),
      { ...NO_LIVE, cohorts: [cohort(1, 'Beta')] },
      undefined,
      ['flag', 'cohort'],
    ],
    ['a cohort of the base', desiredState(), NO_LIVE, withCohort, ['flag', 'cohort']],
    ['a declared feature', withFeature, NO_LIVE, undefined, ['flag', 'early_access']],
    [
      'a feature that was read',
      desiredState(),
      { ...NO_LIVE, early_access: [FEATURE] },
      undefined,
      ['flag', 'early_access'],
    ],
    ['a feature of the base', desiredState(), NO_LIVE, withFeature, ['flag', 'early_access']],
    [
      'a feature that a flag names',
      desiredState(),
      liveState([liveFlag(1, 'a', { features: [{ name: 'A' }] })]),
      undefined,
      ['flag', 'early_access'],
    ],
  ])('by %s', (_, desired, live, former, expected) => {
    expect(presentIn({ desired, live, former })).toEqual(expected);
  });

  test('of manifests alone too', () => {
    expect(presentIn({ desired: withCohort })).toEqual(['flag', 'cohort']);
    expect(declaresAccess(retired('a'))).toBe(false);
  });
});

const state = fc
  .array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      fields: flagFields(),
      live: fc.option(flagFields()),
      isRetired: fc.boolean(),
      needs: fc.option(fc.constantFrom('a', 'b', 2)),
    }),
    { maxLength: 4 },
  )
  .map((flags) => [...new Map(flags.map((flag) => [flag.key, flag])).values()])
  .map((flags): { desired: DesiredState; live: LiveState } => ({
    desired: desiredState(
      ...flags.map(({ key, fields, isRetired, needs }) =>
        isRetired ? retired(key) : declared(key, needs === null ? fields : { ...fields, filters: dependsOn(needs) }),
      ),
    ),
    live: liveState(
      flags.flatMap(({ key, live }, index): Flag[] => (live === null ? [] : [liveFlag(index + 1, key, live)])),
    ),
  }));

it('says nothing of flags alone where it is absent', () => {
  fc.assert(
    fc.property(state, ({ desired, live }) => {
      const plan = buildPlan(desired, live);
      const snapshot = takeSnapshot(live);
      for (const kind of KINDS.filter((one) => !one.isPresent({ desired, live }))) {
        expect(kind.assess(plan.changes, snapshot, plan.left ?? [])).toEqual({ risks: [], warnings: [] });
        expect([...kind.findNeeds(plan.changes, snapshot, new Set()).values()].flat()).toEqual([]);
        if (kind.attachedTo === undefined) continue;
        for (const one of desired.flags) {
          const match = { desired: one, live: live.flags.find(({ key }) => key === one.key) };
          const { changes, warnings } = kind.compare(
            match.live === undefined ? { desired: one } : { ...match, live: match.live },
            snapshot,
          );
          expect([changes, warnings]).toEqual([[], []]);
        }
      }
    }),
  );
});
