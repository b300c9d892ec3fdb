/** What the impact says of people holds for each person who is evaluated, and never exceeds what the classes allow. */

import { env } from 'node:process';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { joinReaches } from '../../../src/review/effects/effect.ts';
import { findEffects } from '../../../src/review/effects/find-effects.ts';
import type { Generation } from '../../../src/evaluation/input.ts';
import { findImpact } from '../../../src/review/impact/find-impact.ts';
import type { FlagImpact } from '../../../src/review/effects/impact.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { impactTexts } from '../../../src/report/words/effects.ts';
import { flagFields } from '../../helpers/arbitraries.ts';
import { holds, runs } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { anyChange, ordinaryChange, peopleOf } from './arbitraries.ts';
import { createObserver, expectWithin, KINDS } from './observe.ts';
import { plannedFrom } from './planned.ts';
import { audiencesOf, impactOfPlan, NOW } from './support.ts';

it('finds nobody whom the classes of the change exclude', () => {
  holds(300, [flagFields(), flagFields()], (live, wanted) => {
    const plan = planOf(live, wanted);
    const reach = joinReaches(findEffects(plan)[0]?.classes ?? []);
    const [found] = impactOfPlan(plan, [liveFlag(1, 'a', live)]).flags;
    for (const { shares } of audiencesOf(found)) {
      if (!reach.turnsOn) expect(shares.turnsOn).toBe(0);
      if (!reach.turnsOff) expect(shares.turnsOff).toBe(0);
      if (!reach.changesVariant) expect(shares.changesVariant).toBe(0);
    }
  });
});

it('says the opposite of the opposite change', () => {
  holds(150, [flagFields(), flagFields()], (one, other) => {
    // A field that the manifests leave out is no change, so both sides declare what evaluation reads.
    const usual = { active: true, ensure_experience_continuity: false, filters: { groups: [{}] } };
    const [a, b] = [one, other].map((own): JsonObject => ({ ...usual, ...own })) as [JsonObject, JsonObject];
    const greatest = (live: JsonObject, wanted: JsonObject, kind: (typeof KINDS)[number]): number =>
      Math.max(
        0,
        ...audiencesOf(impactOfPlan(planOf(live, wanted), [liveFlag(1, 'a', live)]).flags[0]).map(
          ({ shares }) => shares[kind],
        ),
      );
    expect(greatest(a, b, 'turnsOn')).toBeCloseTo(greatest(b, a, 'turnsOff'), 3);
    expect(greatest(a, b, 'changesVariant')).toBeCloseTo(greatest(b, a, 'changesVariant'), 3);
  });
});

const changeWithPeople = anyChange.chain((change) =>
  fc.record({
    change: fc.constant(change),
    people: fc.array(peopleOf(change), { minLength: 20, maxLength: 20 }),
    generation: fc.constantFrom<Generation>('rust-2026', 'rust-2026', 'python-2023'),
  }),
);

it('bounds what each person gets, whatever they have', () => {
  holds(160, [changeWithPeople], ({ change, people, generation }) => {
    const { plan, live } = plannedFrom(change);
    const { flags } = findImpact({ ...plan, live }, { generation, now: NOW });
    for (const found of flags) {
      seen.flags += 1;
      seen.absences += claimsAbsence(found) ? 1 : 0;
      if (found.estimate.kind !== 'audiences') continue;
      const observe = createObserver(found, { plan, live, generation });
      for (const { shares, audiences } of people.map(observe)) {
        seen.people += 1;
        seen.affected += KINDS.some((kind) => shares[kind] > 0) ? 1 : 0;
        expect(audiences.length).toBeGreaterThan(0);
        for (const audience of audiences) expectWithin(shares, audience);
      }
    }
  });
}, 600_000);

/** To see in a long run what it looked at. */
const seen = { flags: 0, absences: 0, people: 0, affected: 0, ordinary: 0, unknown: 0 };
afterAll(() => {
  if (env['PROPERTY_RUNS'] !== undefined) process.stdout.write(`laws of impact: ${JSON.stringify(seen)}\n`);
});

it('claims the absence of nobody who changes with the hashes of an id', () => {
  holds(160, [changeWithPeople], ({ change, people, generation }) => {
    const { plan, live } = plannedFrom(change);
    const { flags } = findImpact({ ...plan, live }, { generation, now: NOW });
    for (const found of flags.filter(claimsAbsence)) {
      const observe = createObserver(found, { plan, live, generation });
      for (const subject of people) {
        const { outcome, audiences } = observe(subject);
        if (outcome === undefined) continue;
        for (const { shares } of audiences) expect(shares[outcome]).toBeGreaterThan(0);
      }
    }
  });
}, 600_000);

it('knows the impact of at least nine of ten ordinary changes', () => {
  const changes = fc.sample(ordinaryChange, { numRuns: runs(80), seed: 20_260_301 });
  for (const change of changes) {
    const { plan, live } = plannedFrom(change);
    for (const { estimate } of findImpact({ ...plan, live }, { generation: 'rust-2026', now: NOW }).flags) {
      seen.ordinary += 1;
      if (estimate.kind === 'unknown' || (estimate.kind === 'audiences' && estimate.unmatched.length > 0))
        seen.unknown += 1;
    }
  }
  expect(seen.ordinary).toBeGreaterThan(changes.length / 2);
  expect(seen.unknown).toBeLessThan(seen.ordinary / 10);
});

function planOf(live: JsonObject, wanted: JsonObject): Plan {
  return planFor(desiredState(declared('a', wanted)), liveState([liveFlag(1, 'a', live)]));
}

function claimsAbsence(found: FlagImpact): boolean {
  return /nobody/.test(impactTexts(found).join());
}
