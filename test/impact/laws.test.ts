/** What the impact says of audiences holds for people who are evaluated one by one, and never exceeds what the classes allow. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { joinReaches } from '../../src/effects/effect.ts';
import { findEffects } from '../../src/effects/find-effects.ts';
import { findAudiences } from '../../src/impact/audiences.ts';
import { pairOf as pairIn } from '../../src/impact/concerned.ts';
import { integrate, sample } from '../../src/impact/estimate.ts';
import type { Pair } from '../../src/impact/outcome.ts';
import { GROUP_TYPES } from '../../src/impact/witness.ts';
import { makeWorlds } from '../../src/impact/worlds.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { runs } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';
import { audiencesOf, impactOfPlan, NOW } from './support.ts';

const KINDS = ['turnsOn', 'turnsOff', 'changesVariant', 'changesPayload'] as const;

it('finds nobody whom the classes of the change exclude', () => {
  fc.assert(
    fc.property(flagFields(), flagFields(), (live, wanted) => {
      const plan = planOf(live, wanted);
      const reach = joinReaches(findEffects(plan)[0]?.classes ?? []);
      const [found] = impactOfPlan(plan, [liveFlag(1, 'a', live)]).flags;
      for (const { shares } of audiencesOf(found)) {
        if (!reach.turnsOn) expect(shares.turnsOn).toBe(0);
        if (!reach.turnsOff) expect(shares.turnsOff).toBe(0);
        if (!reach.changesVariant) expect(shares.changesVariant).toBe(0);
        expect(KINDS.reduce((sum, kind) => sum + shares[kind], 0)).toBeLessThanOrEqual(100.001);
      }
    }),
    { numRuns: runs(300) },
  );
});

it('integrates what a sample of people shows, within the bound of the sample', () => {
  const people = 400;
  fc.assert(
    fc.property(flagFields(), flagFields(), (live, wanted) => {
      const plan = planOf(live, wanted);
      const pair = pairOf(plan, live);
      for (const { witness } of findAudiences(pair, CONTEXT).audiences) {
        const exact = integrate({ pair, witness, context: CONTEXT }, 10_000);
        const sampled = sample({ pair, witness, context: CONTEXT }, people);
        if (exact === undefined || sampled.method.kind !== 'sampled') throw new Error('It is not comparable.');
        // Of many comparisons some exceed a bound that one in a hundred may exceed.
        const bound = 2 * sampled.method.margin;
        for (const kind of KINDS) expect(Math.abs(exact.shares[kind] - sampled.shares[kind])).toBeLessThan(bound);
      }
    }),
    { numRuns: runs(40) },
  );
});

it('says the opposite of the opposite change', () => {
  fc.assert(
    fc.property(flagFields(), flagFields(), (one, other) => {
      // A field that the manifests leave out is no change, so both sides declare what evaluation reads.
      const usual = { active: true, ensure_experience_continuity: false, filters: { groups: [{}] } };
      const [a, b] = [one, other].map((own): JsonObject => ({ ...usual, ...own })) as [JsonObject, JsonObject];
      const total = (live: JsonObject, wanted: JsonObject, kind: (typeof KINDS)[number]): number =>
        audiencesOf(impactOfPlan(planOf(live, wanted), [liveFlag(1, 'a', live)]).flags[0]).reduce(
          (sum, { shares }) => sum + shares[kind],
          0,
        );
      expect(total(a, b, 'turnsOn')).toBeCloseTo(total(b, a, 'turnsOff'), 3);
      expect(total(a, b, 'changesVariant')).toBeCloseTo(total(b, a, 'changesVariant'), 3);
    }),
    { numRuns: runs(150) },
  );
});

const CONTEXT = {
  generation: 'rust-2026',
  now: NOW,
  timeZone: 'UTC',
  groupTypes: GROUP_TYPES,
  cohorts: { 42: { kind: 'static' }, 43: { kind: 'static' }, 57: { kind: 'static' } },
} as const;

function planOf(live: JsonObject, wanted: JsonObject): Plan {
  return buildPlan(desiredState(declared('a', wanted)), liveState([liveFlag(1, 'a', live)]), planOptions());
}

function pairOf({ changes }: Plan, live: JsonObject): Pair {
  return pairIn({ key: 'a', payloads: new Set() }, makeWorlds(changes, [liveFlag(1, 'a', live)]));
}
