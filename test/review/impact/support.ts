/** The impact of making live flags as declared, at a fixed time. */

import type { JsonObject } from '../../../src/base/json.ts';
import { findImpact } from '../../../src/review/impact/find-impact.ts';
import type { Audience, FlagImpact, Impact, Shares } from '../../../src/review/effects/impact.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

export const NOW: Date = new Date('2026-03-01T12:00:00Z');

export function impactOf(live: readonly Flag[], ...desired: readonly DesiredFlag[]): Impact {
  return impactOfPlan(planFor(desiredState(...desired), liveState(live)), live);
}

export function impactOfPlan(plan: Plan, live: readonly Flag[]): Impact {
  return findImpact({ ...plan, live }, { generation: 'rust-2026', now: NOW });
}

/** Of one flag `a` whose fields change. */
export function impactOfFields(live: JsonObject, wanted: JsonObject): FlagImpact | undefined {
  return impactOf([liveFlag(1, 'a', live)], declared('a', wanted)).flags[0];
}

export function audiencesOf(found: FlagImpact | undefined): readonly Audience[] {
  return found?.estimate.kind === 'audiences' ? found.estimate.audiences : [];
}

/** The audiences in words of the tests: the numbers of their conditions, and the shares that are not 0. */
export function summarize(found: FlagImpact | undefined): Record<string, Partial<Shares>> {
  return Object.fromEntries(
    audiencesOf(found).map(({ conditions, former, through, without, enrolled, declined, others, upTo, shares }) => [
      [
        ...conditions.map(({ number }) => `${number}`),
        ...former.map(({ number }) => `former ${number}`),
        ...(through ?? []).map(({ key, number }) => `${number} of ${key}`),
        ...(enrolled ? ['enrolled'] : []),
        ...(declined ? ['declined'] : []),
        ...(others ? ['others'] : []),
        ...(without?.conditions ?? []).map(({ number }) => `not ${number}`),
        ...(without?.former ?? []).map(({ number }) => `not former ${number}`),
        ...(upTo ? ['up to'] : []),
      ].join(', '),
      Object.fromEntries(Object.entries(shares).filter(([, share]) => share !== 0)),
    ]),
  );
}
