/** What the impact says of people holds for each person who is evaluated, and never exceeds what the classes allow. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { joinReaches } from '../../src/effects/effect.ts';
import { findEffects } from '../../src/effects/find-effects.ts';
import type { Generation } from '../../src/evaluation/input.ts';
import { findImpact } from '../../src/impact/find-impact.ts';
import type { FlagImpact } from '../../src/impact/impact.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import type { Flag } from '../../src/posthog/flag/flag.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { impactTexts } from '../../src/report/words/impact.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { runs } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';
import { anyChange, ordinaryChange, peopleOf, type RandomChange } from './arbitraries.ts';
import { createObserver, KINDS } from './observe.ts';
import { plannedFrom } from './planned.ts';
import { audiencesOf, impactOfPlan, NOW } from './support.ts';

const generation = fc.constantFrom<Generation>('rust-2026', 'rust-2026', 'python-2023');

it('bounds what each person gets, whatever they have', () => {
  const seen = { flags: 0, unknown: 0, people: 0, affected: 0, absences: 0 };
  fc.assert(
    fc.property(anyChange.chain((change) => fc.tuple(fc.constant(change), fc.array(peopleOf(change), { minLength: 20, maxLength: 20 }))), generation, ([change, people], profile) => {
      const { plan, live } = plannedFrom(change);
      const impact = findImpact({ ...plan, live }, { generation: profile, now: NOW });
      for (const found of impact.flags) {
        seen.flags += 1;
        if (found.estimate.kind === 'unknown') seen.unknown += 1;
        if (found.estimate.kind !== 'audiences') continue;
        seen.absences += claimsAbsence(found) ? 1 : 0;
        const observe = createObserver(found, { plan, live, generation: profile });
        for (const subject of people) {
          const { shares, audiences } = observe(subject);
          seen.people += 1;
          seen.affected += KINDS.some((kind) => shares[kind] > 0) ? 1 : 0;
          expect(audiences.length).toBeGreaterThan(0);
          for (const audience of audiences)
            for (const kind of KINDS) {
              expect(shares[kind]).toBeLessThanOrEqual(audience.shares[kind] + 1e-5);
              if (audience.upTo === undefined) expect(shares[kind]).toBeGreaterThanOrEqual(audience.shares[kind] - 1e-5);
            }
        }
      }
    }),
    { numRuns: runs(400) },
  );
  console.info(seen);
}, 600_000);

function claimsAbsence(found: FlagImpact): boolean {
  return /nobody/.test(impactTexts(found).join());
}
